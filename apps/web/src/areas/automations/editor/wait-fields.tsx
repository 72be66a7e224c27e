import { MAX_WAIT_HOURS, MIN_WAIT_HOURS } from '@dwell/contracts/automations'
import { Group, NativeSelect, NumberInput, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useDurationWords } from '../durations'
import type { ActionDraft, WaitDraft } from './draft'
import classes from './path.module.css'

const DAY_HOURS = 24
const UNITS = ['hours', 'days'] as const
type Unit = (typeof UNITS)[number]

interface Props {
  readonly action: WaitDraft
  readonly invalid: boolean
  readonly readOnly: boolean
  readonly onChange: (action: ActionDraft) => void
}

/** Whole hours, shown in days where they are whole days. */
export function WaitFields({ action, invalid, readOnly, onChange }: Props) {
  const { t } = useTranslation('automations')
  const words = useDurationWords()
  const [unit, setUnit] = useState<Unit>(() => (isDays(action.hours) ? 'days' : 'hours'))
  const factor = unit === 'days' ? DAY_HOURS : 1
  if (readOnly) return <Text size="sm">{action.hours === null ? '–' : words(action.hours)}</Text>
  return (
    <Group align="flex-start" gap="xs">
      <NumberInput
        w={120}
        aria-label={t('wait.amount')}
        value={action.hours === null ? '' : action.hours / factor}
        allowDecimal={false}
        allowNegative={false}
        min={1}
        clampBehavior="none"
        classNames={{ error: classes.limit }}
        error={invalid ? t('wait.limits', { min: MIN_WAIT_HOURS, max: MAX_WAIT_HOURS / DAY_HOURS }) : undefined}
        onChange={(value) => {
          const amount = typeof value === 'number' ? value : Number(value)
          onChange({ ...action, hours: value === '' || Number.isNaN(amount) ? null : amount * factor })
        }}
      />
      <NativeSelect
        aria-label={t('wait.unit')}
        data={UNITS.map((value) => ({ value, label: t(`wait.${value}`) }))}
        value={unit}
        onChange={(event) => {
          const next = event.currentTarget.value === 'days' ? 'days' : 'hours'
          const amount = action.hours === null ? null : action.hours / factor
          setUnit(next)
          onChange({ ...action, hours: amount === null ? null : amount * (next === 'days' ? DAY_HOURS : 1) })
        }}
      />
    </Group>
  )
}

function isDays(hours: number | null): boolean {
  return hours !== null && hours % DAY_HOURS === 0
}
