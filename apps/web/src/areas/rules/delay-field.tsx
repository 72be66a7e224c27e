import { Alert, Button, Group, Radio, Select, Stack, Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { DELAY_UNITS, delayFault, minutesOf, type TypedDelay } from './delay'
import type { FaultAt } from './faults'
import type { Timing } from './rule-draft'
import { delayWords } from './words'

interface Props {
  readonly timing: Timing
  readonly delay: TypedDelay
  /** Somebody was on the other side: it has a draft of its own. */
  readonly hasOtherSide: boolean
  /** The account may delay; without it only taking a delay away is possible. */
  readonly enabled: boolean
  readonly faultAt: FaultAt
  readonly readOnly: boolean
  readonly onTiming: (timing: Timing) => void
  readonly onDelay: (delay: TypedDelay) => void
}

/** *Execute*: immediately, or after a delay whose limits are checked as it is typed. */
export function DelayField(props: Props) {
  const { timing, delay, hasOtherSide, enabled, faultAt, readOnly, onTiming, onDelay } = props
  const { t } = useTranslation('rules')
  if (!enabled) return timing === 'later' ? <KeptDelay {...props} /> : null
  const typed = delayFault(delay)
  const fault = typed === null ? faultAt('/execution_delay') : t(`delay.faults.${typed}`)
  return (
    <Stack gap="sm">
      <Radio.Group
        aria-label={t('delay.legend')}
        value={timing}
        onChange={(value) => onTiming(value === 'later' ? 'later' : 'now')}
        readOnly={readOnly}
      >
        <Group gap="lg">
          <Radio value="now" label={t('delay.now')} disabled={readOnly && timing !== 'now'} />
          <Radio value="later" label={t('delay.later')} disabled={readOnly && timing !== 'later'} />
        </Group>
      </Radio.Group>
      {timing === 'later' && (
        <div>
          <Group gap="xs" align="flex-start">
            <TextInput
              aria-label={t('delay.amount')}
              inputMode="numeric"
              w={110}
              value={delay.amount}
              error={fault !== undefined}
              aria-describedby="delay-limits"
              readOnly={readOnly}
              onChange={(event) => onDelay({ ...delay, amount: event.currentTarget.value })}
            />
            <Select
              aria-label={t('delay.unit')}
              data={DELAY_UNITS.map((value) => ({ value, label: t(`delay.units.${value}`) }))}
              value={delay.unit}
              w={130}
              readOnly={readOnly}
              allowDeselect={false}
              onChange={(unit) =>
                onDelay({ ...delay, unit: DELAY_UNITS.find((known) => known === unit) ?? delay.unit })
              }
            />
          </Group>
          <Text
            id="delay-limits"
            size="xs"
            mt={4}
            c={fault === undefined ? 'dimmed' : 'var(--mantine-color-error)'}
            aria-live="polite"
          >
            {fault ?? t('delay.limits')}
          </Text>
        </div>
      )}
      {hasOtherSide && !readOnly && (
        <Text size="xs" c="dimmed">
          {t('delay.otherSide', { name: t(timing === 'now' ? 'delay.later' : 'delay.now') })}
        </Text>
      )}
    </Stack>
  )
}

function KeptDelay({ delay, readOnly, onTiming }: Props) {
  const { t } = useTranslation('rules')
  const minutes = minutesOf(delay)
  return (
    <Alert color="orange" variant="light">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('delay.kept', { delay: minutes === null ? '' : delayWords(minutes, t) })}</Text>
        {!readOnly && (
          <Button size="xs" variant="default" onClick={() => onTiming('now')}>
            {t('delay.remove')}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
