import { RUN_STATUSES, type RunStatus } from '@dwell/contracts/automations'
import { UnstyledButton } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PerformanceStats } from './entries-summary'
import classes from './performance-panel.module.css'

interface Props {
  readonly stats: PerformanceStats | undefined
  readonly status: RunStatus | undefined
  readonly onStatus: (status: RunStatus | undefined) => void
}

/** How many runs stand how; a card filters the list below it, and the same card again shows all. */
export function StatusCards({ stats, status, onStatus }: Props) {
  const { t } = useTranslation('runs')
  return (
    <fieldset className={classes.cards} style={{ border: 0 }}>
      <legend className="visually-hidden">{t('status.label')}</legend>
      {RUN_STATUSES.map((name) => (
        <UnstyledButton
          key={name}
          className={classes.card}
          aria-pressed={status === name}
          onClick={() => onStatus(status === name ? undefined : name)}
        >
          <span className={classes.count}>
            {stats === undefined ? '' : stats[`${name}_run_count`].toLocaleString()}
          </span>
          <span>{t(`status.${name}`)}</span>
        </UnstyledButton>
      ))}
    </fieldset>
  )
}
