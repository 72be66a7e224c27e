import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './operations.module.css'
import { type DeadEvent, deadEventQuery } from './queries'
import { useDeadEventActs } from './use-dead-event-acts'

/** What a dead event said, and what can be done about it. */
export function DeadEventPayload({ event }: { readonly event: DeadEvent }) {
  const { t } = useTranslation(['operations', 'shell'])
  const [whole, setWhole] = useState(false)
  const [correction, setCorrection] = useState<string | null>(null)
  const cut = event.event.length < event.event_length
  const { data: found } = useQuery({ ...deadEventQuery(event.id), enabled: whole })
  const text = found?.event ?? event.event
  const { publish, correct, giveUp, pending, fault } = useDeadEventActs()
  return (
    <Stack gap="sm" py="xs" className={classes.within}>
      {correction === null ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard.
        <section className={classes.payload} tabIndex={0} aria-label={t('deadEvents.payload')}>
          {pretty(text)}
        </section>
      ) : (
        <Textarea
          label={t('deadEvents.correctLabel')}
          description={t('deadEvents.correctHint')}
          autosize
          minRows={6}
          maxRows={24}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8rem' } }}
          value={correction}
          error={fault}
          onChange={(change) => setCorrection(change.currentTarget.value)}
        />
      )}
      {cut && found === undefined && (
        <Text size="sm" c="dimmed">
          {t('deadEvents.payloadCut', {
            shown: event.event.length.toLocaleString(),
            all: event.event_length.toLocaleString(),
          })}
          <Button size="compact-sm" variant="subtle" onClick={() => setWhole(true)}>
            {t('deadEvents.payloadWhole')}
          </Button>
        </Text>
      )}
      {correction === null ? (
        <Group gap="xs">
          {event.error !== 'missing_field' && (
            <Button size="xs" loading={pending} onClick={() => void publish([event])}>
              {t('deadEvents.publish')}
            </Button>
          )}
          {!(cut && found === undefined) && (
            <Button size="xs" variant="light" onClick={() => setCorrection(pretty(text))}>
              {t('deadEvents.correct')}
            </Button>
          )}
          <Button size="xs" variant="default" disabled={pending} onClick={() => void giveUp(event)}>
            {t('deadEvents.delete')}
          </Button>
        </Group>
      ) : (
        <Group gap="xs">
          <Button size="xs" loading={pending} onClick={() => void correct(event, correction)}>
            {t('deadEvents.correct')}
          </Button>
          <Button size="xs" variant="default" onClick={() => setCorrection(null)}>
            {t('shell:cancel')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** Indented where it is JSON, else as it came. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
