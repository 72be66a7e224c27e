import type { DeadLetterError } from '@dwell/contracts/dead-letter'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../../api/client'
import type {
  SchemaAuditLog,
  SchemaDeadEvent,
  SchemaDeliveryOfAccount,
  SchemaInstallationConfig,
  SchemaQueue,
  SchemaSweep,
} from '../../generated/openapi'

export type Sweep = SchemaSweep
export type Queue = SchemaQueue
export type DeadEvent = SchemaDeadEvent
export type TroubledDelivery = SchemaDeliveryOfAccount
export type InstallationConfig = SchemaInstallationConfig
export type AuditLog = SchemaAuditLog

const PAGE = 50
const LIVE_MS = 4_000

const nextCursor = (page: { readonly meta: { readonly next_cursor: string | null } }) =>
  page.meta.next_cursor ?? undefined
const FIRST = undefined as string | undefined

export const sweepsQuery = infiniteQueryOptions({
  queryKey: ['sweeps'],
  queryFn: ({ pageParam, signal }) =>
    answerOf(api.GET('/sweeps', { params: { query: { limit: PAGE, cursor: pageParam } }, signal })),
  initialPageParam: FIRST,
  getNextPageParam: nextCursor,
  refetchInterval: LIVE_MS,
})

export const queuesQuery = queryOptions({
  queryKey: ['queues'],
  queryFn: async ({ signal }) => (await answerOf(api.GET('/queues', { signal }))).payload,
  refetchInterval: LIVE_MS,
})

export const configsQuery = queryOptions({
  queryKey: ['installation-configs'],
  queryFn: async ({ signal }) => (await answerOf(api.GET('/installation_configs', { signal }))).payload,
  refetchInterval: LIVE_MS,
})

export async function putConfig(name: InstallationConfig['name'], value: InstallationConfig['value']): Promise<void> {
  await answerOf(api.PUT('/installation_configs/{name}', { params: { path: { name } }, body: { value } }))
}

export async function runSweep() {
  return (await answerOf(api.POST('/sweeps', { body: {} }))).payload
}

export const deadEventsQuery = (error: DeadLetterError | undefined) =>
  infiniteQueryOptions({
    queryKey: ['dead-events', error ?? null],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/dead_events', {
          params: { query: { limit: PAGE, cursor: pageParam, error } },
          signal,
        }),
      ),
    initialPageParam: FIRST,
    getNextPageParam: nextCursor,
    refetchInterval: LIVE_MS,
  })

/** Whole, where the list shows only its beginning. */
export const deadEventQuery = (entry: string) =>
  queryOptions({
    queryKey: ['dead-event', entry],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET('/dead_events/{entry}', { params: { path: { entry } }, signal }))).payload,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Puts it on the inbound stream again; `event` instead of what was received. */
export async function publishDeadEvent(
  entry: string,
  body: { readonly event?: string; readonly note?: string },
): Promise<void> {
  await answerOf(api.POST('/dead_events/{entry}/publish', { params: { path: { entry } }, body }))
}

export async function deleteDeadEvent(entry: string): Promise<void> {
  await answerOf(api.DELETE('/dead_events/{entry}', { params: { path: { entry } } }))
}

export interface DeliveryFilter {
  readonly status?: 'failed' | 'unknown' | undefined
  readonly rule?: number | undefined
}

export const deliveriesQuery = (accountId: number, { status, rule }: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', accountId, { status, rule }],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/accounts/{account_id}/deliveries', {
          params: {
            path: { account_id: accountId },
            query: { limit: PAGE, cursor: pageParam, status, automation_rule_id: rule },
          },
          signal,
        }),
      ),
    initialPageParam: FIRST,
    getNextPageParam: nextCursor,
    refetchInterval: LIVE_MS,
  })

export interface AuditFilter {
  readonly action?: string | undefined
  readonly actor?: string | undefined
  readonly subject?: string | undefined
  /** Days of the browser's zone, both inclusive. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Of one account, or with null of the whole installation. */
export const auditLogQuery = (accountId: number | null, filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit-log', accountId, filter],
    queryFn: ({ pageParam, signal }) => {
      const { action, actor, subject, since, until } = filter
      const query = {
        limit: PAGE,
        cursor: pageParam,
        action,
        actor,
        subject,
        since: since === undefined ? undefined : startOf(since, 0),
        until: until === undefined ? undefined : startOf(until, 1),
      }
      return answerOf(
        accountId === null
          ? api.GET('/audit_logs', { params: { query }, signal })
          : api.GET('/accounts/{account_id}/audit_logs', {
              params: { path: { account_id: accountId }, query },
              signal,
            }),
      )
    },
    initialPageParam: FIRST,
    getNextPageParam: nextCursor,
    refetchInterval: 2 * LIVE_MS,
  })

/** The first instant of a day of the browser's zone, or of a day later. */
function startOf(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later).toISOString()
}
