import type { Action, Condition, RuleEvent } from '@dwell/contracts/rule'
import { minutesOf, type TypedDelay, typedDelay } from './delay'

/** A thing of a list that keeps its place on the screen while others come and go. */
export interface Keyed<T> {
  readonly key: string
  readonly value: T
}

/** What the two ways to execute do not share: switching keeps a draft of each side. */
export interface Trigger {
  readonly event: RuleEvent
  readonly conditions: readonly Keyed<Condition>[]
}

export type Timing = 'now' | 'later'

/** A rule as it is edited. Conditions and actions are those of the API: what is not touched goes back as it came. */
export interface RuleDraft {
  readonly name: string
  readonly description: string
  readonly timing: Timing
  readonly delay: TypedDelay
  /** Each is null until somebody switches to it: then it begins as a copy of the other. */
  readonly now: Trigger | null
  readonly later: Trigger | null
  readonly actions: readonly Keyed<Action>[]
}

export interface SavedRule {
  readonly name: string
  readonly description: string | null
  readonly event_name: RuleEvent
  readonly conditions: readonly Condition[]
  readonly actions: readonly Action[]
  readonly execution_delay: number | null
}

export const USUAL_DELAY: TypedDelay = { amount: '4', unit: 'hours' }

let keys = 0
export function keyed<T>(value: T): Keyed<T> {
  keys += 1
  return { key: `${Date.now().toString(36)}-${keys}`, value }
}

export const EMPTY_CONDITION: Condition = {
  attribute_key: '',
  filter_operator: '',
  values: [],
  query_operator: null,
  custom_attribute_type: '',
}

export function draftOf(rule: SavedRule): RuleDraft {
  const trigger = { event: rule.event_name, conditions: rule.conditions.map(keyed) }
  const delayed = rule.execution_delay !== null
  return {
    name: rule.name,
    description: rule.description ?? '',
    timing: delayed ? 'later' : 'now',
    delay: rule.execution_delay === null ? USUAL_DELAY : typedDelay(rule.execution_delay),
    now: delayed ? null : trigger,
    later: delayed ? trigger : null,
    actions: rule.actions.map(keyed),
  }
}

export function emptyDraft(timing: Timing): RuleDraft {
  const rule: SavedRule = {
    name: '',
    description: null,
    event_name: 'conversation_updated',
    conditions: [],
    actions: [{ action_name: '', action_params: [] }],
    execution_delay: timing === 'later' ? minutesOf(USUAL_DELAY) : null,
  }
  return draftOf(rule)
}

const NO_TRIGGER: Trigger = { event: 'conversation_updated', conditions: [] }

export function triggerOf(draft: RuleDraft): Trigger {
  return draft[draft.timing] ?? NO_TRIGGER
}

export function withTrigger(draft: RuleDraft, trigger: Trigger): RuleDraft {
  return { ...draft, [draft.timing]: trigger }
}

/** The other side is shown as it was left; the first time as a copy, without what goes only with acting at once. */
export function withTiming(draft: RuleDraft, timing: Timing): RuleDraft {
  if (timing === draft.timing || draft[timing] !== null) return { ...draft, timing }
  const { event, conditions } = triggerOf(draft)
  const kept = conditions.filter(({ value }) => timing === 'now' || value.filter_operator !== 'attribute_changed')
  return { ...draft, timing, [timing]: { event, conditions: kept } }
}

/** What would be saved. `delay` is null while it cannot be. */
export function ruleOf(draft: RuleDraft): SavedRule {
  const { event, conditions } = triggerOf(draft)
  return {
    name: draft.name,
    description: draft.description === '' ? null : draft.description,
    event_name: event,
    conditions: joined(conditions.map(({ value }) => value)),
    actions: draft.actions.map(({ value }) => value),
    execution_delay: draft.timing === 'later' ? minutesOf(draft.delay) : null,
  }
}

/** Every condition but the last needs a joiner; the saved one stays as it is written. */
function joined(conditions: readonly Condition[]): readonly Condition[] {
  return conditions.map((condition, index) =>
    index === conditions.length - 1 || joinerOf(condition) !== null
      ? condition
      : { ...condition, query_operator: 'and' },
  )
}

export function joinerOf({ query_operator: joiner }: Condition): 'and' | 'or' | null {
  const name = typeof joiner === 'string' ? joiner.toLowerCase() : ''
  return name === 'and' || name === 'or' ? name : null
}

/** The chain as it is read: AND binds tighter than OR, so it is a list of groups. Indexes into the chain. */
export function groupsOf(conditions: readonly Condition[]): readonly (readonly number[])[] {
  const groups: number[][] = [[]]
  for (const [index, condition] of conditions.entries()) {
    groups.at(-1)?.push(index)
    if (index < conditions.length - 1 && joinerOf(condition) === 'or') groups.push([])
  }
  return groups
}

/** What a save of an edited rule names: only what differs, so that nothing else can be refused, or rewritten. */
export function changesOf(stored: SavedRule, draft: RuleDraft): Partial<SavedRule> {
  const next = ruleOf(draft)
  const changed = (Object.keys(next) as (keyof SavedRule)[]).filter(
    (key) => JSON.stringify(next[key]) !== JSON.stringify(stored[key]),
  )
  return Object.fromEntries(changed.map((key) => [key, next[key]]))
}
