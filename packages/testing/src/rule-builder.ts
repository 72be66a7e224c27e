import type { RuleDefinition } from '@dwell/contracts/rule'

/** A rule that labels a conversation which stays pending for an hour, with whatever is said otherwise. */
export function ruleDefinition(overrides: Partial<RuleDefinition> = {}): RuleDefinition {
  return {
    name: 'pending for an hour',
    description: null,
    event_name: 'conversation_updated',
    conditions: [{ attribute_key: 'status', filter_operator: 'equal_to', values: ['pending'], query_operator: null }],
    actions: [{ action_name: 'add_label', action_params: ['waiting'] }],
    active: true,
    execution_delay: 60,
    ...overrides,
  }
}
