import { z } from 'zod'
import { envelope, id, instant, nullableId } from './envelope'
import { MEMBER_EVENTS, memberEvent } from './member-events'

/** The default inbound stream, its consumer group and its only field. DESIGN section 5. */
export const EVENTS_STREAM = 'dwell:events'
export const EVENTS_GROUP = 'dwell-ingest'
export const EVENT_FIELD = 'event'

export const CONVERSATION_EVENTS = [
  'conversation_created',
  'conversation_updated',
  'conversation_opened',
  'conversation_resolved',
  'conversation_deleted',
] as const
export const MESSAGE_EVENTS = ['message_created', 'message_updated', 'message_deleted'] as const
export const CONTACT_EVENTS = ['contact_updated', 'contact_deleted'] as const
export const EVENT_NAMES = [...CONVERSATION_EVENTS, ...MESSAGE_EVENTS, ...CONTACT_EVENTS, ...MEMBER_EVENTS] as const
export type EventName = (typeof EVENT_NAMES)[number]

export const CONVERSATION_STATUSES = ['open', 'resolved', 'pending', 'snoozed'] as const
export const PRIORITIES = ['low', 'medium', 'high', 'urgent'] as const
export const MESSAGE_TYPES = ['incoming', 'outgoing', 'template', 'activity'] as const
export type MessageType = (typeof MESSAGE_TYPES)[number]

/** Null stands for the empty value. */
const attributes = z
  .record(z.string(), z.unknown())
  .nullable()
  .transform((value) => value ?? {})

/** Keys left out are unchanged; null is a value. */
export const conversationSnapshot = z.object({
  id,
  inbox_id: nullableId.optional(),
  status: z.enum(CONVERSATION_STATUSES).optional(),
  status_changed_at: instant.nullable().optional(),
  waiting_since: instant.nullable().optional(),
  created_at: instant.optional(),
  priority: z.enum(PRIORITIES).nullable().optional(),
  assignee_id: nullableId.optional(),
  assignee_bot_id: nullableId.optional(),
  team_id: nullableId.optional(),
  labels: z
    .array(z.string())
    .nullable()
    .transform((value) => value ?? [])
    .optional(),
  custom_attributes: attributes.optional(),
  additional_attributes: attributes.optional(),
  can_reply: z.boolean().nullable().optional(),
})
export type ConversationSnapshot = z.infer<typeof conversationSnapshot>

export const contactSnapshot = z.object({
  id,
  name: z.string().nullable().optional(),
  email: z.string().nullable().optional(),
  phone_number: z.string().nullable().optional(),
  additional_attributes: attributes.optional(),
  custom_attributes: attributes.optional(),
})
export type ContactSnapshot = z.infer<typeof contactSnapshot>

export const messageSnapshot = z.object({
  id,
  message_type: z.enum(MESSAGE_TYPES).optional(),
  private: z
    .boolean()
    .nullable()
    .transform((value) => value ?? false)
    .optional(),
  content: z.string().nullable().optional(),
  created_at: instant.optional(),
  content_attributes: attributes.optional(),
  sender: z.looseObject({ type: z.string().nullable().optional(), id: nullableId.optional() }).nullable().optional(),
})
export type MessageSnapshot = z.infer<typeof messageSnapshot>

export const conversationEvent = z.object({
  ...envelope,
  event: z.enum(CONVERSATION_EVENTS),
  conversation: conversationSnapshot,
  contact: contactSnapshot.nullable().optional(),
})
export const messageCreatedEvent = z.object({
  ...envelope,
  event: z.literal('message_created'),
  conversation: conversationSnapshot,
  contact: contactSnapshot.nullable().optional(),
  message: messageSnapshot.required({ message_type: true, created_at: true }),
})
export const messageChangedEvent = z.object({
  ...envelope,
  event: z.enum(['message_updated', 'message_deleted']),
  conversation: conversationSnapshot,
  contact: contactSnapshot.nullable().optional(),
  message: messageSnapshot,
})
export const contactEvent = z.object({
  ...envelope,
  event: z.enum(CONTACT_EVENTS),
  contact: contactSnapshot,
})

/** What rules are about: conversations, their messages and contacts. */
export const supportEvent = z.discriminatedUnion('event', [
  conversationEvent,
  messageCreatedEvent,
  messageChangedEvent,
  contactEvent,
])
export type SupportEvent = z.output<typeof supportEvent>
export type SupportEventInput = z.input<typeof supportEvent>

export const inboundEvent = z.discriminatedUnion('event', [supportEvent, memberEvent])
export type InboundEvent = z.output<typeof inboundEvent>
/** As an upstream application writes it: instants are ISO text. */
export type InboundEventInput = z.input<typeof inboundEvent>
