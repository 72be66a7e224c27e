import { Button, Loader, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { wordsOf } from '../../../components/states'
import type { Run } from '../automation-queries'
import { RunRow } from './run-row'
import classes from './runs.module.css'

/** In pixels; rows are as tall as the stylesheet says. */
export const ROW_HEIGHT = 72
const OVERSCAN = 10

export interface NextPage {
  readonly exists: boolean
  /** May be loaded as soon as somebody gets there. */
  readonly wanted: boolean
  readonly load: () => void
  readonly error: unknown
  /** Where a search waits for somebody to say that it shall go on. */
  readonly goOn: (() => void) | null
}

interface Props {
  readonly runs: readonly Run[]
  readonly openRun: string | undefined
  readonly onOpen: (runId: string) => void
  readonly newestFirst: boolean
  readonly onSort: () => void
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly next: NextPage
}

/** Only rows in sight are in the document; one more row stands for the next page and loads it when it is reached. */
export function RunTable({ runs, openRun, onOpen, newestFirst, onSort, scroller, next }: Props) {
  const { t } = useTranslation('runs')
  const hasLastRow = next.exists && runs.length > 0
  const rows = useVirtualizer({
    count: runs.length + (hasLastRow ? 1 : 0),
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
  })
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)
  const reached = hasLastRow && last !== undefined && last.index >= runs.length
  const { wanted, load } = next
  useEffect(() => {
    if (reached && wanted) load()
  }, [reached, wanted, load])

  const above = shown[0]?.start ?? 0
  const below = rows.getTotalSize() - (last?.end ?? 0)
  const SortIcon = newestFirst ? IconArrowDown : IconArrowUp
  return (
    <table className={classes.table} aria-label={t('list.label')} aria-rowcount={next.exists ? -1 : runs.length + 1}>
      <thead>
        <tr aria-rowindex={1}>
          <th scope="col">{t('list.member')}</th>
          <th scope="col" className={classes.entered} aria-sort={newestFirst ? 'descending' : 'ascending'}>
            <UnstyledButton
              className={classes.sort}
              aria-label={t('list.sort', { order: newestFirst ? t('list.newest') : t('list.oldest') })}
              onClick={onSort}
            >
              {t('list.entered')} <SortIcon size={14} aria-hidden />
            </UnstyledButton>
          </th>
          <th scope="col" className={classes.stateColumn}>
            {t('list.state')}
          </th>
        </tr>
      </thead>
      <tbody>
        <Space height={above} />
        {shown.map(({ index, key }) => {
          const run = runs[index]
          return run === undefined ? (
            <LastRow key={key} next={next} scroller={scroller} />
          ) : (
            <RunRow key={run.id} run={run} index={index} current={openRun === run.id} onOpen={onOpen} />
          )
        })}
        <Space height={below} />
      </tbody>
    </table>
  )
}

/** Stands for the rows that are out of sight. */
function Space({ height }: { readonly height: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden className={classes.space}>
      <td colSpan={3} style={{ height }} />
    </tr>
  )
}

function LastRow({ next, scroller }: Pick<Props, 'next' | 'scroller'>) {
  const { t } = useTranslation('runs')
  const { t: shared } = useTranslation()
  // The button goes as soon as it is pressed: the list keeps the focus.
  const act = (load: () => void) => () => {
    load()
    scroller.current?.focus({ preventScroll: true })
  }
  return (
    <tr className={classes.row}>
      <td colSpan={3}>
        <div className={classes.more}>
          {next.error !== null ? (
            <>
              <span role="alert">
                {t('list.moreFailed')}: {wordsOf(next.error, shared('error.unknown'))}
              </span>
              <Button size="compact-sm" variant="default" onClick={act(next.load)}>
                {shared('error.retry')}
              </Button>
            </>
          ) : next.goOn !== null ? (
            <Button size="compact-sm" variant="default" onClick={act(next.goOn)}>
              {t('search.go')}
            </Button>
          ) : (
            <>
              <Loader size="xs" aria-hidden />
              <span role="status">{t('list.loadingMore')}</span>
            </>
          )}
        </div>
      </td>
    </tr>
  )
}
