import { CONVERSATION_STATUSES, MESSAGE_TYPES, PRIORITIES } from '@dwell/contracts/events'
import type { CustomAttributeDefinition, CustomAttributeDisplayType, CustomAttributeModel } from '@dwell/contracts/rule'
import type { Situation } from './conditions'
import { AGE, CHANGE, COMPARISON, EQUALITY, FRAGMENT, type Operator, PREFIX, PRESENCE } from './operators'

/** How values of an attribute are read and compared; see `values.ts`. */
export type ValueKind = 'id' | 'name' | 'text' | 'boolean' | 'number' | 'date'

/** What a condition may ask about. Everything that differs between attributes is said here and nowhere else. */
export interface Attribute {
  readonly key: string
  readonly kind: ValueKind
  readonly operators: readonly Operator[]
  /** The attribute in a situation, as the host sent it: may be anything. */
  readonly read: (situation: Situation) => unknown
  /** What `is_present` looks at, where that is more than the value itself. */
  readonly readPresence?: (situation: Situation) => unknown
  /** Of kind `name`: the names there are. */
  readonly names?: readonly string[]
  /** A name in `values` that stands for all of them. */
  readonly anyName?: string
  /** The fact exists only together with a message. */
  readonly ofMessage?: boolean
  readonly custom?: CustomAttributeModel
}

const conversationExtra = (key: string) => (situation: Situation) =>
  ownValue(situation.conversation.additional_attributes, key)
const contactExtra = (key: string) => (situation: Situation) => ownValue(situation.contact?.additional_attributes, key)

/** rules.md section 3.1. */
export const ATTRIBUTES: readonly Attribute[] = [
  {
    key: 'status',
    kind: 'name',
    operators: [...EQUALITY, ...PRESENCE, ...CHANGE],
    read: ({ conversation }) => conversation.status,
    names: CONVERSATION_STATUSES,
    anyName: 'all',
  },
  {
    key: 'inbox_id',
    kind: 'id',
    operators: [...EQUALITY, ...PRESENCE],
    read: ({ conversation }) => conversation.inbox_id,
  },
  {
    key: 'assignee_id',
    kind: 'id',
    operators: [...EQUALITY, ...PRESENCE, ...CHANGE],
    read: ({ conversation }) => conversation.assignee_id,
    readPresence: ({ conversation }) => conversation.assignee_id ?? conversation.assignee_bot_id,
  },
  {
    key: 'team_id',
    kind: 'id',
    operators: [...EQUALITY, ...PRESENCE, ...CHANGE],
    read: ({ conversation }) => conversation.team_id,
  },
  {
    key: 'priority',
    kind: 'name',
    operators: [...EQUALITY, ...PRESENCE, ...CHANGE],
    read: ({ conversation }) => conversation.priority,
    names: PRIORITIES,
  },
  {
    key: 'labels',
    kind: 'text',
    operators: [...EQUALITY, ...PRESENCE, ...CHANGE],
    read: ({ conversation }) => conversation.labels,
  },
  {
    key: 'browser_language',
    kind: 'text',
    operators: [...EQUALITY, ...PRESENCE],
    read: conversationExtra('browser_language'),
  },
  {
    key: 'conversation_language',
    kind: 'text',
    operators: [...EQUALITY, ...PRESENCE],
    read: conversationExtra('conversation_language'),
  },
  {
    key: 'referer',
    kind: 'text',
    operators: [...EQUALITY, ...FRAGMENT, ...PRESENCE],
    read: conversationExtra('referer'),
  },
  {
    key: 'mail_subject',
    kind: 'text',
    operators: [...EQUALITY, ...FRAGMENT, ...PRESENCE],
    read: conversationExtra('mail_subject'),
  },
  { key: 'country_code', kind: 'text', operators: [...EQUALITY, ...PRESENCE], read: contactExtra('country_code') },
  { key: 'city', kind: 'text', operators: [...EQUALITY, ...FRAGMENT, ...PRESENCE], read: contactExtra('city') },
  {
    key: 'company_name',
    kind: 'text',
    operators: [...EQUALITY, ...FRAGMENT, ...PRESENCE],
    read: contactExtra('company_name'),
  },
  {
    key: 'email',
    kind: 'text',
    operators: [...EQUALITY, ...FRAGMENT, ...PRESENCE],
    read: ({ contact }) => contact?.email,
  },
  {
    key: 'phone_number',
    kind: 'text',
    operators: [...EQUALITY, ...FRAGMENT, ...PREFIX, ...PRESENCE],
    read: ({ contact }) => contact?.phone_number,
  },
  {
    key: 'message_type',
    kind: 'name',
    operators: [...EQUALITY, ...PRESENCE],
    read: ({ message }) => message?.message_type,
    names: MESSAGE_TYPES,
    ofMessage: true,
  },
  {
    key: 'content',
    kind: 'text',
    operators: [...EQUALITY, ...FRAGMENT, ...PRESENCE],
    read: ({ message }) => message?.content,
    ofMessage: true,
  },
  {
    key: 'private_note',
    kind: 'boolean',
    operators: EQUALITY,
    read: ({ message }) => message?.private,
    ofMessage: true,
  },
]

const BY_KEY: ReadonlyMap<unknown, Attribute> = new Map(ATTRIBUTES.map((attribute) => [attribute.key, attribute]))

const CUSTOM_KINDS: Readonly<Record<CustomAttributeDisplayType, Pick<Attribute, 'kind' | 'operators'>>> = {
  text: { kind: 'text', operators: [...EQUALITY, ...FRAGMENT, ...PRESENCE] },
  link: { kind: 'text', operators: [...EQUALITY, ...FRAGMENT, ...PRESENCE] },
  number: { kind: 'number', operators: [...EQUALITY, ...COMPARISON, ...PRESENCE] },
  checkbox: { kind: 'boolean', operators: [...EQUALITY, ...PRESENCE] },
  list: { kind: 'text', operators: [...EQUALITY, ...PRESENCE] },
  date: { kind: 'date', operators: [...EQUALITY, ...COMPARISON, ...AGE, ...PRESENCE] },
}

export function standardAttribute(key: unknown): Attribute | undefined {
  return BY_KEY.get(key)
}

export function customAttribute(definition: CustomAttributeDefinition): Attribute {
  const { attribute_key: key, attribute_model: model, attribute_display_type: type } = definition
  return {
    key,
    ...CUSTOM_KINDS[type],
    custom: model,
    read:
      model === 'contact_attribute'
        ? ({ contact }) => ownValue(contact?.custom_attributes, key)
        : ({ conversation }) => ownValue(conversation.custom_attributes, key),
  }
}

/** Facts come from outside: a key such as `constructor` must not be found on a prototype. */
export function ownValue(bag: unknown, key: string): unknown {
  return typeof bag === 'object' && bag !== null && Object.hasOwn(bag, key)
    ? (bag as Record<string, unknown>)[key]
    : undefined
}
