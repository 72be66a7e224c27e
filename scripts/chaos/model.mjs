// Conversations, told as events, and what must come of them: computed here, by thinking about each kind of conversation,
// and not by anything that the product does.

const FIRST_INSTANT = Date.UTC(2026, 8, 1, 9) * 1_000
const MINUTE = 60_000_000
/** From the beginning of one wave to that of the next. Its waits are over when the next one is under way. */
const WAVE_MINUTES = 20
/** Conversations begin within the first three minutes of their wave, all that happens in them is over after seven. */
const BEGIN_WITHIN_SECONDS = 180
const CLOCK_MINUTES = 8

export const ACCOUNT = 1
const AGENT = { type: 'user', id: 7 }
const RULE = { type: 'automation_rule', id: 999 }

/** @param {string} attribute_key @param {unknown} value @param {'and' | 'or' | null} [query_operator] */
const is = (attribute_key, value, query_operator = null) => ({
  attribute_key,
  filter_operator: 'equal_to',
  values: [value],
  query_operator,
})

/** The rules, by the names that expectations use. All delays are 10 minutes. */
export const RULES = {
  stale: {
    event_name: 'conversation_updated',
    conditions: [is('status', 'pending')],
    actions: [{ action_name: 'add_label', action_params: ['stale'] }],
    execution_delay: 10,
  },
  chase: {
    event_name: 'message_created',
    conditions: [is('message_type', 'outgoing', 'and'), is('private_note', false)],
    actions: [{ action_name: 'send_message', action_params: ['Any news?'] }],
    execution_delay: 10,
  },
  unanswered: {
    event_name: 'message_created',
    conditions: [is('message_type', 'incoming')],
    actions: [
      { action_name: 'assign_agent', action_params: ['nil'] },
      { action_name: 'add_label', action_params: ['unanswered'] },
    ],
    execution_delay: 10,
  },
  urgent: {
    event_name: 'message_created',
    conditions: [{ ...is('content', 'urgent'), filter_operator: 'contains' }],
    actions: [{ action_name: 'change_priority', action_params: ['urgent'] }],
    execution_delay: null,
  },
}

/**
 * Each kind plays one conversation in four or more events and says which rows it must leave, as `rule status`. Times are
 * minutes from the conversation's beginning; its waits start within the first four.
 */
const KINDS = [
  function staysPending(c) {
    c.created(0)
    c.updated(1, { status: 'pending' })
    c.updated(2, { labels: ['vip'] })
    c.updated(3, { priority: 'high' })
    return ['stale executed']
  },
  function resolvedInTime(c) {
    c.created(0)
    c.updated(1, { status: 'pending' })
    c.updated(2, { labels: ['vip'] })
    c.updated(4, { status: 'resolved' })
    return ['stale skipped episode_moved']
  },
  function pendingTwice(c) {
    c.created(0)
    c.updated(1, { status: 'pending' })
    c.updated(2, { status: 'open' })
    c.updated(3, { status: 'pending' })
    return ['stale skipped episode_moved', 'stale executed']
  },
  function silentCustomer(c) {
    c.created(0)
    c.incoming(1)
    c.outgoing(2)
    c.outgoing(3)
    return ['unanswered skipped episode_moved', 'chase executed']
  },
  function customerAnswers(c) {
    c.created(0)
    c.incoming(1)
    c.outgoing(2)
    c.incoming(3)
    return ['unanswered skipped episode_moved', 'chase skipped episode_moved', 'unanswered executed']
  },
  function silentAgent(c) {
    c.created(0)
    c.incoming(1)
    c.incoming(2)
    c.incoming(3)
    return ['unanswered executed']
  },
  function urgentCustomer(c) {
    c.created(0)
    c.incoming(1, 'urgent!')
    c.outgoing(2)
    c.incoming(3, 'very urgent!')
    return [
      'urgent executed',
      'urgent executed',
      'unanswered skipped episode_moved',
      'chase skipped episode_moved',
      'unanswered executed',
    ]
  },
  function movedByRules(c) {
    c.created(0)
    c.updated(1, { status: 'pending' }, RULE)
    c.updated(2, { status: 'open' })
    c.updated(3, { labels: ['vip'] })
    return []
  },
  function deleted(c) {
    c.created(0)
    c.updated(1, { status: 'pending' })
    c.updated(2, { labels: ['vip'] })
    c.deleted(3)
    return ['stale skipped conversation_gone']
  },
]

/**
 * @param {{conversations: number, events: number, waves: number, random: ReturnType<typeof import('./random.mjs').createRandom>}} options
 * @returns {{waves: object[][], rows: string[], actions: string[]}} `waves`: events in the order in which they happen;
 *   `rows`: `conversation rule status`; `actions`: `conversation rule name params`
 */
export function makeModel({ conversations, events: wantedEvents, waves: waveCount, random }) {
  /** @type {any[][]} */
  const waves = Array.from({ length: waveCount }, () => [])
  const rows = []
  const actions = []
  let total = 0
  for (let n = 0; n < conversations; n++) {
    const wave = n % waveCount
    const start = waveStart(wave) + random.below(BEGIN_WITHIN_SECONDS * 1_000) * 1_000
    const conversation = new Conversation(1_000 + n, start)
    const left = random.pick(KINDS)(conversation)
    // What is left of the wanted number is spread evenly, as changes that no rule cares about.
    const share = Math.round(((n + 1) * wantedEvents) / conversations)
    while (total + conversation.events.length < share && conversation.note()) {}
    total += conversation.events.length
    waves[wave].push(...conversation.events)
    for (const row of left) {
      rows.push(`${conversation.id} ${row}`)
      const [rule, status] = row.split(' ')
      if (status !== 'executed') continue
      for (const { action_name, action_params } of RULES[rule].actions) {
        actions.push(`${conversation.id} ${rule} ${action_name} ${action_params.join()}`)
      }
    }
  }
  for (const events of waves) events.sort((a, b) => (a.occurred_at < b.occurred_at ? -1 : 1))
  return { waves, rows, actions }
}

/** The clock while a wave is told: the waits of the wave before are over, its own are not. */
export function clockOf(wave) {
  return iso(waveStart(wave) + CLOCK_MINUTES * MINUTE)
}

export function minutesAfter(instant, minutes) {
  return iso(Date.parse(instant) * 1_000 + minutes * MINUTE)
}

function waveStart(wave) {
  return FIRST_INSTANT + wave * WAVE_MINUTES * MINUTE
}

class Conversation {
  constructor(id, start) {
    this.id = id
    this.start = start
    this.events = []
    /** @type {Record<string, any>} */
    this.facts = {
      id,
      inbox_id: 5,
      status: 'open',
      status_changed_at: iso(start),
      waiting_since: null,
      created_at: iso(start),
      assignee_id: 7,
      labels: [],
    }
  }

  created(minute) {
    this.tell(minute, 'conversation_created', { performed_by: null })
  }

  updated(minute, facts, by = AGENT) {
    const before = this.facts
    const changed = Object.fromEntries(Object.keys(facts).map((key) => [key, [before[key] ?? null, facts[key]]]))
    this.facts = { ...before, ...facts, ...(facts.status ? { status_changed_at: this.at(minute) } : {}) }
    this.tell(minute, 'conversation_updated', { performed_by: by, changed_attributes: changed })
  }

  deleted(minute) {
    this.tell(minute, 'conversation_deleted', { performed_by: AGENT })
  }

  incoming(minute, content = 'Hello?') {
    this.facts = { ...this.facts, waiting_since: this.facts.waiting_since ?? this.at(minute) }
    this.message(minute, 'incoming', content, { type: 'contact', id: 9 }, null)
  }

  outgoing(minute) {
    this.facts = { ...this.facts, waiting_since: null }
    this.message(minute, 'outgoing', 'Hello!', AGENT, AGENT)
  }

  /** Something that no rule cares about, a second after the last event; false where nothing can happen any more. */
  note() {
    const last = this.events.at(-1)
    if (last.event === 'conversation_deleted') return false
    const before = this.facts.custom_attributes ?? {}
    const after = { note: this.events.length }
    this.facts = { ...this.facts, custom_attributes: after }
    this.events.push({
      ...this.envelope(),
      event: 'conversation_updated',
      occurred_at: iso(Date.parse(last.occurred_at) * 1_000 + 1_000_000),
      performed_by: RULE,
      changed_attributes: { custom_attributes: [before, after] },
      conversation: this.facts,
    })
    return true
  }

  message(minute, message_type, content, sender, performed_by) {
    this.tell(minute, 'message_created', {
      performed_by,
      message: {
        id: this.id * 100 + this.events.length,
        message_type,
        private: false,
        content,
        created_at: this.at(minute),
        content_attributes: {},
        sender,
      },
    })
  }

  tell(minute, event, more) {
    this.events.push({
      ...this.envelope(),
      event,
      occurred_at: this.at(minute),
      conversation: this.facts,
      contact: { id: 9, name: 'Ann', email: 'ann@example.com' },
      ...more,
    })
  }

  envelope() {
    return { id: `chaos-${this.id}-${this.events.length}`, account_id: ACCOUNT }
  }

  at(minute) {
    return iso(this.start + minute * MINUTE)
  }
}

function iso(micros) {
  return `${new Date(Math.floor(micros / 1_000)).toISOString().slice(0, -1)}${String(micros % 1_000).padStart(3, '0')}Z`
}
