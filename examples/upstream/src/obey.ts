import type { ActionEnvelope } from '@dwell/contracts/action'
import { CONVERSATION_STATUSES, PRIORITIES } from '@dwell/contracts/events'
import type { Conversation, Doing, HelpDesk } from './help-desk'
import type { Micros } from './instants'

/** What a rule may ask of this desk. Each does it and says in a few words what it did. */
type Order = (desk: HelpDesk, conversation: Conversation, action: ActionEnvelope, doing: Doing) => string

/** How rules write "nobody". */
const NOBODY: readonly unknown[] = ['nil', 0, null, undefined]

const ORDERS: Readonly<Record<string, Order>> = {
  send_message(desk, conversation, action, doing) {
    const content = action.content ?? String(action.action_params[0] ?? '')
    desk.reply(conversation, { content, contentAttributes: action.content_attributes }, doing)
    return `writes "${content}"`
  },
  add_private_note(desk, conversation, action, doing) {
    const content = action.content ?? String(action.action_params[0] ?? '')
    desk.reply(conversation, { content, private: true, contentAttributes: action.content_attributes }, doing)
    return `notes "${content}"`
  },
  send_attachment(desk, conversation, action, doing) {
    const content = `attachment ${action.action_params.join(', ')}`
    desk.reply(conversation, { content, contentAttributes: action.content_attributes }, doing)
    return `sends ${content}`
  },
  add_label(desk, conversation, { action_params: labels }, doing) {
    desk.changeLabels(conversation, { add: labels.map(String) }, doing)
    return `labels it ${labels.join(', ')}`
  },
  remove_label(desk, conversation, { action_params: labels }, doing) {
    desk.changeLabels(conversation, { remove: labels.map(String) }, doing)
    return `takes the label ${labels.join(', ')} away`
  },
  assign_agent(desk, conversation, { action_params: [agent] }, doing) {
    const agentId = agent === 'last_responding_agent' ? conversation.lastResponderId : personOrNobody(agent)
    desk.assign(conversation, { agentId }, doing)
    return agentId === null ? 'unassigns its agent' : `assigns it to agent ${agentId}`
  },
  remove_assigned_agent(desk, conversation, _action, doing) {
    desk.assign(conversation, { agentId: null }, doing)
    return 'unassigns its agent'
  },
  assign_team(desk, conversation, { action_params: [team] }, doing) {
    const teamId = personOrNobody(team)
    desk.assign(conversation, { teamId }, doing)
    return teamId === null ? 'unassigns its team' : `assigns it to team ${teamId}`
  },
  remove_assigned_team(desk, conversation, _action, doing) {
    desk.assign(conversation, { teamId: null }, doing)
    return 'unassigns its team'
  },
  change_status(desk, conversation, { action_params: [wanted] }, doing) {
    const status = CONVERSATION_STATUSES.find((known) => known === wanted)
    if (!status) return `asks for a status that does not exist: ${String(wanted)}`
    desk.changeStatus(conversation, status, doing)
    return `makes it ${status}`
  },
  open_conversation: toStatus('open'),
  pending_conversation: toStatus('pending'),
  resolve_conversation: toStatus('resolved'),
  snooze_conversation: toStatus('snoozed'),
  change_priority(desk, conversation, { action_params: [wanted] }, doing) {
    const priority = PRIORITIES.find((known) => known === wanted) ?? null
    if (priority === null && !NOBODY.includes(wanted))
      return `asks for a priority that does not exist: ${String(wanted)}`
    desk.changePriority(conversation, priority, doing)
    return priority === null ? 'takes its priority away' : `makes its priority ${priority}`
  },
  mute_conversation(_desk, conversation) {
    conversation.muted = true
    return 'mutes it'
  },
}

/**
 * Does what a rule has decided, once per action id, and returns one line for people. What follows from it is published
 * as done by that rule, so that Dwell arms nothing for it. Null where the action is another account's.
 */
export function obey(desk: HelpDesk, action: ActionEnvelope, at: Micros): string | null {
  // The stream carries the actions of all accounts; those of other ones are for other desks.
  if (action.account_id !== desk.accountId) return null
  const conversation = desk.find(action.conversation_id)
  const rule = `rule "${action.automation_rule_name}"`
  if (!conversation) return `${rule}: conversation ${action.conversation_id} is of an earlier day, nothing is done`
  if (!desk.isFirst(action.id)) return `${rule}: action ${action.id} was obeyed already`
  const order = ORDERS[action.action_name]
  const done = order
    ? order(desk, conversation, action, { at, by: action.performed_by })
    : `asks for ${action.action_name}, which this desk does not know`
  return `conversation ${conversation.id} of ${conversation.customer.name}: ${rule} ${done}`
}

function toStatus(status: Conversation['status']): Order {
  return (desk, conversation, _action, doing) => {
    desk.changeStatus(conversation, status, doing)
    return `makes it ${status}`
  }
}

function personOrNobody(param: unknown): number | null {
  return NOBODY.includes(param) ? null : Number(param)
}
