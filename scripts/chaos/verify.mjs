// What stands in the product afterwards, against what must stand there.

/**
 * @param {{rows: string[], actions: string[]}} model
 * @param {{rows: {conversation_id: number, automation_rule_id: number, status: string, skip_reason: string | null}[], actions: {id: string, execution_id: number, position: number, conversation_id: number, automation_rule_id: number, action_name: string, action_params: unknown[]}[]}} found
 * @param {{ruleNames: Map<number, string>, ordered: boolean}} options `ordered`: events of a conversation were taken in
 *   order. With several ingest processes a late event may find its wait already over, and then leaves no row at all
 *   where it would have left a skipped one.
 */
export function verify(model, found, { ruleNames, ordered }) {
  const rows = found.rows.map(({ conversation_id, automation_rule_id, status, skip_reason }) =>
    [conversation_id, ruleNames.get(automation_rule_id), status, ...(skip_reason ? [skip_reason] : [])].join(' '),
  )
  const actions = found.actions.map(({ conversation_id, automation_rule_id, action_name, action_params }) =>
    [conversation_id, ruleNames.get(automation_rule_id), action_name, action_params.join()].join(' '),
  )
  const rowDifference = difference(model.rows, rows)
  const missingRows = ordered
    ? rowDifference.missing
    : rowDifference.missing.filter((row) => !row.includes(' skipped '))
  const actionDifference = difference(model.actions, actions)
  const ids = found.actions.map(({ id }) => id)
  const problems = [
    ...found.rows
      .filter(({ status }) => status !== 'executed' && status !== 'skipped')
      .map((row) => `row not terminal: ${JSON.stringify(row)}`),
    ...missingRows.map((row) => `row missing: ${row}`),
    ...rowDifference.surplus.map((row) => `row too many: ${row}`),
    ...actionDifference.missing.map((action) => `action missing: ${action}`),
    ...actionDifference.surplus.map((action) => `action too many: ${action}`),
    ...difference([...new Set(ids)], ids).surplus.map((id) => `action id on the stream twice: ${id}`),
    ...outOfOrder(found.actions).map(({ id }) => `action before one that the rule has before it: ${id}`),
  ]
  return { problems, counts: countsOf(model.rows, rows, model.actions, actions, ordered) }
}

/** Actions leave in the rule's order, execution by execution. */
function outOfOrder(actions) {
  const positions = new Map()
  return actions.filter(({ execution_id, position }) => {
    const last = positions.get(execution_id) ?? -1
    positions.set(execution_id, Math.max(last, position))
    return position < last
  })
}

/** Lines of a table: kind, expected, got. */
function countsOf(expectedRows, rows, expectedActions, actions, ordered) {
  const stateOf = (row) => row.split(' ').slice(2).join(' ')
  const states = [...new Set([...expectedRows, ...rows].map(stateOf))].sort()
  const count = (list, state) => String(list.filter((row) => stateOf(row) === state).length)
  return [
    ...states.map((state) => [
      `rows ${state}`,
      `${ordered || state === 'executed' ? '' : 'at most '}${count(expectedRows, state)}`,
      count(rows, state),
    ]),
    ['actions', String(expectedActions.length), String(actions.length)],
  ]
}

/** Of lists in which the same text may stand several times. */
function difference(expected, actual) {
  const left = new Map()
  for (const text of expected) left.set(text, (left.get(text) ?? 0) + 1)
  const surplus = []
  for (const text of actual) {
    const count = left.get(text) ?? 0
    if (count === 0) surplus.push(text)
    else left.set(text, count - 1)
  }
  return { missing: [...left].flatMap(([text, count]) => Array.from({ length: count }, () => text)), surplus }
}
