import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { announce } from '../../../components/announcer'

interface Query {
  readonly isFetching: boolean
  readonly isSuccess: boolean
  readonly isPlaceholderData: boolean
}

/** Says how many rows there are once they have come, not while they are on their way. */
export function useRunAnnouncements(query: Query, count: number): void {
  const { t } = useTranslation('runs')
  const settled = query.isSuccess && !query.isFetching && !query.isPlaceholderData
  const said = useRef(0)
  useEffect(() => {
    if (!settled) return
    const more = count - said.current
    const continued = said.current > 0 && more > 0
    announce(continued ? t('list.moreLoaded', { count: more, total: count }) : t('list.loaded', { count }))
    said.current = count
  }, [settled, count, t])
}
