import { CloseButton, Group, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ErrorState } from '../../../components/states'
import { type AutomationAddress, performanceQuery } from '../automation-queries'
import { useAutomationView } from '../use-automation-view'
import { DateRangeMenu } from './date-range-menu'
import { EntriesSummary } from './entries-summary'
import classes from './performance-panel.module.css'
import { runFilterOf } from './run-filter'
import { RunList } from './run-list'
import { RunSearch } from './run-search'

interface Props {
  readonly address: AutomationAddress
  readonly open: boolean
  readonly onClose: () => void
}

/**
 * How the automation performs, beside its path. What it shows is loaded when it is first opened and kept while it is closed;
 * chart and counts come from one answer, the list from another, so that either may fail alone.
 */
export function PerformancePanel({ address, open, onClose }: Props) {
  const { t } = useTranslation('runs')
  const [view, changeView] = useAutomationView()
  const wasOpened = useWasOpened(open)
  const filter = runFilterOf(view)
  const searching = view.search !== undefined
  const [searchOpen, setSearchOpen] = useState(searching)
  const heading = useRef<HTMLHeadingElement>(null)
  const panel = useRef<HTMLElement>(null)
  const stats = useQuery({ ...performanceQuery(address, filter.range), enabled: wasOpened })

  // Where it covers the path it may begin below the screen.
  useEffect(() => {
    if (open) panel.current?.scrollIntoView({ block: 'nearest' })
  }, [open])

  async function retry(): Promise<void> {
    const { isSuccess } = await stats.refetch()
    // The button is gone then.
    if (isSuccess) heading.current?.focus()
  }

  return (
    <aside ref={panel} aria-label={t('panel.label')} className={classes.panel} data-open={open} inert={!open}>
      <Group className={classes.head} justify="space-between" gap="xs">
        <Title order={2} size="h5" ref={heading} tabIndex={-1} className={classes.heading}>
          {t('panel.label')}
        </Title>
        <Group gap={4} wrap="nowrap" className={classes.tools}>
          {!searchOpen && (
            <DateRangeMenu
              range={filter.range}
              onChange={(range) => changeView({ from: range?.from, to: range?.to })}
            />
          )}
          <RunSearch
            open={searchOpen}
            search={view.search}
            onOpen={() => setSearchOpen(true)}
            onSearch={(search) => changeView({ search })}
            onClose={() => {
              setSearchOpen(false)
              changeView({ search: undefined })
            }}
          />
          <CloseButton aria-label={t('panel.close')} onClick={onClose} />
        </Group>
      </Group>
      {wasOpened && (
        <div className={classes.body}>
          {!searchOpen &&
            (stats.isError ? (
              <ErrorState error={stats.error} retry={retry} title={t('panel.failed')} />
            ) : (
              <EntriesSummary stats={stats.data} status={filter.status} onStatus={(status) => changeView({ status })} />
            ))}
          <RunList address={address} filter={filter} searching={searchOpen} />
        </div>
      )}
    </aside>
  )
}

function useWasOpened(open: boolean): boolean {
  const [wasOpened, setWasOpened] = useState(open)
  useEffect(() => {
    if (open) setWasOpened(true)
  }, [open])
  return wasOpened
}
