import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../../api/client'
import type { SchemaDelivery, SchemaExecution, SchemaWhy } from '../../generated/openapi'

export type Execution = SchemaExecution
export type Delivery = SchemaDelivery
export type Why = SchemaWhy

export interface ExecutionFilter {
  readonly status?: Execution['status'] | undefined
  readonly reason?: NonNullable<Execution['skip_reason']> | undefined
  readonly rule?: number | undefined
  readonly conversation?: number | undefined
}

/** Where somebody looked at a list of executions: of one rule, of one conversation, else of the account. */
export interface CameFrom extends ExecutionFilter {
  readonly from?: 'rule' | 'conversation' | undefined
}

const PAGE = 50
/** While somebody looks: histories are alive, a page of details nearly so. */
const LIVE_MS = 3_000

/** Newest first; further pages by their cursor. */
export const executionsQuery = (accountId: number, filter: ExecutionFilter) =>
  infiniteQueryOptions({
    queryKey: ['executions', accountId, filter],
    queryFn: async ({ pageParam, signal }) =>
      answerOf(
        api.GET('/accounts/{account_id}/executions', {
          params: {
            path: { account_id: accountId },
            query: {
              limit: PAGE,
              cursor: pageParam,
              status: filter.status,
              skip_reason: filter.reason,
              automation_rule_id: filter.rule,
              conversation_id: filter.conversation,
            },
          },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.meta.next_cursor ?? undefined,
    refetchInterval: LIVE_MS,
  })

export const executionQuery = (accountId: number, id: number) =>
  queryOptions({
    queryKey: ['execution', accountId, id],
    queryFn: async ({ signal }) =>
      (
        await answerOf(
          api.GET('/accounts/{account_id}/executions/{id}', {
            params: { path: { account_id: accountId, id } },
            signal,
          }),
        )
      ).payload,
    refetchInterval: LIVE_MS,
  })

export const conversationQuery = (accountId: number, id: number) =>
  queryOptions({
    queryKey: ['conversation', accountId, id],
    queryFn: async ({ signal }) =>
      (
        await answerOf(
          api.GET('/accounts/{account_id}/conversations/{id}', {
            params: { path: { account_id: accountId, id } },
            signal,
          }),
        )
      ).payload,
    refetchInterval: LIVE_MS,
  })

/** Why a rule acts, or does not, on a conversation as things are now. */
export const whyQuery = (accountId: number, ruleId: number, conversationId: number) =>
  queryOptions({
    queryKey: ['why', accountId, ruleId, conversationId],
    queryFn: async ({ signal }) =>
      (
        await answerOf(
          api.GET('/accounts/{account_id}/automation_rules/{id}/why', {
            params: { path: { account_id: accountId, id: ruleId }, query: { conversation_id: conversationId } },
            signal,
          }),
        )
      ).payload,
    refetchInterval: LIVE_MS,
  })

/** Names of the rules, for choices; the newest 500. */
export const ruleNamesQuery = (accountId: number) =>
  queryOptions({
    queryKey: ['rule-names', accountId],
    queryFn: async ({ signal }) => {
      const { payload } = await answerOf(
        api.GET('/accounts/{account_id}/automation_rules', {
          params: { path: { account_id: accountId }, query: { limit: 500 } },
          signal,
        }),
      )
      return payload.map(({ id, name }) => ({ id, name }))
    },
    staleTime: 10_000,
  })

/** Runs a row that waits or hangs, or sends (or closes) the deliveries that need somebody. */
export async function replay(
  accountId: number,
  id: number,
  body: { readonly action?: 'retry' | 'dismiss'; readonly deliveries?: string[]; readonly note?: string },
): Promise<void> {
  await answerOf(
    api.POST('/accounts/{account_id}/executions/{id}/replay', {
      params: { path: { account_id: accountId, id } },
      body,
    }),
  )
}
