import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../../api/client'
import type { SchemaRule, SchemaRuleChange, SchemaRuleToCreate } from '../../generated/openapi'
import type { SavedRule } from './rule-draft'
import type { Definition } from './vocabulary'

export type Rule = SchemaRule

/** What became of a rule moves while somebody looks. */
const GLANCE_MS = 15_000
const PAGE = 500

const ofAccount = (accountId: number) => ({ path: { account_id: accountId } })
const ofRule = (accountId: number, id: number) => ({ path: { account_id: accountId, id } })

/** All rules of the account with their last 30 days, the newest first. */
export const rulesQuery = (accountId: number) =>
  queryOptions({
    queryKey: ['rules', accountId],
    queryFn: async ({ signal }): Promise<Rule[]> => {
      const rules: Rule[] = []
      let cursor: string | undefined
      do {
        const query = { include: 'health' as const, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }
        const page = await answerOf(
          api.GET('/accounts/{account_id}/automation_rules', { params: { ...ofAccount(accountId), query }, signal }),
        )
        rules.push(...page.payload)
        cursor = page.meta.next_cursor ?? undefined
      } while (cursor !== undefined)
      return rules
    },
    refetchInterval: GLANCE_MS,
  })

export const ruleQuery = (accountId: number, id: number) =>
  queryOptions({
    queryKey: ['rule', accountId, id],
    queryFn: async ({ signal }) =>
      (
        await answerOf(
          api.GET('/accounts/{account_id}/automation_rules/{id}', { params: ofRule(accountId, id), signal }),
        )
      ).payload,
  })

export const definitionsQuery = (accountId: number) =>
  queryOptions({
    queryKey: ['custom-attributes', accountId],
    queryFn: async ({ signal }): Promise<Definition[]> =>
      (
        await answerOf(
          api.GET('/accounts/{account_id}/custom_attribute_definitions', {
            params: { ...ofAccount(accountId), query: { limit: PAGE } },
            signal,
          }),
        )
      ).payload,
    staleTime: 10_000,
  })

// The contract's types are read-only, the client's are not.
export async function createRule(accountId: number, rule: SavedRule): Promise<Rule> {
  const body = rule as SchemaRuleToCreate
  const answer = api.POST('/accounts/{account_id}/automation_rules', { params: ofAccount(accountId), body })
  return (await answerOf(answer)).payload
}

/** Names only what changes. */
export async function changeRule(
  accountId: number,
  id: number,
  change: Partial<SavedRule> | { readonly active: boolean },
): Promise<Rule> {
  const answer = api.PATCH('/accounts/{account_id}/automation_rules/{id}', {
    params: ofRule(accountId, id),
    body: change as SchemaRuleChange,
  })
  return (await answerOf(answer)).payload
}

export async function copyRule(accountId: number, id: number): Promise<Rule> {
  const answer = api.POST('/accounts/{account_id}/automation_rules/{id}/clone', { params: ofRule(accountId, id) })
  return (await answerOf(answer)).payload
}

export async function deleteRule(accountId: number, id: number): Promise<void> {
  await answerOf(api.DELETE('/accounts/{account_id}/automation_rules/{id}', { params: ofRule(accountId, id) }))
}
