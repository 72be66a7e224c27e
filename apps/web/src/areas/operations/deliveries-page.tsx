import { Badge, Button, Select, Table, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { TextLink } from '../../components/link'
import { Page } from '../../components/page'
import { EmptyState, ErrorState, LoadingRows } from '../../components/states'
import { When } from '../../components/when'
import { DeliveryButtons } from '../history/delivery-list'
import { DELIVERY_COLOURS } from '../history/execution-status'
import { ruleNamesQuery } from '../history/queries'
import { ruleFormWords } from '../history/words'
import { LoadMore } from './load-more'
import classes from './operations.module.css'
import { type DeliveryFilter, deliveriesQuery, type TroubledDelivery } from './queries'
import { Sections } from './sections'

const FROM = '/signed-in/accounts/$accountId/operations/deliveries'

/** What failed for good or may have arrived: each waits for a person. */
export function DeliveriesPage() {
  const { t } = useTranslation('operations')
  const { accountId } = useParams({ from: FROM })
  const filter = useSearch({ from: FROM })
  const navigate = useNavigate()
  const query = useInfiniteQuery(deliveriesQuery(accountId, filter))
  const deliveries = query.data?.pages.flatMap(({ payload }) => payload)
  const filtered = filter.status !== undefined || filter.rule !== undefined
  const show = (search: DeliveryFilter) =>
    void navigate({ to: '/accounts/$accountId/operations/deliveries', params: { accountId }, search, replace: true })
  return (
    <Page title={t('sections.deliveries')} back={<Sections accountId={accountId} />} intro={t('deliveries.intro')}>
      <Filters accountId={accountId} filter={filter} onChange={show} />
      {deliveries === undefined ? (
        query.isError ? (
          <ErrorState error={query.error} title={t('deliveries.failed')} retry={query.refetch} />
        ) : (
          <LoadingRows rows={6} height={72} />
        )
      ) : deliveries.length === 0 ? (
        filtered ? (
          <EmptyState title={t('deliveries.filtered')}>
            <Button variant="default" onClick={() => show({})}>
              {t('clear')}
            </Button>
          </EmptyState>
        ) : (
          <EmptyState title={t('deliveries.empty')} text={t('deliveries.emptyText')} />
        )
      ) : (
        <>
          <DeliveryTable deliveries={deliveries} />
          <LoadMore query={query} />
        </>
      )}
    </Page>
  )
}

function Filters({
  accountId,
  filter,
  onChange,
}: {
  readonly accountId: number
  readonly filter: DeliveryFilter
  readonly onChange: (filter: DeliveryFilter) => void
}) {
  const { t } = useTranslation(['operations', 'history'])
  const { data: rules = [] } = useQuery(ruleNamesQuery(accountId))
  return (
    <div className={classes.filters}>
      <Select
        label={t('deliveries.status')}
        placeholder={t('deliveries.any')}
        clearable
        clearButtonProps={{ 'aria-label': t('clear') }}
        w={160}
        data={(['failed', 'unknown'] as const).map((value) => ({ value, label: t(`history:deliveries.${value}`) }))}
        value={filter.status ?? null}
        onChange={(value) =>
          onChange({ ...filter, status: value === 'failed' || value === 'unknown' ? value : undefined })
        }
        comboboxProps={{ withinPortal: false }}
      />
      <Select
        label={t('deliveries.rule')}
        placeholder={t('history:filters.anyRule')}
        clearable
        searchable
        clearButtonProps={{ 'aria-label': t('clear') }}
        w={260}
        data={rules.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={filter.rule === undefined ? null : String(filter.rule)}
        onChange={(value) => onChange({ ...filter, rule: value === null ? undefined : Number(value) })}
        comboboxProps={{ withinPortal: false }}
      />
    </div>
  )
}

function DeliveryTable({ deliveries }: { readonly deliveries: readonly TroubledDelivery[] }) {
  const { t } = useTranslation('operations')
  return (
    <section className={classes.scroller} aria-label={t('deliveries.caption')}>
      <Table className={classes.deliveries} verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={200}>{t('deliveries.action')}</Table.Th>
            <Table.Th w={124}>{t('deliveries.status')}</Table.Th>
            <Table.Th>{t('deliveries.why')}</Table.Th>
            <Table.Th w={180}>{t('deliveries.rule')}</Table.Th>
            <Table.Th w={130}>{t('deliveries.last')}</Table.Th>
            <Table.Th w={240}>{t('deliveries.decide')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} />
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}

function DeliveryRow({ delivery }: { readonly delivery: TroubledDelivery }) {
  const { t } = useTranslation(['operations', 'history'])
  const { t: ofForm } = useTranslation('rules')
  const { account_id: accountId, execution_id: executionId, conversation_id: conversationId, status } = delivery
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={500}>
          {ruleFormWords('actions.names', delivery.action_name, ofForm)}
        </Text>
        <Text size="sm" c="dimmed">
          {t(`history:deliveries.targets.${delivery.target}`)},{' '}
          {t('history:deliveries.attempts', { count: delivery.attempts.length })}
        </Text>
      </Table.Td>
      <Table.Td>
        <Badge color={DELIVERY_COLOURS[status]} variant="light" tt="none">
          {t(`history:deliveries.${status}`)}
        </Badge>
      </Table.Td>
      <Table.Td className={classes.words}>
        <Text size="sm">{delivery.error ?? '–'}</Text>
      </Table.Td>
      <Table.Td className={classes.words}>
        <Text size="sm">
          {delivery.automation_rule_name ?? t('history:ruleGone', { id: delivery.automation_rule_id })}
        </Text>
        <Text size="sm" component="div">
          <TextLink to="/accounts/$accountId/history/$executionId" params={{ accountId, executionId }} size="sm">
            {t('history:details.title', { id: executionId })}
          </TextLink>
          {' · '}
          <TextLink
            to="/accounts/$accountId/conversations/$conversationId"
            params={{ accountId, conversationId }}
            size="sm"
          >
            {t('history:conversation.title', { id: conversationId })}
          </TextLink>
        </Text>
      </Table.Td>
      <Table.Td>
        <When at={delivery.updated_at} />
      </Table.Td>
      <Table.Td>
        <DeliveryButtons accountId={accountId} executionId={executionId} delivery={delivery} />
        {delivery.attempts.length > 0 && !delivery.retryable && (
          <Text size="xs" c="dimmed">
            {t('deliveries.progress')}
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
