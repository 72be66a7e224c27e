import { formatInstant } from '@dwell/contracts/instant'
import { pageOf, payloadOf } from '@dwell/contracts/rest/answers'
import {
  createRuleBody,
  type RuleAnswer,
  type RuleHealthAnswer,
  ruleAnswer,
  ruleHealthOfOneAnswer,
  rulesQuery,
  updateRuleBody,
} from '@dwell/contracts/rest/automation-rules'
import type { Account } from '@dwell/database/accounts'
import {
  type AutomationRule,
  cloneRule,
  createRule,
  deleteRule,
  findRule,
  listRules,
  type RuleOutcome,
  updateRule,
} from '@dwell/database/automation-rules'
import { type RuleHealth, readRuleHealth } from '@dwell/database/rule-health'
import type { Dependencies } from '../dependencies'
import { accountEndpoint, type Endpoint, idIn } from '../endpoint'
import { checkedLater } from '../http/body'
import { pageAnswer, readPage } from '../http/cursor'
import { invalid, notFound } from '../http/problem'

const tag = 'Rules'

type Named = {
  readonly deps: Dependencies
  readonly account: Account
  readonly params: Readonly<Record<string, string>>
}

/** The rule that the path names; one of another account does not exist. */
export const ruleInPath = ({ deps, account, params }: Named) => findRule(deps.database, account.id, idIn(params))

export const automationRuleEndpoints: readonly Endpoint[] = [
  accountEndpoint({
    method: 'GET',
    path: '/accounts/{account_id}/automation_rules',
    operation: 'listRules',
    tag,
    summary: 'The rules of the account, the newest first.',
    query: rulesQuery,
    answer: { status: 200, description: 'A page of rules.', schema: pageOf(ruleAnswer) },
    handle: async ({ deps, account, query, change: { now } }) => {
      const page = await listRules(deps.database, account.id, readPage(query))
      if (query.include === undefined) return pageAnswer(page, viewRule)
      const ids = page.entries.map(({ id }) => id)
      const health = await readRuleHealth(deps.pool, account.id, ids, now)
      return pageAnswer(page, (rule) => {
        const counts = health.get(rule.id)
        return counts === undefined ? viewRule(rule) : { ...viewRule(rule), health: viewHealth(counts) }
      })
    },
  }),
  accountEndpoint({
    method: 'GET',
    path: '/accounts/{account_id}/automation_rules/{id}/health',
    operation: 'getRuleHealth',
    tag,
    summary: 'What became of the rows that a rule armed in the last 30 days, and whether it is broken.',
    answer: { status: 200, description: 'The counts.', schema: payloadOf(ruleHealthOfOneAnswer) },
    find: ruleInPath,
    handle: async ({ deps, account, found, change: { now } }) => {
      const counts = (await readRuleHealth(deps.pool, account.id, [found.id], now)).get(found.id)
      if (counts === undefined) throw notFound()
      const { broken, broken_reasons } = viewRule(found)
      return { payload: { automation_rule_id: found.id, broken, broken_reasons, ...viewHealth(counts) } }
    },
  }),
  accountEndpoint({
    method: 'POST',
    path: '/accounts/{account_id}/automation_rules',
    operation: 'createRule',
    tag,
    summary: 'Creates a rule. It holds from the next event on and does nothing for what waits already.',
    body: checkedLater(createRuleBody),
    answer: { status: 201, description: 'The rule.', schema: payloadOf(ruleAnswer) },
    handle: async ({ deps, account, body, change }) =>
      answerRule(await createRule(deps.database, account.id, body, change)),
  }),
  accountEndpoint({
    method: 'GET',
    path: '/accounts/{account_id}/automation_rules/{id}',
    operation: 'getRule',
    tag,
    summary: 'One rule, its conditions and actions exactly as saved.',
    answer: { status: 200, description: 'The rule.', schema: payloadOf(ruleAnswer) },
    find: ruleInPath,
    handle: async ({ found }) => ({ payload: viewRule(found) }),
  }),
  accountEndpoint({
    method: 'PATCH',
    path: '/accounts/{account_id}/automation_rules/{id}',
    operation: 'updateRule',
    tag,
    summary:
      'Changes what is given. Switched off, its waiting rows are skipped (rule_inactive); with the delay removed or ' +
      'another event, too (rule_changed); otherwise they stay and the current definition is judged.',
    body: checkedLater(updateRuleBody),
    answer: { status: 200, description: 'The rule as it is now.', schema: payloadOf(ruleAnswer) },
    find: ruleInPath,
    handle: async ({ deps, account, found, body, change }) =>
      answerRule(await updateRule(deps.database, account.id, found.id, body, change)),
  }),
  accountEndpoint({
    method: 'DELETE',
    path: '/accounts/{account_id}/automation_rules/{id}',
    operation: 'deleteRule',
    tag,
    summary: 'Deletes a rule and what waits on it; what has ended stays to be read.',
    answer: { status: 204, description: 'It is gone.' },
    find: ruleInPath,
    handle: async ({ deps, account, found, change }) => {
      if (!(await deleteRule(deps.database, account.id, found.id, change))) throw notFound()
      return undefined
    },
  }),
  accountEndpoint({
    method: 'POST',
    path: '/accounts/{account_id}/automation_rules/{id}/clone',
    operation: 'cloneRule',
    tag,
    summary: 'The same rule once more, without any row. A delayed one is refused while the feature is off.',
    answer: { status: 201, description: 'The new rule.', schema: payloadOf(ruleAnswer) },
    problems: { 422: 'The rule has a delay and the feature is off.' },
    find: ruleInPath,
    handle: async ({ deps, account, found, change }) =>
      answerRule(await cloneRule(deps.database, account.id, found.id, change)),
  }),
]

function answerRule(outcome: RuleOutcome): { payload: RuleAnswer } {
  if (outcome === null) throw notFound()
  if ('faults' in outcome) throw invalid(outcome.faults)
  return { payload: viewRule(outcome.rule) }
}

function viewHealth(health: RuleHealth): RuleHealthAnswer {
  return {
    since: formatInstant(health.since),
    armed: health.armed,
    waiting: health.waiting,
    executed: health.executed,
    skipped: health.skipped,
    skipped_by_reason: health.skippedBy,
    deliveries_failed: health.deliveriesFailed,
    deliveries_unknown: health.deliveriesUnknown,
  }
}

function viewRule(rule: AutomationRule): RuleAnswer {
  return {
    id: rule.id,
    account_id: rule.accountId,
    name: rule.name,
    description: rule.description,
    event_name: rule.event_name,
    conditions: rule.conditions as RuleAnswer['conditions'],
    actions: rule.actions as unknown as RuleAnswer['actions'],
    active: rule.active,
    execution_delay: rule.execution_delay,
    created_at: formatInstant(rule.createdAt),
    updated_at: formatInstant(rule.updatedAt),
    broken: rule.broken.length > 0,
    broken_reasons: rule.broken.map(({ pointer, message }) => ({ pointer, message })),
  }
}
