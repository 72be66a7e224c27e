import type {
  CONTACT_EVENTS,
  CONVERSATION_EVENTS,
  InboundEvent,
  InboundEventInput,
  SupportEvent,
  SupportEventInput,
} from '@dwell/contracts/events'
import type { MemberEventInput, MemberEventName } from '@dwell/contracts/member-events'
import { checkEvent } from '@dwell/contracts/parse-event'

/** The envelope of an event by its name; one envelope may have several names. */
type Input<Name extends string, E = InboundEventInput> = E extends { event: infer Names }
  ? Name extends Names
    ? E
    : never
  : never
type ConversationInput = Input<'conversation_updated'>['conversation']
type MessageInput = Input<'message_created'>['message']
type ContactInput = NonNullable<Input<'message_created'>['contact']>
type ConversationEventName = (typeof CONVERSATION_EVENTS)[number]
type ContactEventName = (typeof CONTACT_EVENTS)[number]

/** What stands in every event; `at` is `occurred_at` and, where nothing else is said, every other instant too. */
interface Common {
  readonly id?: string
  readonly at?: string
  readonly account_id?: number
  readonly performed_by?: InboundEventInput['performed_by']
  readonly changed_attributes?: InboundEventInput['changed_attributes']
  readonly traceparent?: string
}

const DEFAULT_AT = '2026-09-01T09:00:00.000000Z'

let sequence = 0

/** An id that no other event of this test run has. */
export function uniqueEventId(): string {
  sequence += 1
  return `evt_${process.pid}_${sequence}`
}

function envelope(common: Common) {
  return {
    id: common.id ?? uniqueEventId(),
    occurred_at: common.at ?? DEFAULT_AT,
    account_id: common.account_id ?? 1,
    performed_by: common.performed_by ?? null,
    ...(common.changed_attributes === undefined ? {} : { changed_attributes: common.changed_attributes }),
    ...(common.traceparent === undefined ? {} : { traceparent: common.traceparent }),
  }
}

/** A whole snapshot of an open, unassigned conversation 101 in inbox 5, with whatever is said otherwise. */
export function conversationSnapshot(overrides: Partial<ConversationInput> = {}, at = DEFAULT_AT): ConversationInput {
  return {
    id: 101,
    inbox_id: 5,
    status: 'open',
    status_changed_at: at,
    waiting_since: null,
    created_at: at,
    priority: null,
    assignee_id: null,
    assignee_bot_id: null,
    team_id: null,
    labels: [],
    custom_attributes: {},
    additional_attributes: {},
    can_reply: true,
    ...overrides,
  }
}

/** A conversation event as it stands on the stream. */
export function conversationEvent(
  event: ConversationEventName,
  options: Common & { readonly conversation?: Partial<ConversationInput>; readonly contact?: ContactInput } = {},
): Input<'conversation_updated'> {
  return {
    ...envelope(options),
    event,
    conversation: conversationSnapshot(options.conversation, options.at),
    ...(options.contact === undefined ? {} : { contact: options.contact }),
  }
}

/** A new message (501, incoming, public, written at `at`) as it stands on the stream. */
export function messageCreated(
  options: Common & {
    readonly conversation?: Partial<ConversationInput>
    readonly contact?: ContactInput
    readonly message?: Partial<MessageInput>
  } = {},
): Input<'message_created'> {
  const at = options.at ?? DEFAULT_AT
  return {
    ...envelope(options),
    event: 'message_created',
    conversation: conversationSnapshot(options.conversation, at),
    ...(options.contact === undefined ? {} : { contact: options.contact }),
    message: {
      id: 501,
      message_type: 'incoming',
      private: false,
      content: 'Where is my parcel?',
      created_at: at,
      content_attributes: {},
      sender: { type: 'contact', id: 9 },
      ...options.message,
    },
  }
}

/** A contact event as it stands on the stream, of contact 9. */
export function contactEvent(
  event: ContactEventName,
  options: Common & { readonly contact?: Partial<ContactInput> } = {},
): Input<'contact_updated'> {
  return {
    ...envelope(options),
    event,
    contact: { id: 9, name: 'Ada', email: 'ada@example.com', phone_number: null, ...options.contact },
  }
}

/** A member event as it stands on the stream, of the free member `m1`; other facts as given. */
export function memberEvent(
  event: MemberEventName,
  options: Common & { readonly member?: Partial<MemberEventInput['member']> } = {},
): MemberEventInput {
  return {
    ...envelope(options),
    event,
    member: { id: 'm1', name: 'Ada Byron', email: 'ada@example.com', status: 'free', ...options.member },
  }
}

/** An event as the product reads it; one that it would refuse is a fault of the test. */
export function parsed(event: SupportEventInput): SupportEvent
export function parsed(event: InboundEventInput): InboundEvent
export function parsed(event: InboundEventInput): InboundEvent {
  const result = checkEvent(JSON.parse(JSON.stringify(event)))
  if (!result.ok) throw new Error(`The event is refused: ${result.detail}`)
  return result.event
}
