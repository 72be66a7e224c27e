/** Body of a rule that labels what stays pending for an hour, with whatever is said otherwise. */
export function ruleBody(overrides: object = {}): object {
  return {
    name: 'R1',
    event_name: 'conversation_updated',
    conditions: [{ attribute_key: 'status', filter_operator: 'equal_to', values: ['pending'], query_operator: null }],
    actions: [{ action_name: 'add_label', action_params: ['stale-pending'] }],
    execution_delay: 60,
    ...overrides,
  }
}
