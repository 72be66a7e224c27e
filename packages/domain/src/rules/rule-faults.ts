import {
  type Action,
  type Condition,
  type CustomAttributeDefinition,
  type Fault,
  MAX_DELAY_MINUTES,
  MIN_DELAY_MINUTES,
  RULE_EVENTS,
  type RuleDefinition,
  type RuleEvent,
} from '@dwell/contracts/rule'
import { actionFaults } from './actions'
import { faultsInChain, type ReadCondition, readCondition } from './read-condition'
import { storableFaults } from './storable-faults'

export const MAX_CONDITIONS = 100
export const MAX_ACTIONS = 50
export const MAX_RULE_NAME_LENGTH = 255
export const MAX_DESCRIPTION_LENGTH = 5_000

/** All faults of a request, or the rule it asks for. Whether the account may have delays is not asked here. */
export interface CheckedRule {
  readonly faults: readonly Fault[]
  /** Null when there are faults. */
  readonly rule: RuleDefinition | null
}

/**
 * Checks the body of a new rule. `conditions` must be given, though it may be empty: then the rule takes every event of
 * its kind. Keys that a rule does not have are ignored, so that an answer of the API can be sent back.
 */
export function ruleFaults(body: unknown, definitions: readonly CustomAttributeDefinition[]): CheckedRule {
  if (!isObject(body)) return NOT_AN_OBJECT
  return check(
    {
      name: body.name,
      description: body.description ?? null,
      event_name: body.event_name,
      conditions: body.conditions,
      actions: body.actions,
      active: body.active === undefined ? true : body.active,
      execution_delay: body.execution_delay ?? null,
    },
    new Set(FIELDS),
    definitions,
  )
}

/**
 * Checks a change of a stored rule: the fields it names, and what they mean together with those it leaves alone. A fault
 * that lies in the stored rule alone, such as a custom attribute deleted meanwhile, does not refuse another change.
 */
export function patchFaults(
  stored: RuleDefinition,
  patch: unknown,
  definitions: readonly CustomAttributeDefinition[],
): CheckedRule {
  if (!isObject(patch)) return NOT_AN_OBJECT
  const named = new Set(FIELDS.filter((field) => Object.hasOwn(patch, field) && patch[field] !== undefined))
  const merged: WrittenRule = { ...stored }
  for (const field of named) merged[field] = patch[field]
  return check(merged, named, definitions)
}

const FIELDS = [
  'name',
  'description',
  'event_name',
  'conditions',
  'actions',
  'active',
  'execution_delay',
] as const satisfies readonly (keyof RuleDefinition)[]
type Field = (typeof FIELDS)[number]
type WrittenRule = Record<Field, unknown>

const NOT_AN_OBJECT: CheckedRule = {
  faults: [{ pointer: '', code: 'body_not_an_object', message: 'the body must be a JSON object' }],
  rule: null,
}

/** `named`: the fields of the request; faults lie in them, or in what they make of the others. */
function check(
  written: WrittenRule,
  named: ReadonlySet<Field>,
  definitions: readonly CustomAttributeDefinition[],
): CheckedRule {
  const read = (Array.isArray(written.conditions) ? written.conditions : []).map((condition, i) =>
    readCondition(condition, i, definitions),
  )
  const faults = [
    ...(named.has('name') ? nameFaults(written.name) : []),
    ...(named.has('description') ? descriptionFaults(written.description) : []),
    ...(named.has('event_name') ? eventFaults(written.event_name) : []),
    ...(named.has('conditions') ? conditionFaults(written.conditions, read) : []),
    ...conditionsForEventFaults(written.event_name, read, named),
    ...(named.has('actions') ? actionListFaults(written.actions, definitions) : []),
    ...(named.has('active') ? activeFaults(written.active) : []),
    ...(named.has('execution_delay') ? delayFaults(written.execution_delay) : []),
    ...delayWithChangeFaults(written.execution_delay, read, named),
    ...FIELDS.flatMap((field) => (named.has(field) ? storableFaults(written[field], `/${field}`) : [])),
  ]
  return faults.length > 0 ? { faults, rule: null } : { faults, rule: definitionOf(written) }
}

/** After every check has passed. */
function definitionOf(written: WrittenRule): RuleDefinition {
  return {
    name: written.name as string,
    description: written.description as string | null,
    event_name: written.event_name as RuleEvent,
    conditions: written.conditions as readonly Condition[],
    actions: (written.actions as readonly Action[]).map((action) => ({
      ...action,
      action_params: action.action_params ?? [],
    })),
    active: written.active as boolean,
    execution_delay: written.execution_delay as number | null,
  }
}

function nameFaults(name: unknown): readonly Fault[] {
  if (typeof name === 'string' && name.trim() !== '' && name.length <= MAX_RULE_NAME_LENGTH) return []
  const code = name === undefined || name === null ? 'name_missing' : 'invalid_name'
  return [
    { pointer: '/name', code, message: `name must be a text of 1 to ${MAX_RULE_NAME_LENGTH} characters, not blank` },
  ]
}

function descriptionFaults(description: unknown): readonly Fault[] {
  if (description === null) return []
  if (typeof description === 'string' && description.length <= MAX_DESCRIPTION_LENGTH) return []
  const message = `description must be null or a text of at most ${MAX_DESCRIPTION_LENGTH} characters`
  return [{ pointer: '/description', code: 'invalid_description', message }]
}

function eventFaults(event: unknown): readonly Fault[] {
  if (isRuleEvent(event)) return []
  const code = event === undefined || event === null ? 'event_missing' : 'unknown_event'
  return [{ pointer: '/event_name', code, message: `event_name must be one of ${RULE_EVENTS.join(', ')}` }]
}

function activeFaults(active: unknown): readonly Fault[] {
  if (typeof active === 'boolean') return []
  return [{ pointer: '/active', code: 'invalid_active', message: 'active must be true or false' }]
}

function conditionFaults(conditions: unknown, read: readonly ReadCondition[]): readonly Fault[] {
  if (!Array.isArray(conditions)) {
    const code = conditions === undefined ? 'conditions_missing' : 'conditions_not_a_list'
    const message = 'conditions must be a list; an empty one takes every event of the kind'
    return [{ pointer: '/conditions', code, message }]
  }
  if (conditions.length > MAX_CONDITIONS) {
    const message = `conditions may have at most ${MAX_CONDITIONS} entries, not ${conditions.length}`
    return [{ pointer: '/conditions', code: 'too_many_conditions', message }]
  }
  return read.flatMap((condition, i) => faultsInChain(condition, i, read.length))
}

/** What the event of the rule does not offer: message attributes elsewhere, changed attributes of a message. */
function conditionsForEventFaults(
  event: unknown,
  read: readonly ReadCondition[],
  named: ReadonlySet<Field>,
): readonly Fault[] {
  if (!isRuleEvent(event) || !(named.has('event_name') || named.has('conditions'))) return []
  return read.flatMap(({ attribute, operator }, i) => {
    const misfit = misfitOf(event, attribute?.ofMessage ? attribute.key : null, operator)
    if (misfit === null) return []
    // A change of the event alone is at fault itself: the conditions are not part of the request.
    if (!named.has('conditions')) return [{ pointer: '/event_name', code: misfit.code, message: misfit.message }]
    return [{ pointer: `/conditions/${i}/${misfit.field}`, code: misfit.code, message: misfit.message }]
  })
}

function misfitOf(event: RuleEvent, messageAttribute: string | null, operator: ReadCondition['operator']) {
  if (event !== 'message_created' && messageAttribute !== null) {
    const message = `${messageAttribute} is an attribute of messages; event_name must be message_created`
    return { field: 'attribute_key', code: 'attribute_not_for_event', message }
  }
  if (event === 'message_created' && operator === 'attribute_changed') {
    const others = RULE_EVENTS.filter((other) => other !== 'message_created').join(', ')
    const message = `attribute_changed needs an event of the conversation; event_name must be one of ${others}`
    return { field: 'filter_operator', code: 'operator_not_for_event', message }
  }
  return null
}

function actionListFaults(actions: unknown, definitions: readonly CustomAttributeDefinition[]): readonly Fault[] {
  if (!Array.isArray(actions) || actions.length === 0) {
    const code = !Array.isArray(actions) && actions !== undefined ? 'actions_not_a_list' : 'actions_missing'
    return [{ pointer: '/actions', code, message: 'actions must be a list of at least one action' }]
  }
  if (actions.length > MAX_ACTIONS) {
    const message = `actions may have at most ${MAX_ACTIONS} entries, not ${actions.length}`
    return [{ pointer: '/actions', code: 'too_many_actions', message }]
  }
  return actions.flatMap((action, i) => actionFaults(action, `/actions/${i}`, definitions))
}

/** Zero is not "immediate", true is not 1, "60" is not 60. rules.md section 5. */
function delayFaults(delay: unknown): readonly Fault[] {
  if (delay === null) return []
  if (Number.isInteger(delay) && Number(delay) >= MIN_DELAY_MINUTES && Number(delay) <= MAX_DELAY_MINUTES) return []
  const message = `execution_delay must be null or a whole number of minutes from ${MIN_DELAY_MINUTES} to ${MAX_DELAY_MINUTES}`
  return [{ pointer: '/execution_delay', code: 'invalid_delay', message }]
}

/** When a row fires nobody knows any more what the event changed. Seed decision 5. */
function delayWithChangeFaults(
  delay: unknown,
  read: readonly ReadCondition[],
  named: ReadonlySet<Field>,
): readonly Fault[] {
  if (delay === null || !(named.has('execution_delay') || named.has('conditions'))) return []
  if (!read.some(({ operator }) => operator === 'attribute_changed')) return []
  const message = 'execution_delay must be null while a condition uses attribute_changed'
  return [{ pointer: '/execution_delay', code: 'delay_with_attribute_changed', message }]
}

function isRuleEvent(event: unknown): event is RuleEvent {
  return RULE_EVENTS.some((known) => known === event)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
