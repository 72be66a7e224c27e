// One conversation of a help desk on a day of its own, told as events: what the stories of the demo are made of.
import { setTimeout as pause } from 'node:timers/promises'

const PATIENCE_MS = 10_000

/** @typedef {ReturnType<typeof import('../outside.mjs').connectOutside>} Outside */

/** An account with one conversation, 101, and a clock that the story moves. @param {Outside} outside */
export async function openDesk(outside) {
  const account = (await outside.must('POST', '/accounts', { name: 'Demo', features: ['delayed_automations'] })).payload
  const base = `/accounts/${account.id}`
  let events = 0
  let messages = 500
  /** @type {Record<string, any> & {waiting_since: string | null}} */
  let conversation = {
    id: 101,
    inbox_id: 5,
    status: 'open',
    status_changed_at: at('09:00'),
    waiting_since: null,
    created_at: at('09:00'),
    assignee_id: 7,
    labels: [],
  }
  const contact = { id: 9, name: 'Ann', email: 'ann@example.com' }

  async function tell(time, event, more = {}) {
    await outside.setClock(at(time))
    events += 1
    await outside.publish([
      {
        id: `demo-${account.id}-${events}`,
        event,
        occurred_at: at(time),
        account_id: account.id,
        performed_by: { type: 'user', id: 7 },
        conversation,
        contact,
        ...more,
      },
    ])
  }

  const desk = {
    accountId: account.id,
    request: (method, path, body) => outside.request(method, `${base}${path}`, body),
    must: (method, path, body) => outside.must(method, `${base}${path}`, body),
    createRule: async (rule) => (await outside.must('POST', `${base}/automation_rules`, rule)).payload,
    /** A change of a fact. One of the status moves its instant. */
    async update(time, facts) {
      const before = conversation
      conversation = { ...conversation, ...facts, ...(facts.status ? { status_changed_at: at(time) } : {}) }
      const changed = Object.fromEntries(Object.keys(facts).map((key) => [key, [before[key], facts[key]]]))
      await tell(time, 'conversation_updated', { changed_attributes: changed })
    },
    customerWrites(time, content = 'Hello?') {
      conversation = { ...conversation, waiting_since: conversation.waiting_since ?? at(time) }
      return message(time, 'incoming', content, { performed_by: null, sender: { type: 'contact', id: 9 } })
    },
    agentWrites(time, content = 'What can I do for you?') {
      conversation = { ...conversation, waiting_since: null }
      return message(time, 'outgoing', content, { sender: { type: 'user', id: 7 } })
    },
    /** What an upstream application publishes when it obeys `send_message`: told as done by the rule. */
    ruleWrites(time, action) {
      return message(time, 'outgoing', action.content, {
        performed_by: action.performed_by,
        content_attributes: action.content_attributes,
        sender: action.performed_by,
      })
    },
    async sweepAt(time) {
      await outside.setClock(at(time))
      return outside.sweep()
    },
    rows: () => outside.executions(account.id),
    async actions() {
      return (await outside.actions()).filter((action) => action.account_id === account.id)
    },
    /** Rows and actions in one line; `until` waits for a line that is right, since immediate rules follow in a moment. */
    async outcome({ until = '' } = {}) {
      for (const limit = Date.now() + (until ? PATIENCE_MS : 0); ; ) {
        const line = `${lineOfRows(await desk.rows())} → ${lineOfActions(await desk.actions())}`
        if (line === until || Date.now() >= limit) return line
        await pause(20)
      }
    },
  }

  function message(time, messageType, content, { sender, content_attributes = {}, ...more }) {
    messages += 1
    return tell(time, 'message_created', {
      ...more,
      message: {
        id: messages,
        message_type: messageType,
        private: false,
        content,
        created_at: at(time),
        content_attributes,
        sender,
      },
    })
  }

  return desk
}

/** `10:05` of the demo's day. */
export function at(time) {
  return `2026-09-01T${time}:00.000000Z`
}

function lineOfRows(rows) {
  if (rows.length === 0) return 'no rows'
  return rows
    .map(({ status, skip_reason, due_at, episode_key }) => {
      const state = skip_reason === null ? status : `${status} ${skip_reason}`
      return episode_key.startsWith('event:') ? `${state} at once` : `${state}, due ${due_at.slice(11, 16)}`
    })
    .join('; ')
}

function lineOfActions(actions) {
  if (actions.length === 0) return 'no actions'
  return actions
    .map(({ action_name, action_params, content }) => `${action_name} ${content ?? action_params.join(' ')}`.trim())
    .join('; ')
}
