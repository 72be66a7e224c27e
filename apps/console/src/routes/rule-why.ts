import { formatInstant, formatOptionalInstant } from '@dwell/contracts/instant'
import { payloadOf } from '@dwell/contracts/rest/answers'
import { type WhyAnswer, whyAnswer, whyQuery } from '@dwell/contracts/rest/rule-why'
import { readWhyFacts } from '@dwell/database/why-facts'
import { explainWhy } from '@dwell/domain/rules/why'
import { accountEndpoint, type Endpoint } from '../endpoint'
import { ruleInPath } from './automation-rules'
import { viewExecution } from './execution-view'

export const ruleWhyEndpoints: readonly Endpoint[] = [
  accountEndpoint({
    method: 'GET',
    path: '/accounts/{account_id}/automation_rules/{id}/why',
    operation: 'explainRule',
    tag: 'Rules',
    summary:
      'Why a rule did not, or would, act on a conversation: every guard and condition as it is now, with what it saw. ' +
      'Changes nothing.',
    query: whyQuery,
    answer: { status: 200, description: 'The answer.', schema: payloadOf(whyAnswer) },
    find: ruleInPath,
    handle: async ({ deps, account, found, query, change: { now } }) => {
      const asked = { accountId: account.id, ruleId: found.id, conversationId: query.conversation_id }
      const facts = await readWhyFacts(deps.pool, { ...asked, messageId: query.message_id ?? null })
      const why = explainWhy({
        ...asked,
        rows: facts.rows,
        messageAsked: query.message_id !== undefined,
        killSwitch: facts.configs.DISABLE_DELAYED_AUTOMATIONS,
        whenDisabled: facts.configs.DELAYED_AUTOMATIONS_WHEN_DISABLED,
        rule: facts.book?.rules.find(({ id }) => id === found.id) ?? null,
        delayedAutomations: facts.book?.delayedAutomations ?? false,
        timeZone: facts.book?.timeZone ?? 'UTC',
        conversation: facts.known?.conversation ?? null,
        contact: facts.known?.contact ?? null,
        message: facts.message,
        now,
      })
      const payload: WhyAnswer = {
        automation_rule_id: found.id,
        conversation_id: query.conversation_id,
        message_id: query.message_id ?? facts.message?.id ?? null,
        judged_at: formatInstant(now),
        outcome: why.outcome,
        sentence: why.sentence,
        execution_id: why.judged,
        steps: why.steps.map(({ guard, passed, detail, seen }) => ({ step: guard, passed, detail, seen: { ...seen } })),
        conditions: why.conditions.map((condition) => ({ ...condition })),
        episode: {
          key: why.episode.key,
          clock_starts_at: formatOptionalInstant(why.episode.clockStartsAt),
          due_at: formatOptionalInstant(why.episode.dueAt),
        },
        executions: facts.executions.map(viewExecution),
      }
      return { payload }
    },
  }),
]
