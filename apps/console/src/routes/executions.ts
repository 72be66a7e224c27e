import { pageOf, payloadOf } from '@dwell/contracts/rest/answers'
import {
  accountExecutionsQuery,
  type ExecutionsQuery,
  executionAnswer,
  executionsQuery,
} from '@dwell/contracts/rest/executions'
import { type ExecutionFilter, findExecution, listExecutions } from '@dwell/database/executions'
import { accountEndpoint, type Endpoint, idIn } from '../endpoint'
import { pageAnswer, readPage } from '../http/cursor'
import { ruleInPath } from './automation-rules'
import { viewExecution } from './execution-view'

const tag = 'Executions'

export const executionEndpoints: readonly Endpoint[] = [
  accountEndpoint({
    method: 'GET',
    path: '/accounts/{account_id}/automation_rules/{id}/executions',
    operation: 'listExecutionsOfRule',
    tag,
    summary: 'What a rule did and did not do, and why; the newest first.',
    query: executionsQuery,
    answer: { status: 200, description: 'A page of executions.', schema: pageOf(executionAnswer) },
    find: ruleInPath,
    handle: async ({ deps, account, found, query }) =>
      pageAnswer(
        await listExecutions(deps.pool, account.id, { ...filterOf(query), ruleId: found.id }, readPage(query)),
        viewExecution,
      ),
  }),
  accountEndpoint({
    method: 'GET',
    path: '/accounts/{account_id}/executions',
    operation: 'listExecutions',
    tag,
    summary: 'The executions of all rules of the account, immediate ones among them; the newest first.',
    query: accountExecutionsQuery,
    answer: { status: 200, description: 'A page of executions.', schema: pageOf(executionAnswer) },
    handle: async ({ deps, account, query }) => {
      const filter = { ...filterOf(query), ruleId: query.automation_rule_id }
      return pageAnswer(await listExecutions(deps.pool, account.id, filter, readPage(query)), viewExecution)
    },
  }),
  accountEndpoint({
    method: 'GET',
    path: '/accounts/{account_id}/executions/{id}',
    operation: 'getExecution',
    tag,
    summary: 'One execution with its reason, its guards and its deliveries.',
    answer: { status: 200, description: 'The execution.', schema: payloadOf(executionAnswer) },
    find: ({ deps, account, params }) => findExecution(deps.pool, account.id, idIn(params)),
    handle: async ({ found }) => ({ payload: viewExecution(found) }),
  }),
]

function filterOf(query: ExecutionsQuery): ExecutionFilter {
  return { status: query.status, skipReason: query.skip_reason, conversationId: query.conversation_id }
}
