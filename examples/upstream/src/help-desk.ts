import type { InboundEventInput } from '@dwell/contracts/events'
import { formatInstant, type Micros } from './instants'

type Actor = NonNullable<InboundEventInput['performed_by']>
type Snapshot = Extract<InboundEventInput, { conversation: unknown }>['conversation']
type Status = NonNullable<Snapshot['status']>
type Priority = NonNullable<Snapshot['priority']>
type ChangedAttributes = Record<string, [unknown, unknown]>

export interface Customer {
  readonly id: number
  readonly name: string
  readonly email: string
}

export interface Conversation {
  readonly id: number
  readonly customer: Customer
  readonly inboxId: number
  readonly createdAt: Micros
  status: Status
  statusChangedAt: Micros
  /** Since when the customer waits for a human answer; null while nobody waits. */
  waitingSince: Micros | null
  assigneeId: number | null
  teamId: number | null
  priority: Priority | null
  labels: string[]
  muted: boolean
  lastResponderId: number | null
}

/** Who does something, and when. Without an actor it is the customer. */
export interface Doing {
  readonly at: Micros
  readonly by?: Actor
}

export interface Message {
  readonly content: string
  readonly private?: boolean
  readonly contentAttributes?: Record<string, unknown>
}

/** More conversations than these are not kept; the oldest go first. */
const KEPT_CONVERSATIONS = 1_000
/** Actions are remembered for much longer than they can come again. */
const REMEMBERED_ACTIONS = 50_000

/**
 * A help desk that lives in memory. Everything that happens in it is told as an event, as a real one would: one
 * `conversation_updated` per change, `conversation_opened` or `conversation_resolved` beside it, `message_created` per
 * message.
 */
export class HelpDesk {
  private readonly conversations = new Map<number, Conversation>()
  private readonly obeyed = new Set<string>()
  private nextConversationId: number
  private nextMessageId: number
  private nextEventId = 1

  /** @param firstId ids count from here, so that those of an earlier life are not given out again */
  constructor(
    readonly accountId: number,
    private readonly firstId: number,
    private readonly tell: (event: InboundEventInput) => void,
  ) {
    this.nextConversationId = firstId
    this.nextMessageId = firstId
  }

  find(conversationId: number): Conversation | undefined {
    return this.conversations.get(conversationId)
  }

  /** True the first time only: the same action may be handed over again. */
  isFirst(actionId: string): boolean {
    if (this.obeyed.has(actionId)) return false
    this.obeyed.add(actionId)
    dropOldest(this.obeyed, REMEMBERED_ACTIONS)
    return true
  }

  open(customer: Customer, start: { inboxId?: number; status?: Status; assigneeId?: number }, { at }: Doing) {
    const conversation: Conversation = {
      id: this.nextConversationId++,
      customer,
      inboxId: start.inboxId ?? 1,
      createdAt: at,
      status: start.status ?? 'open',
      statusChangedAt: at,
      waitingSince: null,
      assigneeId: start.assigneeId ?? null,
      teamId: null,
      priority: null,
      labels: [],
      muted: false,
      lastResponderId: null,
    }
    this.conversations.set(conversation.id, conversation)
    dropOldest(this.conversations, KEPT_CONVERSATIONS)
    this.tellAbout('conversation_created', conversation, { at })
    return conversation
  }

  /** Opens a resolved or snoozed conversation again, as an answer of the customer does. */
  customerWrites(conversation: Conversation, content: string, { at }: Doing): void {
    conversation.waitingSince ??= at
    this.tellMessage(conversation, 'incoming', { content }, { at })
    if (conversation.status === 'resolved' || conversation.status === 'snoozed') {
      this.changeStatus(conversation, 'open', { at })
    }
  }

  /** A message of an agent or of a rule. Only a public one of a person ends the customer's waiting. */
  reply(conversation: Conversation, message: Message, doing: Doing): void {
    const answers = !message.private && doing.by?.type === 'user'
    const waitedSince = conversation.waitingSince
    if (answers) {
      conversation.waitingSince = null
      conversation.lastResponderId = Number(doing.by?.id)
    }
    this.tellMessage(conversation, 'outgoing', message, doing)
    if (answers && waitedSince !== null) {
      this.tellAbout('conversation_updated', conversation, doing, {
        waiting_since: [formatInstant(waitedSince), null],
      })
    }
  }

  changeStatus(conversation: Conversation, status: Status, doing: Doing): void {
    const before = conversation.status
    if (before === status) return
    conversation.status = status
    conversation.statusChangedAt = doing.at
    if (status === 'resolved') conversation.waitingSince = null
    this.tellAbout('conversation_updated', conversation, doing, { status: [before, status] })
    if (status === 'open') this.tellAbout('conversation_opened', conversation, doing, { status: [before, status] })
    if (status === 'resolved')
      this.tellAbout('conversation_resolved', conversation, doing, { status: [before, status] })
  }

  /** A difference, not the whole list: what others have added stays. */
  changeLabels(conversation: Conversation, change: { add?: string[]; remove?: string[] }, doing: Doing): void {
    const before = conversation.labels
    const after = [...new Set([...before, ...(change.add ?? [])])].filter((label) => !change.remove?.includes(label))
    if (after.length === before.length && after.every((label) => before.includes(label))) return
    conversation.labels = after
    this.tellAbout('conversation_updated', conversation, doing, { label_list: [before, after] })
  }

  assign(conversation: Conversation, to: { agentId: number | null } | { teamId: number | null }, doing: Doing): void {
    const [key, attribute, value] =
      'agentId' in to
        ? (['assigneeId', 'assignee_id', to.agentId] as const)
        : (['teamId', 'team_id', to.teamId] as const)
    const before = conversation[key]
    if (before === value) return
    conversation[key] = value
    this.tellAbout('conversation_updated', conversation, doing, { [attribute]: [before, value] })
  }

  changePriority(conversation: Conversation, priority: Priority | null, doing: Doing): void {
    const before = conversation.priority
    if (before === priority) return
    conversation.priority = priority
    this.tellAbout('conversation_updated', conversation, doing, { priority: [before, priority] })
  }

  private tellMessage(
    conversation: Conversation,
    messageType: 'incoming' | 'outgoing',
    message: Message,
    { at, by }: Doing,
  ): void {
    this.tell({
      ...this.envelope({ at, ...(by ? { by } : {}) }),
      event: 'message_created',
      ...this.facts(conversation),
      message: {
        id: this.nextMessageId++,
        message_type: messageType,
        private: message.private ?? false,
        content: message.content,
        created_at: formatInstant(at),
        content_attributes: message.contentAttributes ?? {},
        sender: by ? { type: by.type, id: by.id ?? null } : { type: 'contact', id: conversation.customer.id },
      },
    })
  }

  private tellAbout(
    event: 'conversation_created' | 'conversation_updated' | 'conversation_opened' | 'conversation_resolved',
    conversation: Conversation,
    doing: Doing,
    changed: ChangedAttributes = {},
  ): void {
    this.tell({ ...this.envelope(doing), event, changed_attributes: changed, ...this.facts(conversation) })
  }

  /** A customer who becomes a member of the site. */
  signUp(customer: Customer, doing: Doing): void {
    this.tell({
      ...this.envelope(doing),
      event: 'member_signed_up',
      member: {
        id: `${this.firstId}-${customer.id}`,
        name: customer.name,
        email: customer.email,
        status: 'free',
        tier_ids: [],
        enable_updates_and_announcements: true,
        newsletter_ids: [],
      },
    })
  }

  private envelope({ at, by }: Doing) {
    return {
      id: `desk-${this.firstId}-${this.nextEventId++}`,
      occurred_at: formatInstant(at),
      account_id: this.accountId,
      performed_by: by ?? null,
    }
  }

  private facts(conversation: Conversation) {
    const { customer } = conversation
    return {
      conversation: {
        id: conversation.id,
        inbox_id: conversation.inboxId,
        status: conversation.status,
        status_changed_at: formatInstant(conversation.statusChangedAt),
        waiting_since: conversation.waitingSince === null ? null : formatInstant(conversation.waitingSince),
        created_at: formatInstant(conversation.createdAt),
        priority: conversation.priority,
        assignee_id: conversation.assigneeId,
        assignee_bot_id: null,
        team_id: conversation.teamId,
        labels: [...conversation.labels],
        custom_attributes: {},
        additional_attributes: {},
        can_reply: true,
      },
      contact: {
        id: customer.id,
        name: customer.name,
        email: customer.email,
        phone_number: null,
        additional_attributes: {},
        custom_attributes: {},
      },
    }
  }
}

function dropOldest(
  kept: { readonly size: number; keys(): Iterator<unknown>; delete(key: never): boolean },
  most: number,
) {
  while (kept.size > most) kept.delete(kept.keys().next().value as never)
}
