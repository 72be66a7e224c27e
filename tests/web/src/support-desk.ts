import { conversation, type Desk, openDesk, setClock, sweep } from './desk'
import { type HookReceiver, openHooks } from './hooks'

/** A desk with some history: rules that fired, skipped and wait, and deliveries that need somebody. */
export interface BusyDesk extends Desk {
  readonly hooks: HookReceiver
  readonly rules: { readonly stale: number; readonly followUp: number; readonly notify: number }
}

const MORNING = '2026-09-01T09:00:00.000000Z'
export const NOON = '2026-09-01T14:30:00.000000Z'
const at = (time: string) => `2026-09-01T${time}:00.000000Z`

export async function openBusyDesk(name: string): Promise<BusyDesk> {
  await setClock(MORNING)
  const desk = await openDesk({ name })
  const hooks = await openHooks(404)
  const stale = await desk.rule({
    name: 'Label what stays pending',
    event_name: 'conversation_updated',
    execution_delay: 240,
    conditions: [
      { attribute_key: 'status', filter_operator: 'equal_to', values: ['pending'], query_operator: 'and' },
      { attribute_key: 'labels', filter_operator: 'not_equal_to', values: ['vip'], query_operator: null },
    ],
    actions: [{ action_name: 'add_label', action_params: ['stale'] }],
  })
  const followUp = await desk.rule({
    name: 'Ask again after a day without an answer',
    event_name: 'message_created',
    execution_delay: 1_440,
    conditions: [
      { attribute_key: 'message_type', filter_operator: 'equal_to', values: ['outgoing'], query_operator: null },
    ],
    actions: [{ action_name: 'send_message', action_params: ['Are you still there, {{contact.name}}?'] }],
  })
  const notify = await desk.rule({
    name: 'Tell the workshop of urgent ones',
    event_name: 'conversation_updated',
    conditions: [{ attribute_key: 'priority', filter_operator: 'equal_to', values: ['urgent'], query_operator: null }],
    actions: [
      { action_name: 'send_webhook_event', action_params: [hooks.url] },
      { action_name: 'add_label', action_params: ['urgent'] },
    ],
  })
  const pending = (id: number, time: string, facts: object = {}) => ({
    event: 'conversation_updated',
    occurred_at: at(time),
    conversation: conversation(id, { status: 'pending', status_changed_at: at(time), labels: ['billing'], ...facts }),
    contact: { id: 9, name: 'Ann Meyer', email: 'ann@example.com', phone_number: null },
    changed_attributes: { status: ['open', 'pending'] },
  })
  await desk.publish(pending(101, '09:00'), pending(102, '09:01'), pending(103, '09:02'), pending(104, '12:00'))
  await desk.publish({
    event: 'message_created',
    occurred_at: at('09:10'),
    conversation: conversation(105),
    contact: { id: 10, name: 'Ben Ode', email: 'ben@example.com', phone_number: null },
    message: {
      id: 501,
      message_type: 'outgoing',
      private: false,
      content: 'Did that help?',
      created_at: at('09:10'),
      content_attributes: {},
      sender: { type: 'user', id: 7 },
    },
  })
  // Somebody answered in 102; 103 became important.
  await desk.publish({
    event: 'conversation_updated',
    occurred_at: at('10:00'),
    conversation: conversation(102, { status: 'open', status_changed_at: at('10:00') }),
    changed_attributes: { status: ['pending', 'open'] },
  })
  await desk.publish({
    event: 'conversation_updated',
    occurred_at: at('10:30'),
    conversation: { id: 103, labels: ['vip'] },
    changed_attributes: { labels: [['billing'], ['vip']] },
  })
  await desk.publish({
    event: 'conversation_updated',
    occurred_at: at('11:00'),
    conversation: conversation(106, { priority: 'urgent' }),
    changed_attributes: { priority: [null, 'urgent'] },
  })
  await setClock(at('13:05'))
  await sweep()
  await setClock(NOON)
  await sweep()
  return {
    ...desk,
    hooks,
    rules: { stale: stale.id, followUp: followUp.id, notify: notify.id },
  }
}
