import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { announce } from '../../../components/announcer'
import type { RunFilter } from '../automation-queries'

interface Query {
  readonly isFetching: boolean
  readonly isFetchingNextPage: boolean
  readonly isSuccess: boolean
  readonly isPlaceholderData: boolean
}

interface Shown {
  readonly filter: RunFilter
  readonly count: number
  /** What stands in place of rows, where there are none. */
  readonly none: string
  /** A search goes on by itself. */
  readonly scanning: boolean
}

/** Says that rows are on their way, and how many there are once they have come; of a filter first what it is. */
export function useRunAnnouncements(query: Query, { filter, count, none, scanning }: Shown): void {
  const { t } = useTranslation('runs')
  const settled = query.isSuccess && !query.isFetching && !query.isPlaceholderData && !scanning
  const waiting = scanning
    ? t('search.scanning')
    : query.isFetchingNextPage
      ? t('list.loadingMore')
      : query.isFetching
        ? t('list.loading')
        : null
  useEffect(() => {
    if (waiting !== null) announce(waiting)
  }, [waiting])

  const said = useRef<{ readonly key: string; readonly status: RunFilter['status']; readonly count: number } | null>(
    null,
  )
  const key = JSON.stringify(filter)
  const { status } = filter
  useEffect(() => {
    if (!settled) return
    const before = said.current
    said.current = { key, status, count }
    if (before?.key === key) {
      if (count > before.count) announce(t('list.moreLoaded', { count: count - before.count, total: count }))
      return
    }
    const found = count === 0 ? none : t('list.loaded', { count })
    if (before?.status === status) announce(found)
    else
      announce(
        `${status === undefined ? t('status.shownAll') : t('status.shown', { status: t(`status.${status}`) })} ${found}`,
      )
  }, [settled, key, status, count, none, t])
}
