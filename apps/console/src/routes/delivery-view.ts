import type { Micros } from '@dwell/contracts/instant'
import { formatInstant } from '@dwell/contracts/instant'
import type { DeliveryOfAccountAnswer } from '@dwell/contracts/rest/deliveries'
import type { DeliveryOfAccount } from '@dwell/database/deliveries/troubled'
import { undecidable } from '@dwell/database/replay-deliveries'
import { viewDelivery } from './execution-view'

/** A delivery with what it belongs to, and whether it can be retried at `now`. */
export function viewDeliveryOfAccount(delivery: DeliveryOfAccount, now: Micros): DeliveryOfAccountAnswer {
  return {
    ...viewDelivery(delivery),
    account_id: delivery.accountId,
    execution_id: delivery.executionId,
    automation_rule_id: delivery.ruleId,
    automation_rule_name: delivery.ruleName,
    conversation_id: delivery.conversationId,
    created_at: formatInstant(delivery.createdAt),
    updated_at: formatInstant(delivery.updatedAt),
    retryable: undecidable(delivery, 'retry', now) === null,
  }
}
