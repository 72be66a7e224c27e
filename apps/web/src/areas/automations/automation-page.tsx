import { Button } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { isProblem } from '../../api/problem'
import { Page } from '../../components/page'
import { EmptyState, ErrorState, LoadingRows } from '../../components/states'
import { automationQuery } from './automation-queries'
import { AutomationEditor } from './editor/automation-editor'
import { PerformancePanel } from './performance/performance-panel'
import { RunDetail } from './run-detail/run-detail'
import { useAutomationAddress, useAutomationView } from './use-automation-view'

/** The path of an automation, or the history of a run in its place, and beside it how it performs. */
export function AutomationPage() {
  const { t } = useTranslation(['automations', 'shell', 'runs'])
  const address = useAutomationAddress()
  const [view, changeView] = useAutomationView()
  const saved = useQuery(automationQuery(address))
  const open = view.panel === 'performance'

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
          variant="default"
          leftSection={<IconChartBar size={16} aria-hidden />}
          aria-expanded={open}
          onClick={() => changeView({ panel: open ? undefined : 'performance' })}
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
            onBack={() => changeView({ run: undefined }, { replace: false })}
          />
        )
      }
      panel={<PerformancePanel address={address} open={open} onClose={() => changeView({ panel: undefined })} />}
    />
  )
}
