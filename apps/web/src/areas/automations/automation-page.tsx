import { Button } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Page } from '../../components/page'
import classes from './automation-page.module.css'
import { automationQuery } from './automation-queries'
import { PerformancePanel } from './performance/performance-panel'
import { RunDetail } from './run-detail/run-detail'
import { useAutomationAddress, useAutomationView } from './use-automation-view'

/** The path of an automation, or the history of a run in its place, and beside it how it performs. */
export function AutomationPage() {
  const { t } = useTranslation('runs')
  const address = useAutomationAddress()
  const [view, changeView] = useAutomationView()
  const saved = useQuery(automationQuery(address))
  const open = view.panel === 'performance'
  return (
    <Page
      title={saved.data?.name ?? ''}
      actions={
        <Button
          variant="default"
          leftSection={<IconChartBar size={16} aria-hidden />}
          aria-expanded={open}
          onClick={() => changeView({ panel: open ? undefined : 'performance' })}
        >
          {t('panel.open')}
        </Button>
      }
    >
      <div className={classes.workspace}>
        <div className={classes.canvas}>
          {view.run !== undefined && (
            <RunDetail
              address={address}
              runId={view.run}
              path={saved.data ?? null}
              onBack={() => changeView({ run: undefined }, { replace: false })}
            />
          )}
        </div>
        <PerformancePanel address={address} open={open} onClose={() => changeView({ panel: undefined })} />
      </div>
    </Page>
  )
}
