import { FACTS } from './condition-choices'
import type { Json, JsonObject, RawEvent } from './interpreter'
import type { Command } from './plan'

type Conversation = JsonObject & { id: number; created_at: string }

interface Message {
  id: number
  conversation: number
  snapshot: JsonObject & { id: number }
  /** As it was first published. */
  event: RawEvent
  deleted: boolean
}

const MINUTE = 60_000_000
/** Microseconds from the beginning of the slot. */
const OFFSETS = [0, 1, 2, -1, 250_000, MINUTE, 10 * MINUTE, -10 * MINUTE, 59 * MINUTE, -MINUTE] as const
const ACTORS: RawEvent['performed_by'][] = [
  { type: 'user', id: 7 },
  null,
  { type: 'agent_bot', id: 4 },
  { type: 'system' },
  { type: 'user', id: 8 },
  { type: 'user', id: 7 },
  null,
  { type: 'user', id: 8 },
  { type: 'automation_rule', id: 1 },
  { type: 'user', id: 7 },
]
/** Conversations that the event of their creation tells of, and ones that were there before Dwell. */
const BIRTHS = ['created', 'known', 'old', 'created_pending'] as const

/**
 * The application upstream: changes its conversations and says so, in the order in which things happen there. What
 * becomes of its events on their way is not its business.
 */
export class Host {
  private readonly conversations = new Map<number, Conversation>()
  private readonly contacts = new Map<number, JsonObject & { id: number }>()
  private readonly goneContacts = new Set<number>()
  private readonly gone = new Set<number>()
  private readonly messages: Message[] = []
  private happened = 0
  private published = 0
  private nextMessage = 501

  /** The events that come of a command at a slot that begins at `at`. */
  act(command: Command, at: number): RawEvent[] {
    const id = 101 + command.conversation
    if (this.gone.has(id)) return []
    const events: RawEvent[] = []
    const when = () => this.pass(at + (OFFSETS[command.offset] ?? 0))
    const conversation = this.conversations.get(id) ?? this.bear(id, command, when(), events)
    switch (command.kind) {
      case 'touch':
        events.push(this.touch(conversation, command, when()))
        break
      case 'status':
        events.push(...this.changeStatus(conversation, command, when()))
        break
      case 'incoming':
      case 'outgoing':
      case 'note':
      case 'template':
      case 'activity':
        events.push(...this.say(conversation, command, when()))
        break
      case 'message_edit':
      case 'message_delete':
        events.push(...this.changeMessage(command, when()))
        break
      case 'resend':
        events.push(...this.resend(command))
        break
      case 'waiting':
        events.push(this.changeWaiting(conversation, command, when()))
        break
      case 'contact':
      case 'contact_delete':
        events.push(...this.changeContact(conversation, command, when()))
        break
      case 'conversation_delete':
        this.gone.add(id)
        events.push(this.event('conversation_deleted', command, when(), { conversation: { id } }))
    }
    return events
  }

  /** Time at the host only goes forward, and no two things happen in the same microsecond. */
  private pass(at: number): number {
    this.happened = Math.max(at, this.happened + 1)
    return this.happened
  }

  private bear(id: number, command: Command, at: number, events: RawEvent[]): Conversation {
    const birth = BIRTHS[command.value % BIRTHS.length]
    const createdAt = birth === 'old' ? at - 2_880 * MINUTE : at
    const conversation: Conversation = {
      id,
      created_at: iso(createdAt),
      status: birth === 'created_pending' ? 'pending' : 'open',
      status_changed_at: birth === 'old' ? null : iso(createdAt),
      waiting_since: null,
      inbox_id: 5,
      priority: null,
      labels: [],
      team_id: null,
      assignee_id: null,
      assignee_bot_id: null,
      can_reply: true,
      custom_attributes: FACTS.custom_attributes[command.other % 5] ?? {},
      additional_attributes: command.value === 47 ? { auto_reply: true } : {},
      contact_id: 9 + (command.value % 2),
    }
    this.conversations.set(id, conversation)
    if (birth === 'created' || birth === 'created_pending')
      events.push(this.conversationEvent('conversation_created', conversation, command, at))
    return conversation
  }

  private touch(conversation: Conversation, command: Command, at: number): RawEvent {
    const keys = ['labels', 'priority', 'assignee_id', 'team_id', 'custom_attributes', 'additional_attributes']
    const key =
      [...keys, 'labels', 'priority', 'inbox_id', 'labels', 'assignee_id', 'assignee_bot_id', 'can_reply'][
        command.value % 13
      ] ?? 'labels'
    const values: readonly Json[] = FACTS[key as keyof typeof FACTS]
    const old = conversation[key] ?? null
    conversation[key] = values[command.other % values.length] ?? null
    const name = key === 'labels' && command.by > 5 ? 'label_list' : key
    const changed: RawEvent['changed_attributes'] =
      JSON.stringify(old) === JSON.stringify(conversation[key]) ? {} : { [name]: [old, conversation[key] ?? null] }
    return this.conversationEvent('conversation_updated', conversation, command, at, changed)
  }

  private changeStatus(conversation: Conversation, command: Command, at: number): RawEvent[] {
    const old = String(conversation.status)
    const status = FACTS.status[command.value % FACTS.status.length] ?? 'open'
    const changed: RawEvent['changed_attributes'] = status === old ? {} : { status: [old, status] }
    if (status !== old) {
      conversation.status = status
      conversation.status_changed_at = iso(at)
      if (status === 'resolved') conversation.waiting_since = null
    }
    const updated = this.conversationEvent('conversation_updated', conversation, command, at, changed)
    const name = status === 'open' ? 'conversation_opened' : 'conversation_resolved'
    if (status === old || (status !== 'open' && status !== 'resolved')) return [updated]
    return [updated, this.conversationEvent(name, conversation, command, this.pass(at + 1), changed)]
  }

  private say(conversation: Conversation, command: Command, at: number): RawEvent[] {
    const type = command.kind === 'note' ? 'outgoing' : command.kind
    const previous = this.messages.at(-1)
    const createdAt = command.value % 7 === 5 ? at - 1 : command.value % 7 === 6 ? at - 2_000_000 : at
    const created = command.value === 48 && previous ? String(previous.snapshot.created_at) : iso(createdAt)
    const id = command.value === 49 ? 1_000 - this.nextMessage : this.nextMessage
    this.nextMessage += 1
    const snapshot: JsonObject & { id: number } = {
      id,
      message_type: type,
      private: command.kind === 'note',
      content: FACTS.content[command.other % FACTS.content.length] ?? null,
      created_at: created,
      content_attributes: contentAttributes(command.other),
    }
    const isHuman = command.by !== 8 && snapshot.content_attributes !== TAGGED
    const events: RawEvent[] = []
    const wasWaiting = conversation.waiting_since !== null
    const isLateWritten = type === 'incoming' && !wasWaiting && command.value % 5 === 4
    // Now and then the host takes an answer back: the customer has waited since an earlier message.
    const earlier = this.messages.find(
      (one) => one.conversation === conversation.id && one.snapshot.message_type === 'incoming',
    )
    const since = command.value % 5 === 3 ? String(earlier?.snapshot.created_at ?? created) : created
    if (type === 'incoming' && !wasWaiting && !isLateWritten) conversation.waiting_since = since
    if (command.kind === 'outgoing' && isHuman) conversation.waiting_since = null
    const event = this.conversationEvent('message_created', conversation, command, at)
    // A message of the customer that says nothing of the wait is decided nowhere.
    if (event.conversation && type === 'incoming') event.conversation.waiting_since = conversation.waiting_since ?? null
    Object.assign(event, { message: snapshot })
    delete event.changed_attributes
    events.push(event)
    this.messages.push({ id, conversation: conversation.id, snapshot, event, deleted: false })
    if (isLateWritten) {
      conversation.waiting_since = created
      const changed: RawEvent['changed_attributes'] = { waiting_since: [null, created] }
      events.push(
        this.conversationEvent('conversation_updated', conversation, { ...command, by: 3 }, this.pass(at + 1), changed),
      )
    }
    return events
  }

  private changeMessage(command: Command, at: number): RawEvent[] {
    const known = this.messages.filter((message) => !message.deleted && !this.gone.has(message.conversation))
    const message = known[known.length - 1 - (command.value % Math.min(3, known.length || 1))]
    if (message === undefined) return []
    if (command.kind === 'message_delete') {
      message.deleted = true
      const only = { conversation: { id: message.conversation }, message: { id: message.id } }
      return [this.event('message_deleted', command, at, only)]
    }
    message.snapshot = { ...message.snapshot, content: FACTS.content[command.other % FACTS.content.length] ?? null }
    const { id, content } = message.snapshot
    const changed = command.leaveOut > 0 ? { id, content: content ?? null } : message.snapshot
    return [
      this.event('message_updated', command, at, {
        conversation: { id: message.conversation },
        message: changed,
      }),
    ]
  }

  /** The same message once more, under an id of its own: some hosts do. */
  private resend(command: Command): RawEvent[] {
    const known = this.messages.filter((message) => !message.deleted && !this.gone.has(message.conversation))
    const message = known[known.length - 1 - (command.value % Math.min(3, known.length || 1))]
    return message === undefined ? [] : [{ ...message.event, id: this.eventId() }]
  }

  /** A reply that is taken back, a handoff, an answer elsewhere: the wait moves without a message. */
  private changeWaiting(conversation: Conversation, command: Command, at: number): RawEvent {
    const incoming = this.messages.filter(
      (one) => one.conversation === conversation.id && one.snapshot.message_type === 'incoming',
    )
    const of = incoming[incoming.length - 1 - (command.value % (incoming.length || 1))]
    const old = conversation.waiting_since ?? null
    conversation.waiting_since =
      command.other % 4 === 3 ? iso(at) : command.other % 4 === 2 && of ? String(of.snapshot.created_at) : null
    const changed: RawEvent['changed_attributes'] = { waiting_since: [old, conversation.waiting_since] }
    return this.conversationEvent('conversation_updated', conversation, command, at, changed)
  }

  private changeContact(conversation: Conversation, command: Command, at: number): RawEvent[] {
    const id = Number(conversation.contact_id)
    if (this.goneContacts.has(id)) return []
    if (command.kind === 'contact_delete') {
      this.goneContacts.add(id)
      return [this.event('contact_deleted', command, at, { contact: { id } })]
    }
    const known = this.contactOf(id)
    const attributes = FACTS.contact_additional[command.value % FACTS.contact_additional.length] ?? {}
    const custom = FACTS.custom_attributes[command.by % FACTS.custom_attributes.length] ?? {}
    const facts = FACTS.contact[command.other % FACTS.contact.length] ?? {}
    const contact = { ...known, ...facts, additional_attributes: attributes, custom_attributes: custom, id }
    this.contacts.set(id, contact as JsonObject & { id: number })
    const { name, email } = contact as JsonObject
    const said =
      command.leaveOut > 3 ? { id, name: name ?? null, email: email ?? null } : (contact as JsonObject & { id: number })
    return [this.event('contact_updated', command, at, { contact: said })]
  }

  private contactOf(id: number): JsonObject & { id: number } {
    const known = this.contacts.get(id)
    if (known !== undefined) return known
    const contact = {
      id,
      ...FACTS.contact[0],
      additional_attributes: FACTS.contact_additional[1] ?? {},
      custom_attributes: FACTS.custom_attributes[1] ?? {},
    } as JsonObject & {
      id: number
    }
    this.contacts.set(id, contact)
    return contact
  }

  private conversationEvent(
    event: string,
    conversation: Conversation,
    command: Command,
    at: number,
    changed: NonNullable<RawEvent['changed_attributes']> = {},
  ): RawEvent {
    const { contact_id, ...snapshot } = conversation
    const contact = Number(contact_id)
    const said = leaveOut(snapshot as Conversation, Object.keys(changed), command)
    const hasContact = !this.goneContacts.has(contact) && (command.leaveOut === 0 || command.value % 3 > 0)
    return this.event(event, command, at, {
      changed_attributes: changed,
      conversation: said,
      ...(hasContact ? { contact: { ...this.contactOf(contact) } } : {}),
    })
  }

  private event(event: string, command: Command, at: number, rest: Partial<RawEvent>): RawEvent {
    return { id: this.eventId(), event, occurred_at: iso(at), performed_by: ACTORS[command.by] ?? null, ...rest }
  }

  private eventId(): string {
    this.published += 1
    return `e${this.published}`
  }
}

const TAGGED = { automation_rule_id: 1 }

function contentAttributes(other: number): JsonObject {
  if (other === 57) return TAGGED
  if (other === 58) return { email: { auto_reply: true } }
  return other === 59 ? { email: { auto_reply: false }, automation_rule_id: null } : {}
}

/** A snapshot may be partial. The creation time always stands in it: without one there may be no key of an episode. */
function leaveOut(snapshot: Conversation, changed: readonly string[], command: Command): Conversation {
  const drawn = command.leaveOut
  if (drawn === 0) return { ...snapshot }
  const kept = Object.entries(snapshot).filter(([key], i) => {
    if (['id', 'created_at'].includes(key) || changed.includes(key)) return true
    if (drawn === 1) return false
    if (drawn === 2) return key !== 'status_changed_at'
    return (command.other + i * drawn) % 4 > 1
  })
  return Object.fromEntries(kept) as Conversation
}

/** With six digits and Z, or in one of the other ways to write the same instant. */
function iso(at: number): string {
  const seconds = Math.floor(at / 1_000_000)
  const fraction = String(at - seconds * 1_000_000).padStart(6, '0')
  if (fraction === '000000') return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`
  if (seconds % 3 === 0) return `${new Date((seconds + 7_200) * 1_000).toISOString().slice(0, 19)}.${fraction}+02:00`
  return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}.${fraction}Z`
}
