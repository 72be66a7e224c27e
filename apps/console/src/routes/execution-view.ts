import { formatInstant, formatOptionalInstant } from '@dwell/contracts/instant'
import type { ExecutionAnswer } from '@dwell/contracts/rest/executions'
import type { Delivery, Execution } from '@dwell/database/executions'
import type { GuardStep } from '@dwell/domain/rules/guards'

/** A row as the API shows it, with everything that answers "why". */
export function viewExecution(execution: Execution): ExecutionAnswer {
  return {
    id: execution.id,
    account_id: execution.accountId,
    automation_rule_id: execution.ruleId,
    automation_rule_name: execution.ruleName,
    conversation_id: execution.conversationId,
    message_id: execution.messageId,
    due_at: formatInstant(execution.dueAt),
    episode_key: execution.episodeKey,
    status: execution.status,
    skip_reason: execution.skipReason,
    armed_at: formatInstant(execution.armedAt),
    claimed_at: formatOptionalInstant(execution.claimedAt),
    created_at: formatInstant(execution.createdAt),
    updated_at: formatInstant(execution.updatedAt),
    executed_at: formatOptionalInstant(execution.executedAt),
    finished_at: formatOptionalInstant(execution.finishedAt),
    guard_outcome: execution.guardOutcome?.map(viewGuard) ?? null,
    deliveries: execution.deliveries.map(viewDelivery),
  }
}

function viewGuard({ guard, passed, seen }: GuardStep) {
  return { guard, passed, ...(seen === undefined ? {} : { seen }) }
}

/** A delivery as the API shows it. */
export function viewDelivery(delivery: Delivery): ExecutionAnswer['deliveries'][number] {
  return {
    id: delivery.id,
    position: delivery.position,
    action_name: delivery.actionName,
    target: delivery.target,
    status: delivery.status,
    ...(delivery.error === null ? {} : { error: delivery.error }),
    attempts: delivery.attempts.map(({ at, outcome, error }) => ({
      at,
      outcome,
      ...(error === undefined ? {} : { error }),
    })),
    next_attempt_at: formatOptionalInstant(delivery.nextAttemptAt),
    delivered_at: formatOptionalInstant(delivery.deliveredAt),
  }
}
