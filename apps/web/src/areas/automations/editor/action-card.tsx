import { ActionIcon, Group, Text } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconClockHour4, IconMail, IconTrash } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Fault } from '../../../api/problem'
import type { components } from '../../../generated/openapi'
import type { ActionDraft, DraftFault } from './draft'
import { EmailFields } from './email-fields'
import classes from './path.module.css'
import { sentence } from './server-words'
import { WaitFields } from './wait-fields'

interface Props {
  readonly accountId: number
  readonly action: ActionDraft
  readonly place: number
  readonly count: number
  /** What this one lacks, by our own rules, and what the server said about it. */
  readonly lacks: readonly DraftFault[]
  readonly faults: readonly Fault[]
  readonly stats: components['schemas']['EmailStatistics'] | undefined
  readonly readOnly: boolean
  /** Something is being written, or not any more, that `onChange` has not told yet. */
  readonly onWriting: (writing: boolean) => void
  readonly onChange: (action: ActionDraft) => void
  readonly onMove: (by: -1 | 1) => void
  readonly onRemove: () => void
}

/** A wait or an e-mail: what it is, what it lacks, and its place on the path. */
export function ActionCard(props: Props) {
  const { accountId, action, place, count, lacks, faults, readOnly, onChange, onMove, onRemove } = props
  const { t } = useTranslation('automations')
  const wait = action.type === 'wait'
  const Icon = wait ? IconClockHour4 : IconMail
  const name = t('path.place', { place: place + 1, what: wait ? t('path.wait') : t('path.email') })
  return (
    <section
      className={classes.card}
      aria-label={name}
      tabIndex={-1}
      data-step={action.id}
      data-faulty={lacks.length + faults.length > 0}
    >
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Group gap="xs" wrap="nowrap">
          <Icon size={18} aria-hidden />
          <Text fw={600}>{wait ? t('path.wait') : t('path.email')}</Text>
        </Group>
        {!readOnly && (
          <Group gap={2} wrap="nowrap">
            <ActionIcon
              variant="subtle"
              color="gray"
              className={classes.tool}
              aria-label={t('path.up', { name })}
              data-move={-1}
              aria-disabled={place === 0}
              data-disabled={place === 0 || undefined}
              onClick={() => onMove(-1)}
            >
              <IconArrowUp size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              className={classes.tool}
              aria-label={t('path.down', { name })}
              data-move={1}
              aria-disabled={place === count - 1}
              data-disabled={place === count - 1 || undefined}
              onClick={() => onMove(1)}
            >
              <IconArrowDown size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon variant="subtle" color="gray" aria-label={t('path.removeOne', { name })} onClick={onRemove}>
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
        )}
      </Group>
      {action.type === 'wait' ? (
        <WaitFields action={action} invalid={lacks.length > 0} readOnly={readOnly} onChange={onChange} />
      ) : (
        <EmailFields
          accountId={accountId}
          action={action}
          lacks={lacks}
          stats={props.stats}
          readOnly={readOnly}
          onWriting={props.onWriting}
          onChange={onChange}
        />
      )}
      {faults.map(({ pointer, message }) => (
        <Text key={`${pointer} ${message}`} size="sm" c="var(--mantine-color-error)" role="alert">
          {sentence(message)}
        </Text>
      ))}
    </section>
  )
}
