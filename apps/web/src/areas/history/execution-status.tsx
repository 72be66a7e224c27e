import { Badge, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from './history.module.css'
import type { Delivery, Execution } from './queries'

const COLOURS = { pending: 'indigo', processing: 'violet', executed: 'green', skipped: 'gray' } as const

/** The state of an execution, and why it was skipped. */
export function ExecutionStatus({ execution }: { readonly execution: Pick<Execution, 'status' | 'skip_reason'> }) {
  const { t } = useTranslation('history')
  const { status, skip_reason: reason } = execution
  return (
    <Group gap="2px 8px">
      <Badge color={COLOURS[status]} variant="light" miw={84} className={classes.badge}>
        {t(`statuses.${status}`)}
      </Badge>
      {reason !== null && <Text size="sm">{t(`reasons.${reason}`)}</Text>}
    </Group>
  )
}

export const DELIVERY_COLOURS = {
  pending: 'indigo',
  delivered: 'green',
  failed: 'red',
  unknown: 'orange',
  dismissed: 'gray',
} as const

const ORDER = ['failed', 'unknown', 'pending', 'delivered', 'dismissed'] as const

/** How many deliveries are in which state; what needs somebody first. */
export function DeliveryCounts({ deliveries }: { readonly deliveries: readonly Pick<Delivery, 'status'>[] }) {
  const { t } = useTranslation('history')
  if (deliveries.length === 0) return <>–</>
  return (
    <Group gap={4}>
      {ORDER.map((status) => {
        const count = deliveries.filter((delivery) => delivery.status === status).length
        return count === 0 ? null : (
          <Badge key={status} color={DELIVERY_COLOURS[status]} variant="light" tt="none">
            {count} {t(`deliveries.${status}`)}
          </Badge>
        )
      })}
    </Group>
  )
}
