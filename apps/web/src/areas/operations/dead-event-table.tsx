import { Button, Checkbox, Group, Table, Text } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { Fragment, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { When } from '../../components/when'
import { DeadEventPayload } from './dead-event-payload'
import classes from './operations.module.css'
import type { DeadEvent } from './queries'

interface Props {
  readonly events: readonly DeadEvent[]
  readonly selected: ReadonlySet<string>
  readonly onSelect: (selected: ReadonlySet<string>) => void
}

export function DeadEventTable({ events, selected, onSelect }: Props) {
  const { t } = useTranslation('operations')
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const all = events.every(({ id }) => selected.has(id))
  return (
    <section className={classes.scroller} aria-label={t('deadEvents.caption')}>
      <Table className={classes.wide} verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={44}>
              <Checkbox
                aria-label={t('deadEvents.selectAll')}
                checked={all}
                indeterminate={!all && selected.size > 0}
                onChange={() => onSelect(all ? new Set() : new Set(events.map(({ id }) => id)))}
              />
            </Table.Th>
            <Table.Th w={220}>{t('deadEvents.when')}</Table.Th>
            <Table.Th w={190}>{t('deadEvents.reason')}</Table.Th>
            <Table.Th>{t('deadEvents.detail')}</Table.Th>
            <Table.Th w={150}>{t('deadEvents.payload')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {events.map((event) => (
            <Fragment key={event.id}>
              <Row
                event={event}
                checked={selected.has(event.id)}
                onCheck={() => onSelect(toggled(selected, event.id))}
                open={open.has(event.id)}
                onOpen={() => setOpen(toggled(open, event.id))}
              />
              {open.has(event.id) && (
                <Table.Tr id={`dead-event-${event.id}`}>
                  <Table.Td colSpan={5}>
                    <DeadEventPayload event={event} />
                  </Table.Td>
                </Table.Tr>
              )}
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}

function Row({
  event,
  checked,
  onCheck,
  open,
  onOpen,
}: {
  readonly event: DeadEvent
  readonly checked: boolean
  readonly onCheck: () => void
  readonly open: boolean
  readonly onOpen: () => void
}) {
  const { t } = useTranslation('operations')
  const Chevron = open ? IconChevronDown : IconChevronRight
  const known = t(`deadEvents.errors.${event.error}` as 'deadEvents.errors.invalid_json', { defaultValue: '' })
  return (
    <Table.Tr>
      <Table.Td>
        <Checkbox aria-label={t('deadEvents.select', { id: event.id })} checked={checked} onChange={onCheck} />
      </Table.Td>
      <Table.Td>
        <When at={event.failed_at} as="both" />
        <Text size="xs" c="dimmed">
          {t('deadEvents.entry')} {event.entry_id === '' ? event.id : event.entry_id}
        </Text>
      </Table.Td>
      <Table.Td>
        <Text size="sm" fw={500}>
          {known === '' ? event.error : known}
        </Text>
      </Table.Td>
      <Table.Td className={classes.words}>
        <Text size="sm">{event.detail}</Text>
      </Table.Td>
      <Table.Td>
        <Group gap={0}>
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<Chevron size={14} aria-hidden />}
            aria-expanded={open}
            aria-controls={open ? `dead-event-${event.id}` : undefined}
            onClick={onOpen}
          >
            {open ? t('deadEvents.hide') : t('deadEvents.show')}
          </Button>
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}

function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set)
  if (!next.delete(id)) next.add(id)
  return next
}
