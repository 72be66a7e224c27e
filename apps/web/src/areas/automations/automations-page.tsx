import './texts'
import { Skeleton, Table, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { answerOf, api } from '../../api/client'
import { useRights } from '../../api/session'
import { ButtonLink, TextLink } from '../../components/link'
import { Page } from '../../components/page'
import { EmptyState, ErrorState } from '../../components/states'
import { When } from '../../components/when'
import type { AutomationSummary } from './automation-queries'
import classes from './automations-page.module.css'
import { StatusBadge } from './status-badge'

const EVERY_MS = 10_000
const SKELETON_ROWS = 2

const automationsQuery = (accountId: number) =>
  queryOptions({
    queryKey: ['account', accountId, 'automations'] as const,
    queryFn: async ({ signal }) => {
      const params = { path: { account_id: accountId } }
      return (await answerOf(api.GET('/accounts/{account_id}/automations', { params, signal }))).automations
    },
    refetchInterval: EVERY_MS,
  })

const route = getRouteApi('/signed-in/accounts/$accountId/automations')

/** All automations of the account, and how many members are in them. */
export function AutomationsPage() {
  const { t } = useTranslation(['automations', 'shell'])
  const { accountId } = route.useParams()
  const { mayChange } = useRights()
  const { data, error, refetch } = useQuery(automationsQuery(accountId))
  const add = mayChange && (
    <ButtonLink to="/accounts/$accountId/automations/new" params={{ accountId }}>
      {t('list.add')}
    </ButtonLink>
  )
  return (
    <Page title={t('shell:areas.automations')} intro={t('list.intro')} actions={add || undefined}>
      {data === undefined && error !== null ? (
        <ErrorState error={error} title={t('list.failed')} retry={refetch} />
      ) : data?.length === 0 ? (
        <EmptyState title={t('list.none')} text={t('list.noneText')}>
          {add}
        </EmptyState>
      ) : (
        <Automations accountId={accountId} automations={data} />
      )}
    </Page>
  )
}

interface Props {
  readonly accountId: number
  /** Undefined while they are loaded. */
  readonly automations: readonly AutomationSummary[] | undefined
}

function Automations({ accountId, automations }: Props) {
  const { t } = useTranslation(['automations', 'shell'])
  const unknown = automations?.some(({ stats }) => stats === undefined) ?? false
  return (
    <>
      {unknown && (
        <Text c="dimmed" size="sm" mb="xs" role="status">
          {t('list.noStats')}
        </Text>
      )}
      <section className={classes.scroller} aria-label={t('shell:areas.automations')}>
        <Table
          className={classes.table}
          verticalSpacing="sm"
          horizontalSpacing="md"
          aria-busy={automations === undefined}
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th className={classes.name}>{t('list.name')}</Table.Th>
              <Table.Th>{t('list.lastEntry')}</Table.Th>
              <Table.Th className={classes.number}>{t('list.total')}</Table.Th>
              <Table.Th className={classes.number}>{t('list.inProgress')}</Table.Th>
              <Table.Th>{t('list.status')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {automations === undefined
              ? Array.from({ length: SKELETON_ROWS }, (_, row) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: they have nothing else, and never change places.
                  <Table.Tr key={row}>
                    <Table.Td colSpan={5}>
                      <Skeleton height={44} />
                    </Table.Td>
                  </Table.Tr>
                ))
              : automations.map((automation) => (
                  <AutomationRow key={automation.id} accountId={accountId} automation={automation} />
                ))}
          </Table.Tbody>
        </Table>
      </section>
    </>
  )
}

function AutomationRow({
  accountId,
  automation,
}: {
  readonly accountId: number
  readonly automation: AutomationSummary
}) {
  const { t } = useTranslation('automations')
  const { id, name, description, status, stats } = automation
  const lastEntry = stats?.last_run_created_at
  return (
    <Table.Tr>
      <Table.Td className={classes.name}>
        <TextLink to="/accounts/$accountId/automations/$automationId" params={{ accountId, automationId: id }} fw={600}>
          {name}
        </TextLink>
        {description !== '' && (
          <Text size="sm" c="dimmed" lineClamp={1}>
            {description}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{lastEntry === null ? t('list.never') : <When at={lastEntry} />}</Table.Td>
      <Table.Td className={classes.number}>{stats?.total_run_count.toLocaleString() ?? '–'}</Table.Td>
      <Table.Td className={classes.number}>{stats?.in_progress_run_count.toLocaleString() ?? '–'}</Table.Td>
      <Table.Td>
        <StatusBadge status={status} />
      </Table.Td>
    </Table.Tr>
  )
}
