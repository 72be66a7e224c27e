import { Badge, Button } from '@mantine/core'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Page } from '../../components/page'
import { EmptyState } from '../../components/states'
import { ExecutionsTable } from './executions-table'
import { HistoryFilters } from './filters'
import type { ExecutionFilter } from './queries'

/** What all rules of the account did and did not do. */
export function HistoryPage() {
  const { t } = useTranslation(['history', 'shell'])
  const { accountId } = useParams({ from: '/signed-in/accounts/$accountId/history' })
  const filter = useSearch({ from: '/signed-in/accounts/$accountId/history' })
  const navigate = useNavigate()
  const filtered = Object.values(filter).some((value) => value !== undefined)
  const show = (search: ExecutionFilter) =>
    void navigate({ to: '/accounts/$accountId/history', params: { accountId }, search, replace: true })
  return (
    <Page
      title={t('shell:areas.history')}
      intro={t('intro')}
      beside={
        <Badge variant="dot" color="green" tt="none">
          {t('live')}
        </Badge>
      }
    >
      <HistoryFilters accountId={accountId} filter={filter} onChange={show} />
      <ExecutionsTable
        accountId={accountId}
        filter={filter}
        empty={
          filtered ? (
            <EmptyState title={t('empty.filtered')} text={t('empty.filteredText')}>
              <Button variant="default" onClick={() => show({})}>
                {t('clear')}
              </Button>
            </EmptyState>
          ) : (
            <EmptyState title={t('empty.title')} text={t('empty.text')} />
          )
        }
      />
    </Page>
  )
}
