import fc from 'fast-check'
import { CHANGE_CONDITIONS, CONDITIONS, MESSAGE_CONDITIONS } from './condition-choices'

/**
 * What a history is made of, as numbers and names that fast-check can draw and shrink: `host.ts` turns a plan into events
 * and requests. Zero is always the plainest choice.
 */
export interface Plan {
  zone: number
  rules: RulePlan[]
  commands: Command[]
}

export interface RulePlan {
  event: (typeof RULE_EVENTS)[number]
  /** Minutes, null for an immediate rule. */
  delay: number | null
  conditions: { choice: number; ofMessage: number; joiner: string }[]
  actions: number
  active: boolean
}

/** One thing that somebody does at the host or in Dwell. */
export interface Command {
  kind: (typeof KINDS)[number]
  slot: number
  conversation: number
  /** Which value, which rule, which actor: what it stands for depends on the kind. */
  value: number
  other: number
  by: number
  /** Where in the slot it happens: an index of `OFFSETS`. */
  offset: number
  /** Which keys the snapshot leaves out. */
  leaveOut: number
  /** How many slots later the event is consumed; and once more, again so many slots later. */
  late: number
  again: number
  /** Whether a new batch begins with it. */
  cut: boolean
}

export const RULE_EVENTS = [
  'conversation_updated',
  'message_created',
  'conversation_created',
  'conversation_opened',
  'conversation_resolved',
] as const

const KINDS = [
  'touch',
  'status',
  'incoming',
  'outgoing',
  'note',
  'template',
  'activity',
  'message_edit',
  'message_delete',
  'resend',
  'waiting',
  'contact',
  'contact_delete',
  'conversation_delete',
  'create_rule',
  'edit_rule',
  'toggle_rule',
  'delete_rule',
  'feature',
  'attribute',
] as const

/** How often each kind comes, in the order of `KINDS`. */
const WEIGHTS = [14, 12, 14, 18, 3, 2, 2, 4, 3, 4, 4, 4, 3, 1, 1, 5, 2, 1, 3, 2]

/** Delays in minutes: few, so that one clock makes rows of several rules due. */
export const DELAYS = [60, 10, 30, 1_440] as const

const kind = fc.constantFrom(...KINDS.flatMap((name, i) => Array.from({ length: WEIGHTS[i] ?? 1 }, () => name)))
const often = (weight: number, value: number, max: number) =>
  fc.constantFrom(...Array.from({ length: weight }, () => value), ...Array.from({ length: max }, (_, i) => i + 1))

const ON_CUSTOM_ATTRIBUTES = [...CONDITIONS.keys()].filter((i) => CONDITIONS[i]?.custom_attribute_type !== '')
const ON_DATES = [...CONDITIONS.keys()].filter((i) => CONDITIONS[i]?.attribute_key === 'renewal')

const condition = fc.record({
  choice: fc.oneof(
    // Status, priority, labels and assignee: what changes most.
    { weight: 3, arbitrary: fc.nat({ max: 35 }) },
    { weight: 2, arbitrary: fc.nat({ max: CONDITIONS.length + CHANGE_CONDITIONS.length - 1 }) },
    { weight: 1, arbitrary: fc.constantFrom(...ON_CUSTOM_ATTRIBUTES) },
    { weight: 1, arbitrary: fc.constantFrom(...ON_DATES) },
  ),
  /** Of a rule on messages: 0 takes `choice`, anything else a condition on the message. */
  ofMessage: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(0, 1, 2) },
    { weight: 1, arbitrary: fc.nat({ max: MESSAGE_CONDITIONS.length }) },
  ),
  joiner: fc.constantFrom('and', 'or', 'AND', 'Or'),
})

export const rulePlan: fc.Arbitrary<RulePlan> = fc.record({
  event: fc.constantFrom(
    'conversation_updated',
    'conversation_updated',
    'conversation_updated',
    'message_created',
    'message_created',
    'message_created',
    'message_created',
    ...RULE_EVENTS,
  ),
  delay: fc.constantFrom(60, 60, 10, 30, 1_440, null),
  conditions: fc.oneof(
    { weight: 3, arbitrary: fc.array(condition, { maxLength: 1 }) },
    { weight: 2, arbitrary: fc.array(condition, { minLength: 2, maxLength: 3 }) },
  ),
  actions: fc.nat({ max: 5 }),
  active: fc.constantFrom(true, true, true, true, true, true, false),
})

/** Plans for a timeline of so many slots. */
export function planFor(slots: number): fc.Arbitrary<Plan> {
  const command: fc.Arbitrary<Command> = fc.record({
    kind,
    slot: fc.nat({ max: slots - 1 }),
    conversation: fc.constantFrom(0, 0, 1),
    value: fc.nat({ max: 59 }),
    other: fc.nat({ max: 59 }),
    by: fc.nat({ max: 9 }),
    offset: fc.nat({ max: 9 }),
    leaveOut: often(6, 0, 7),
    late: often(7, 0, 3),
    again: often(9, 0, 3),
    cut: fc.boolean(),
  })
  return fc.record({
    zone: fc.nat({ max: 2 }),
    rules: fc.array(rulePlan, { minLength: 1, maxLength: 3 }),
    commands: fc.array(command, { minLength: 8, maxLength: 32, size: 'max' }),
  })
}
