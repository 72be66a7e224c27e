import { agree, useProduct } from './agree'
import { micros, type RawEvent, type RuleBody, type Step } from './interpreter'

// Histories on which product and model once parted, or on which a change to one of them went wrong, shrunk.

const product = useProduct()

test('a row that ended for good keeps its key when an earlier message of the customer comes late', () =>
  agree(product(), {
    timeZone: 'UTC',
    steps: [
      rule({ event_name: 'message_created', execution_delay: 30 }),
      clock('09:00:10'),
      publish(message('outgoing', 502, '09:00:02')),
      publish(message('incoming', 503, '09:00:03')),
      clock('10:00:00'),
      sweep,
      publish(message('incoming', 501, '09:00:01')),
    ],
  }))

test('an executed row goes with the silence it belongs to, so that the customer is not asked twice', () =>
  agree(product(), {
    timeZone: 'UTC',
    steps: [
      rule({ event_name: 'message_created', execution_delay: 30 }),
      clock('09:00:10'),
      publish(message('outgoing', 502, '09:00:02')),
      clock('10:00:00'),
      sweep,
      publish(message('incoming', 501, '09:00:01')),
      publish(message('outgoing', 503, '09:50:00')),
      clock('11:00:00'),
      sweep,
    ],
  }))

test('a late event that tells when the status changed brings the wait forward to it', () =>
  agree(product(), {
    timeZone: 'UTC',
    steps: [
      rule({ event_name: 'conversation_updated', execution_delay: 30 }),
      clock('09:10:00'),
      publish(update('09:05:00', { created_at: at('09:00:00'), status: 'open' })),
      publish(update('09:04:00', { created_at: at('09:00:00'), status: 'open', status_changed_at: at('09:00:00') })),
      clock('09:30:00'),
      sweep,
    ],
  }))

test('an edit that comes before its message is not forgotten', () =>
  agree(product(), {
    timeZone: 'UTC',
    steps: [
      rule({ event_name: 'message_created', execution_delay: 30, conditions: [contains('refund')] }),
      clock('09:10:00'),
      publish({
        ...message('incoming', 501, '09:01:00'),
        id: 'edit',
        event: 'message_updated',
        message: { id: 501, content: 'thanks' },
      }),
      publish(message('incoming', 501, '09:00:00', 'a refund')),
      clock('10:00:00'),
      sweep,
    ],
  }))

test('a message that is deleted before it comes arms a row that does nothing', () =>
  agree(product(), {
    timeZone: 'UTC',
    steps: [
      rule({ event_name: 'message_created', execution_delay: 30 }),
      clock('09:10:00'),
      publish({ ...message('incoming', 501, '09:01:00'), id: 'gone', event: 'message_deleted', message: { id: 501 } }),
      publish(message('incoming', 501, '09:00:00')),
      clock('10:00:00'),
      sweep,
    ],
  }))

test('a job that was left in the queue loses against a newer message, and the row is executed when that is due', () =>
  agree(product(), {
    timeZone: 'UTC',
    steps: [
      rule({ event_name: 'message_created', execution_delay: 30 }),
      clock('09:00:00'),
      publish(message('outgoing', 501, '09:00:00')),
      clock('09:30:00'),
      { do: 'sweep', work: false },
      publish(message('outgoing', 502, '09:30:00')),
      { do: 'work' },
      clock('10:00:00'),
      sweep,
    ],
  }))

test('jobs that Redis lost are claimed anew after more than 15 minutes, not after exactly 15', () =>
  agree(product(), {
    timeZone: 'UTC',
    steps: [
      rule({ event_name: 'message_created', execution_delay: 30 }),
      clock('09:00:00'),
      publish(message('outgoing', 501, '09:00:00')),
      clock('09:30:00'),
      { do: 'sweep', work: false },
      { do: 'lose_jobs' },
      clock('09:45:00'),
      sweep,
      clock('09:45:00.000001'),
      sweep,
    ],
  }))

test('what a worker left behind in a pause is skipped by the first sweep after the pause was taken back', () =>
  agree(product(), {
    timeZone: 'UTC',
    steps: [
      rule({ event_name: 'message_created', execution_delay: 30 }),
      clock('09:00:00'),
      { do: 'when_disabled', value: 'pause' },
      publish(message('incoming', 501, '09:00:00')),
      clock('09:30:00'),
      { do: 'sweep', work: false },
      { do: 'lose_jobs' },
      { do: 'feature', on: false },
      clock('09:30:00.000001'),
      { do: 'when_disabled', value: 'skip' },
      { do: 'sweep', work: false },
    ],
  }))

const sweep: Step = { do: 'sweep', work: true }

function at(time: string): string {
  return `2026-09-01T${time}Z`
}

function clock(time: string): Step {
  return { do: 'clock', at: micros(at(time)) }
}

function publish(...events: RawEvent[]): Step {
  return { do: 'publish', events }
}

function rule(body: Pick<RuleBody, 'event_name' | 'execution_delay'> & Partial<RuleBody>): Step {
  const actions = [{ action_name: 'add_label', action_params: ['late'] }]
  return { do: 'create', rule: 'R1', body: { conditions: [], actions, active: true, ...body } }
}

function contains(text: string): RuleBody['conditions'][number] {
  const condition = { attribute_key: 'content', filter_operator: 'contains', values: [text] }
  return { ...condition, query_operator: null, custom_attribute_type: '' }
}

function update(time: string, conversation: object): RawEvent {
  return {
    id: `at ${time}`,
    event: 'conversation_updated',
    occurred_at: at(time),
    conversation: { id: 101, ...conversation },
  }
}

function message(message_type: 'incoming' | 'outgoing', id: number, time: string, content = 'hello'): RawEvent {
  const waiting_since = message_type === 'incoming' ? at(time) : null
  return {
    ...update(time, { created_at: at('08:00:00'), waiting_since }),
    event: 'message_created',
    message: { id, message_type, private: false, content, created_at: at(time) },
  }
}
