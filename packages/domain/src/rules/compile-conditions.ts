import type { Condition, CustomAttributeDefinition } from '@dwell/contracts/rule'
import type { ConditionTest } from './condition-test'
import type { CompiledConditions, ExplainedCondition, Situation } from './conditions'
import { faultsInChain, type ReadCondition, readCondition } from './read-condition'

const FALSE: ConditionTest = () => false

/**
 * Makes the saved chain ready for judging, once per rule: AND binds tighter than OR, so the chain is a list of groups of
 * which one must hold whole. Tests have no effects and never throw: the cheap ones are asked first. What cannot be
 * understood (a deleted custom attribute above all) is false and named in `broken`; the rest is judged all the same.
 * No condition at all holds for every event the rule listens to.
 */
export function compileConditions(
  conditions: readonly Condition[],
  definitions: readonly CustomAttributeDefinition[],
): CompiledConditions {
  const saved: readonly unknown[] = Array.isArray(conditions) ? conditions : [conditions]
  const read = saved.map((condition, i) => readCondition(condition, i, definitions))
  const groups = groupsOf(read)
  const tests = groups
    .map((group) => group.toSorted((a, b) => a.cost - b.cost))
    .sort((a, b) => costOfGroup(a) - costOfGroup(b))
    .map((group) => group.map(({ test }) => test ?? FALSE))
  return {
    matches: tests.length === 0 ? () => true : (situation) => someGroupHolds(tests, situation),
    explain: (situation) => explain(groups, situation),
    onlyStatusAndInbox: read.every(({ attribute }) => attribute?.key === 'status' || attribute?.key === 'inbox_id'),
    broken: read.flatMap((condition, i) => faultsInChain(condition, i, read.length)),
  }
}

/** An unknown joiner between two conditions, which no saved rule has, narrows: it is read as AND. */
function groupsOf(read: readonly ReadCondition[]): ReadCondition[][] {
  const groups: ReadCondition[][] = []
  let open: ReadCondition[] | null = null
  for (const condition of read) {
    if (open === null) {
      open = []
      groups.push(open)
    }
    open.push(condition)
    if (condition.joiner === 'or') open = null
  }
  return groups
}

function costOfGroup(group: readonly ReadCondition[]): number {
  return group.reduce((sum, { cost }) => sum + cost, 0)
}

function someGroupHolds(groups: readonly (readonly ConditionTest[])[], situation: Situation): boolean {
  for (const group of groups) {
    if (holds(group, situation)) return true
  }
  return false
}

function holds(group: readonly ConditionTest[], situation: Situation): boolean {
  for (const test of group) {
    if (!test(situation)) return false
  }
  return true
}

function explain(groups: readonly (readonly ReadCondition[])[], situation: Situation): readonly ExplainedCondition[] {
  return groups.flatMap((conditions, group) =>
    conditions.map(({ written, attribute, operator, test, faults }) => ({
      attribute_key: written?.attribute_key,
      filter_operator: written?.filter_operator,
      values: written?.values ?? [],
      group,
      seen: attribute === null ? null : seenBy(attribute, operator, situation),
      result: test?.(situation) ?? false,
      ...(faults[0] === undefined ? {} : { broken: faults[0].message }),
    })),
  )
}

function seenBy(
  attribute: NonNullable<ReadCondition['attribute']>,
  operator: ReadCondition['operator'],
  situation: Situation,
): unknown {
  if (operator === 'attribute_changed') return situation.changed?.[attribute.key] ?? null
  const read = operator === 'is_present' || operator === 'is_not_present' ? attribute.readPresence : undefined
  return (read ?? attribute.read)(situation) ?? null
}
