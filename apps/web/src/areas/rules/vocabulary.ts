import type { CustomAttributeDefinition, RuleEvent } from '@dwell/contracts/rule'

/**
 * What a condition may ask and an action may do, as docs/rules.md says it; tests/web/rule-vocabulary.test.ts compares it with what
 * the server checks. The words stand in the catalogue.
 */
export type ValueKind = 'id' | 'name' | 'text' | 'boolean' | 'number' | 'date'

export interface Attribute {
  readonly key: string
  readonly kind: ValueKind
  readonly operators: readonly Operator[]
  /** Of kind `name`: the names there are, the one that stands for all included. */
  readonly names?: readonly string[]
  readonly ofMessage?: boolean
  readonly custom?: CustomAttributeDefinition
}

const EQUALITY = ['equal_to', 'not_equal_to'] as const
const FRAGMENT = ['contains', 'does_not_contain'] as const
const PRESENCE = ['is_present', 'is_not_present'] as const
const COMPARISON = ['is_greater_than', 'is_less_than'] as const
const CHANGE = ['attribute_changed'] as const

export const OPERATORS = [
  ...EQUALITY,
  ...FRAGMENT,
  'starts_with',
  ...PRESENCE,
  ...COMPARISON,
  'days_before',
  ...CHANGE,
] as const
export type Operator = (typeof OPERATORS)[number]

/** What an operator wants in `values`. */
export function valuesOf(operator: string): 'none' | 'one' | 'some' | 'change' {
  if (operator === 'is_present' || operator === 'is_not_present') return 'none'
  if (operator === 'attribute_changed') return 'change'
  return operator === 'days_before' || operator === 'is_greater_than' || operator === 'is_less_than' ? 'one' : 'some'
}

export const STATUSES = ['open', 'pending', 'snoozed', 'resolved'] as const
export const PRIORITIES = ['low', 'medium', 'high', 'urgent'] as const
const MESSAGE_TYPES = ['incoming', 'outgoing', 'template', 'activity'] as const

const SIMPLE = [...EQUALITY, ...PRESENCE] as const
const WATCHED = [...EQUALITY, ...PRESENCE, ...CHANGE] as const
const WORDS = [...EQUALITY, ...FRAGMENT, ...PRESENCE] as const

/** In the order in which they are offered. */
export const ATTRIBUTES: readonly Attribute[] = [
  { key: 'status', kind: 'name', operators: WATCHED, names: [...STATUSES, 'all'] },
  { key: 'inbox_id', kind: 'id', operators: SIMPLE },
  { key: 'assignee_id', kind: 'id', operators: WATCHED },
  { key: 'team_id', kind: 'id', operators: WATCHED },
  { key: 'priority', kind: 'name', operators: WATCHED, names: PRIORITIES },
  { key: 'labels', kind: 'text', operators: WATCHED },
  { key: 'conversation_language', kind: 'text', operators: SIMPLE },
  { key: 'browser_language', kind: 'text', operators: SIMPLE },
  { key: 'referer', kind: 'text', operators: WORDS },
  { key: 'mail_subject', kind: 'text', operators: WORDS },
  { key: 'message_type', kind: 'name', operators: SIMPLE, names: MESSAGE_TYPES, ofMessage: true },
  { key: 'content', kind: 'text', operators: WORDS, ofMessage: true },
  { key: 'private_note', kind: 'boolean', operators: EQUALITY, ofMessage: true },
  { key: 'email', kind: 'text', operators: WORDS },
  {
    key: 'phone_number',
    kind: 'text',
    operators: [...EQUALITY, ...FRAGMENT, 'starts_with', ...PRESENCE],
  },
  { key: 'company_name', kind: 'text', operators: WORDS },
  { key: 'city', kind: 'text', operators: WORDS },
  { key: 'country_code', kind: 'text', operators: SIMPLE },
]

const CONTACT = ['email', 'phone_number', 'company_name', 'city', 'country_code']

const CUSTOM = {
  text: { kind: 'text', operators: WORDS },
  link: { kind: 'text', operators: WORDS },
  number: { kind: 'number', operators: [...EQUALITY, ...COMPARISON, ...PRESENCE] },
  checkbox: { kind: 'boolean', operators: SIMPLE },
  list: { kind: 'text', operators: SIMPLE },
  date: { kind: 'date', operators: [...EQUALITY, ...COMPARISON, 'days_before', ...PRESENCE] },
} as const satisfies Record<CustomAttributeDefinition['attribute_display_type'], Pick<Attribute, 'kind' | 'operators'>>

/** With the words that people gave it. */
export type Definition = CustomAttributeDefinition & { readonly attribute_display_name: string }

export function customAttribute(definition: CustomAttributeDefinition): Attribute {
  return { key: definition.attribute_key, ...CUSTOM[definition.attribute_display_type], custom: definition }
}

/** Where the attribute belongs, for the groups of the choice. */
export function groupOf(attribute: Attribute): 'conversation' | 'message' | 'contact' {
  if (attribute.ofMessage) return 'message'
  if (attribute.custom !== undefined)
    return attribute.custom.attribute_model === 'contact_attribute' ? 'contact' : 'conversation'
  return CONTACT.includes(attribute.key) ? 'contact' : 'conversation'
}

interface Asked {
  readonly attribute_key: string
  readonly custom_attribute_type?: string | null
}

/** The attribute that a condition asks about; undefined where there is none (any more). */
export function attributeOf(condition: Asked, definitions: readonly Definition[]): Attribute | undefined {
  const { attribute_key: key, custom_attribute_type: type } = condition
  const typed = type !== undefined && type !== null && type !== ''
  const standard = typed ? undefined : ATTRIBUTES.find((attribute) => attribute.key === key)
  if (standard !== undefined) return standard
  const declared = definitions.filter(
    (definition) => definition.attribute_key === key && (!typed || definition.attribute_model === type),
  )
  const [definition] = declared
  return definition !== undefined && declared.length === 1 ? customAttribute(definition) : undefined
}

/** Which attributes are worth offering for an event; a saved rule may ask for others, which are shown too. */
export function isOffered(attribute: Attribute, event: RuleEvent): boolean {
  if (attribute.ofMessage) return event === 'message_created'
  if (attribute.key === 'status') return event !== 'conversation_opened' && event !== 'conversation_resolved'
  if (attribute.key === 'assignee_id' || attribute.key === 'team_id') return event !== 'conversation_created'
  return true
}

/** A change is only known of a conversation's event, and a wait does not go with it. */
export function operatorsFor(attribute: Attribute, event: RuleEvent, delayed: boolean): readonly Operator[] {
  return attribute.operators.filter(
    (operator) => operator !== 'attribute_changed' || (event !== 'message_created' && !delayed),
  )
}

export const ACTIONS = [
  'send_message',
  'add_private_note',
  'add_label',
  'remove_label',
  'assign_agent',
  'remove_assigned_agent',
  'assign_team',
  'remove_assigned_team',
  'change_status',
  'open_conversation',
  'pending_conversation',
  'resolve_conversation',
  'snooze_conversation',
  'change_priority',
  'mute_conversation',
  'set_custom_attribute',
  'send_attachment',
  'add_sla',
  'send_email_to_team',
  'send_email_transcript',
  'send_webhook_event',
] as const
export type ActionName = (typeof ACTIONS)[number]
