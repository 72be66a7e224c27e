import { Button, Loader, Skeleton, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { ErrorState } from '../../../components/states'
import { type AutomationAddress, type RunFilter, runsQuery } from '../automation-queries'
import { useAutomationView } from '../use-automation-view'
import { ROW_HEIGHT, RunTable } from './run-table'
import classes from './runs.module.css'
import { useRunAnnouncements } from './use-run-announcements'
import { useScanning } from './use-scanning'

const SKELETON_ROWS = 10

interface Props {
  readonly address: AutomationAddress
  readonly filter: RunFilter
  /** The field of the search is open, whether or not something stands in it. */
  readonly searching: boolean
}

/** All runs that match, page by page as somebody scrolls. A page that fails keeps those before it and is asked for alone. */
export function RunList({ address, filter, searching }: Props) {
  const { t } = useTranslation('runs')
  const [view, changeView] = useAutomationView()
  const query = useInfiniteQuery(runsQuery(address, filter))
  const runs = query.data?.pages.flatMap((page) => page.automation_runs) ?? []
  const scanning = useScanning(query, filter)
  const scroller = useRef<HTMLDivElement>(null)
  useRunAnnouncements(query, { filter, count: runs.length, none: emptyWords(), scanning: scanning.active })

  const key = JSON.stringify(filter)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins at its top.
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 })
  }, [key])

  const { fetchNextPage, isPlaceholderData, isFetchNextPageError } = query
  const nextPage = useCallback(() => void fetchNextPage({ cancelRefetch: false }), [fetchNextPage])
  const open = useCallback((run: string) => changeView({ run }, { replace: false }), [changeView])
  const { refetch } = query
  const retry = useCallback(async () => {
    const { isSuccess } = await refetch()
    // The button is gone then.
    if (isSuccess) requestAnimationFrame(() => scroller.current?.focus())
  }, [refetch])
  const none = runs.length === 0
  const loading = none && (query.isPending || scanning.active)
  return (
    <section className={classes.list} aria-label={t('list.label')} aria-busy={query.isFetching}>
      {isPlaceholderData && (
        <div className={classes.busy} role="status" aria-label={t('list.loading')}>
          <Loader size="xs" />
        </div>
      )}
      <div className={classes.scroller} ref={scroller} tabIndex={none ? undefined : 0}>
        <RunTable
          runs={runs}
          openRun={view.run}
          onOpen={open}
          newestFirst={filter.order === undefined}
          onSort={() => changeView({ order: filter.order === undefined ? 'asc' : undefined })}
          scroller={scroller}
          next={{
            exists: query.hasNextPage,
            wanted:
              query.hasNextPage && !query.isFetching && !isPlaceholderData && !isFetchNextPageError && !scanning.active,
            load: nextPage,
            error: isFetchNextPageError ? query.error : null,
            goOn: scanning.paused ? scanning.go : null,
          }}
        />
        {loading && <SkeletonRows label={t('list.loading')} />}
        {none && !loading && query.isError && (
          <div className={classes.notice}>
            <ErrorState error={query.error} title={t('list.failed')} retry={isFetchNextPageError ? nextPage : retry} />
          </div>
        )}
        {none && !loading && query.isSuccess && (
          <div className={classes.notice}>
            {scanning.paused ? (
              <>
                <Text size="sm">{t('search.goText')}</Text>
                <Button size="xs" variant="default" onClick={scanning.go}>
                  {t('search.go')}
                </Button>
              </>
            ) : (
              <Text c="dimmed">{emptyWords()}</Text>
            )}
          </div>
        )}
      </div>
    </section>
  )

  function emptyWords(): string {
    if (filter.search !== undefined) return t('search.none', { search: filter.search })
    if (filter.status !== undefined && !searching) return t('list.noneMatching')
    return filter.range === null ? t('list.none') : t('list.nonePeriod')
  }
}

function SkeletonRows({ label }: { readonly label: string }) {
  return (
    <div role="status" aria-busy="true" aria-label={label}>
      {Array.from({ length: SKELETON_ROWS }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have nothing else, and never change places.
        <div key={row} className={classes.skeleton} style={{ height: ROW_HEIGHT }} data-skeleton>
          <Skeleton height={44} />
        </div>
      ))}
    </div>
  )
}
