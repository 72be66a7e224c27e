import { useTranslation } from 'react-i18next'

const DAY_HOURS = 24

/** Whole hours in words: in days where they are whole days. */
export function useDurationWords(): (hours: number) => string {
  const { t } = useTranslation('runs')
  return (hours) =>
    hours % DAY_HOURS === 0 ? t('duration.days', { count: hours / DAY_HOURS }) : t('duration.hours', { count: hours })
}
