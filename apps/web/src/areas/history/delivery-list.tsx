import { Badge, Button, Group, Stack, Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useRights } from '../../api/session'
import stacked from '../../components/stacked.module.css'
import { When } from '../../components/when'
import { DELIVERY_COLOURS } from './execution-status'
import classes from './history.module.css'
import type { Delivery } from './queries'
import { useDeliveryDecision } from './use-delivery-decision'
import { ruleFormWords } from './words'

/** The deliveries of an execution with every attempt; those that need somebody can be sent again or closed. */
export function DeliveryList({
  accountId,
  executionId,
  deliveries,
}: {
  readonly accountId: number
  readonly executionId: number
  readonly deliveries: readonly Delivery[]
}) {
  const { t } = useTranslation('history')
  if (deliveries.length === 0) return <Text c="dimmed">{t('deliveries.none')}</Text>
  return (
    <Stack gap="sm" component="ol" p={0} m={0} className={classes.steps}>
      {deliveries.map((delivery) => (
        <li key={delivery.id} className={classes.card}>
          <DeliveryItem accountId={accountId} executionId={executionId} delivery={delivery} />
        </li>
      ))}
    </Stack>
  )
}

function DeliveryItem({
  accountId,
  executionId,
  delivery,
}: {
  readonly accountId: number
  readonly executionId: number
  readonly delivery: Delivery
}) {
  const { t } = useTranslation('history')
  const { t: ofForm } = useTranslation('rules')
  const { status, attempts } = delivery
  const troubled = status === 'failed' || status === 'unknown'
  return (
    <Stack gap="xs">
      <Group justify="space-between" wrap="wrap">
        <Group gap="xs">
          <Text fw={500}>{ruleFormWords('actions.names', delivery.action_name, ofForm)}</Text>
          <Text size="sm" c="dimmed">
            {t(`deliveries.targets.${delivery.target}`)}
          </Text>
        </Group>
        <Badge color={DELIVERY_COLOURS[status]} variant="light" tt="none">
          {t(`deliveries.${status}`)}
        </Badge>
      </Group>
      {delivery.error !== undefined && delivery.error !== attempts.at(-1)?.error && (
        <Text size="sm">{delivery.error}</Text>
      )}
      {troubled && attempts.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('deliveries.refused')}
        </Text>
      )}
      {delivery.next_attempt_at !== null && (
        <Text size="sm" c="dimmed">
          {t('deliveries.next')} <When at={delivery.next_attempt_at} as="both" />
        </Text>
      )}
      {attempts.length > 0 && <Attempts delivery={delivery} />}
      {troubled && <DeliveryButtons accountId={accountId} executionId={executionId} delivery={delivery} />}
    </Stack>
  )
}

function Attempts({ delivery: { attempts } }: { readonly delivery: Delivery }) {
  const { t } = useTranslation('history')
  return (
    <Table
      withRowBorders={false}
      verticalSpacing={2}
      horizontalSpacing={0}
      fz="sm"
      className={`${stacked.stacked} ${classes.attempts}`}
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={90}>{t('deliveries.attempt')}</Table.Th>
          <Table.Th w={230}>{t('deliveries.when')}</Table.Th>
          <Table.Th>{t('deliveries.outcome')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {attempts.map(({ at, outcome, error }, index) => (
          <Table.Tr key={`${at} ${outcome}`}>
            <Table.Td data-label={t('deliveries.attempt')}>{index + 1}</Table.Td>
            <Table.Td data-label={t('deliveries.when')}>
              <When at={at} as="absolute" />
            </Table.Td>
            <Table.Td data-label={t('deliveries.outcome')}>
              {t(`deliveries.${outcome}`)}
              {error === undefined ? '' : `: ${error}`}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

/** What a person decides about a delivery that failed or whose outcome is unknown. */
export function DeliveryButtons({
  accountId,
  executionId,
  delivery,
}: {
  readonly accountId: number
  readonly executionId: number
  readonly delivery: Pick<Delivery, 'id' | 'status' | 'action_name' | 'attempts'>
}) {
  const { t } = useTranslation('history')
  const { mayChange } = useRights()
  const { decide, pending } = useDeliveryDecision(accountId, executionId, delivery)
  if (!mayChange) return null
  return (
    <Group gap="xs">
      {delivery.attempts.length > 0 && (
        <Button size="xs" variant="light" loading={pending} onClick={() => void decide('retry')}>
          {t('deliveries.retry')}
        </Button>
      )}
      <Button size="xs" variant="default" disabled={pending} onClick={() => void decide('dismiss')}>
        {t('deliveries.dismiss')}
      </Button>
    </Group>
  )
}
