import type { RunStatus } from '@dwell/contracts/automations'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../../api/client'
import { isProblem, Problem } from '../../api/problem'
import type { components } from '../../generated/openapi'
import { browserZone, type DateRange } from './performance/date-range'

export type Automation = components['schemas']['Automation']
export type AutomationSummary = components['schemas']['AutomationSummary']
export type Run = components['schemas']['AutomationRun']

/** One thing comes wrapped in a list of one. */
function only<T>(list: readonly T[]): T {
  const [one] = list
  if (one === undefined) throw new Problem(0, 'empty_answer', 'The server answered nothing.')
  return one
}

export interface AutomationAddress {
  readonly accountId: number
  readonly automationId: string
}

const keyOf = ({ accountId, automationId }: AutomationAddress) =>
  ['account', accountId, 'automation', automationId] as const
const pathOf = ({ accountId, automationId }: AutomationAddress) => ({ account_id: accountId, id: automationId })

/** Never read again behind somebody's back: what is being edited must not change under their hands. */
export const automationQuery = (address: AutomationAddress) =>
  queryOptions({
    queryKey: [...keyOf(address), 'saved'] as const,
    queryFn: async ({ signal }) => {
      const params = { path: pathOf(address) }
      return only((await answerOf(api.GET('/accounts/{account_id}/automations/{id}', { params, signal }))).automations)
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
    gcTime: 0,
  })

/** Asked once for a page: closing, reopening, focus and a connection that returns change nothing; leaving forgets it. */
const ONCE = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const

const datesOf = (range: DateRange) => ({
  timezone: browserZone(),
  ...(range === null ? {} : { date_from: range.from, date_to: range.to }),
})

export const performanceQuery = (address: AutomationAddress, range: DateRange) =>
  queryOptions({
    ...ONCE,
    queryKey: [...keyOf(address), 'performance', range] as const,
    queryFn: async ({ signal }) => {
      const params = { path: pathOf(address), query: datesOf(range) }
      const answer = answerOf(api.GET('/accounts/{account_id}/automations/{id}/performance-stats', { params, signal }))
      return only((await answer).automation_performance_stats)
    },
  })

export interface RunFilter {
  readonly range: DateRange
  readonly status: RunStatus | undefined
  readonly order: 'asc' | undefined
  /** With it, range and status do not count. */
  readonly search: string | undefined
}

/** Rows of another status or order stay until the new ones are there; those of other days or of a search do not. */
export const runsQuery = (address: AutomationAddress, filter: RunFilter) => {
  const { range, status, order, search } = filter
  const cohort = JSON.stringify([address, search ?? null, search === undefined ? range : null])
  return infiniteQueryOptions({
    ...ONCE,
    queryKey: [
      ...keyOf(address),
      'runs',
      cohort,
      search === undefined ? (status ?? null) : null,
      order ?? 'desc',
    ] as const,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const scope = search === undefined ? { ...datesOf(range), status } : { search }
      const query = { ...scope, order: `created_at ${order ?? 'desc'}` as const, cursor: pageParam }
      const params = { path: pathOf(address), query }
      return answerOf(api.GET('/accounts/{account_id}/automations/{id}/runs', { params, signal }))
    },
    getNextPageParam: ({ meta }) => meta.pagination.next_cursor ?? undefined,
    placeholderData: (previous, query) => (query?.queryKey[5] === cohort ? keepPreviousData(previous) : undefined),
  })
}

export const runHistoryQuery = (address: AutomationAddress, runId: string) =>
  queryOptions({
    queryKey: [...keyOf(address), 'run', runId] as const,
    queryFn: async ({ signal }) => {
      const params = { path: { ...pathOf(address), run_id: runId } }
      const answer = answerOf(api.GET('/accounts/{account_id}/automations/{id}/runs/{run_id}', { params, signal }))
      return only((await answer).automation_run_history)
    },
    refetchInterval: 10_000,
    retry: (failures, error) => failures < 2 && !isProblem(error, 404),
  })
