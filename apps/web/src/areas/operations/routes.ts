import { DEAD_LETTER_ERRORS, type DeadLetterError } from '@dwell/contracts/dead-letter'
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { accountRoute, signedInRoute } from '../../app/account-route'
import { dayParam, idParam, oneOf, textParam } from '../../app/search-params'
import type { AuditFilter, DeliveryFilter } from './queries'

const auditSearch = (search: Record<string, unknown>): AuditFilter => ({
  action: textParam(search.action),
  actor: textParam(search.actor),
  subject: textParam(search.subject),
  since: dayParam(search.since),
  until: dayParam(search.until),
})

/** Of the whole installation. Whoever has a token of an account finds there what belongs to it. */
const installationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  id: 'installation',
  beforeLoad: ({ context: { session } }) => {
    if (session.account_id === null) return
    throw redirect({
      to: '/accounts/$accountId/operations/deliveries',
      params: { accountId: session.account_id },
      replace: true,
    })
  },
})

const sweepsRoute = createRoute({
  getParentRoute: () => installationRoute,
  path: 'operations',
  component: lazyRouteComponent(() => import('./sweeps-page'), 'SweepsPage'),
})

const queuesRoute = createRoute({
  getParentRoute: () => installationRoute,
  path: 'operations/queues',
  component: lazyRouteComponent(() => import('./queues-page'), 'QueuesPage'),
})

const deadEventsRoute = createRoute({
  getParentRoute: () => installationRoute,
  path: 'operations/dead-events',
  validateSearch: (search: Record<string, unknown>): { error?: DeadLetterError } => ({
    error: oneOf(search.error, DEAD_LETTER_ERRORS),
  }),
  component: lazyRouteComponent(() => import('./dead-events-page'), 'DeadEventsPage'),
})

const limitsRoute = createRoute({
  getParentRoute: () => installationRoute,
  path: 'operations/limits',
  component: lazyRouteComponent(() => import('./limits-page'), 'LimitsPage'),
})

const auditRoute = createRoute({
  getParentRoute: () => installationRoute,
  path: 'operations/audit-log',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./audit-page'), 'AuditPage'),
})

export const operationsRoutes = [
  installationRoute.addChildren([sweepsRoute, queuesRoute, deadEventsRoute, limitsRoute, auditRoute]),
] as const

const deliveriesRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'operations/deliveries',
  validateSearch: (search: Record<string, unknown>): DeliveryFilter => ({
    status: oneOf(search.status, ['failed', 'unknown'] as const),
    rule: idParam(search.rule),
  }),
  component: lazyRouteComponent(() => import('./deliveries-page'), 'DeliveriesPage'),
})

const accountAuditRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'operations/audit-log',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./audit-page'), 'AccountAuditPage'),
})

/** Of one account. */
export const accountOperationsRoutes = [deliveriesRoute, accountAuditRoute] as const
