import './texts'
import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconChartBar } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { isProblem } from '../../api/problem'
import { Page } from '../../components/page'
import { EmptyState, ErrorState, LoadingRows } from '../../components/states'
import { automationQuery } from './automation-queries'
import { AutomationEditor } from './editor/automation-editor'
import { PerformancePanel } from './performance/performance-panel'
import { RunDetail } from './run-detail/run-detail'
import { useAutomationAddress, useAutomationView } from './use-automation-view'

/** The panel covers the path there, as its stylesheet says. */
const NARROW = '(max-width: 959px)'

/** The path of an automation, or the history of a run in its place, and beside it how it performs. */
export function AutomationPage() {
  const { t } = useTranslation(['automations', 'shell', 'runs'])
  const address = useAutomationAddress()
  const [view, changeView] = useAutomationView()
  const saved = useQuery(automationQuery(address))
  const narrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false }) ?? false
  const button = useRef<HTMLButtonElement>(null)
  useReturnToRun(view.run, button)
  // A run that is opened from the panel must not stay behind it.
  const open = view.panel === 'performance' && !(narrow && view.run !== undefined)

  if (saved.data === undefined)
    return (
      <Page title={t('shell:areas.automations')}>
        {saved.isPending ? (
          <LoadingRows rows={4} height={96} />
        ) : isProblem(saved.error, 404) ? (
          <EmptyState title={t('editor.gone')} text={t('shell:notFound.text')} />
        ) : (
          <ErrorState error={saved.error} title={t('editor.failed')} retry={saved.refetch} />
        )}
      </Page>
    )
  return (
    <AutomationEditor
      key={address.automationId}
      accountId={address.accountId}
      automation={saved.data}
      tools={
        <Button
          ref={button}
          variant={open ? 'light' : 'default'}
          leftSection={<IconChartBar size={16} aria-hidden />}
          aria-expanded={open}
          onClick={() =>
            changeView(open ? { panel: undefined } : { panel: 'performance', ...(narrow ? { run: undefined } : {}) })
          }
        >
          {t('runs:panel.open')}
        </Button>
      }
      instead={
        view.run === undefined ? undefined : (
          <RunDetail
            address={address}
            runId={view.run}
            path={saved.data}
            toRuns={narrow && view.panel === 'performance'}
            onBack={() => changeView({ run: undefined }, { replace: false })}
          />
        )
      }
      covered={narrow && open}
      panel={
        <PerformancePanel
          address={address}
          open={open}
          onClose={() => {
            changeView({ panel: undefined })
            button.current?.focus()
          }}
        />
      }
    />
  )
}

/** When a run is left, the focus goes back to its row, or to what opens the list where the row is not in sight. */
function useReturnToRun(run: string | undefined, otherwise: RefObject<HTMLButtonElement | null>): void {
  const left = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (run === undefined && left.current !== undefined) {
      const row = `[data-run="${left.current}"]`
      // Two frames: a panel that was hidden can take the focus then.
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          const found = document.querySelector<HTMLElement>(row)
          const target = found === null || found.closest('[inert]') !== null ? otherwise.current : found
          target?.focus()
        }),
      )
    }
    left.current = run
  }, [run, otherwise])
}
