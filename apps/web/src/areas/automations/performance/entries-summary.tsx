import type { RunStatus } from '@dwell/contracts/automations'
import { Skeleton, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import type { components } from '../../../generated/openapi'
import { addDays } from './date-range'
import { type EntryGroup, type Grouping, groupEntries, groupingOf } from './entry-groups'
import classes from './performance-panel.module.css'
import { calendarDay, rangeWords } from './range-words'
import { StatusCards } from './status-cards'

const EntriesChart = lazy(async () => ({ default: (await import('./entries-chart')).EntriesChart }))

export type PerformanceStats = components['schemas']['AutomationPerformanceStats']

interface Props {
  /** Undefined while it is loaded. */
  readonly stats: PerformanceStats | undefined
  readonly status: RunStatus | undefined
  readonly onStatus: (status: RunStatus | undefined) => void
}

/** The chart and the three counts, of the same runs. */
export function EntriesSummary({ stats, status, onStatus }: Props) {
  const { t } = useTranslation('runs')
  const blank = <Skeleton className={classes.plot} aria-hidden />
  return (
    <>
      <figure className={classes.chart} aria-busy={stats === undefined} style={{ margin: 0 }}>
        <Text fw={600} size="sm" mb={4}>
          {stats === undefined ? t('chart.title') : t('chart.total', { count: stats.total_run_count })}
        </Text>
        {stats === undefined ? (
          <div role="status" aria-label={t('panel.loading')}>
            {blank}
          </div>
        ) : (
          <Suspense fallback={blank}>
            <EntriesChart bars={barsOf(stats)} label={t('chart.entries')} />
          </Suspense>
        )}
        {stats !== undefined && <Caption stats={stats} />}
      </figure>
      <StatusCards stats={stats} status={status} onStatus={onStatus} />
    </>
  )
}

function Caption({ stats }: { readonly stats: PerformanceStats }) {
  const { t } = useTranslation('runs')
  const { date_from, date_to, bucket, timezone } = stats.entry_window
  const all = { bucket, entries: stats.entries }
  const grouping = groupingOf(all)
  const peak = groupEntries(all).reduce<EntryGroup | null>(
    (most, group) => (group.count > (most?.count ?? 0) ? group : most),
    null,
  )
  return (
    <figcaption className="visually-hidden">
      {t('chart.caption', {
        grouping: t(`chart.grouping.${grouping}`),
        from: calendarDay(date_from),
        to: calendarDay(addDays(date_to, -1)),
        timezone,
        total: stats.total_run_count,
      })}{' '}
      {peak !== null && t('chart.captionPeak', { when: labelOf(peak, grouping, timezone), count: peak.count })}
    </figcaption>
  )
}

export interface Bar {
  /** Below the axis. */
  readonly tick: string
  /** In full. */
  readonly label: string
  readonly count: number
}

function barsOf(stats: PerformanceStats): Bar[] {
  const all = { bucket: stats.entry_window.bucket, entries: stats.entries }
  const grouping = groupingOf(all)
  const { timezone } = stats.entry_window
  return groupEntries(all).map((group) => ({
    tick: tickOf(group, grouping, timezone),
    label: labelOf(group, grouping, timezone),
    count: group.count,
  }))
}

function labelOf(group: EntryGroup, grouping: Grouping, timeZone: string): string {
  if (grouping === 'hour')
    return new Intl.DateTimeFormat(undefined, {
      timeZone,
      hour: '2-digit',
      minute: '2-digit',
      timeZoneName: 'short',
    }).format(Date.parse(group.from))
  return rangeWords(group)
}

function tickOf({ from }: EntryGroup, grouping: Grouping, timeZone: string): string {
  if (grouping === 'hour')
    return new Intl.DateTimeFormat(undefined, { timeZone, hour: '2-digit', minute: '2-digit' }).format(Date.parse(from))
  const parts =
    grouping === 'month'
      ? ({ month: 'short', year: '2-digit' } as const)
      : ({ day: 'numeric', month: 'short' } as const)
  return new Intl.DateTimeFormat(undefined, parts).format(Date.parse(`${from}T12:00:00`))
}
