// What the product does on this machine: real processes, the real clock.
import { setTimeout as pause } from 'node:timers/promises'
import { createPublisher } from '@dwell/publisher/publisher'
import { connectOutside } from '../scripts/outside.mjs'
import { eventOf } from './events.mjs'

const DELAY_MINUTES = 10
const KILL_SWITCH = 'DISABLE_DELAYED_AUTOMATIONS'
const SWEEP_LIMIT = 'AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT'
const MOST_ROWS_PER_SWEEP = 100_000
const LOOK_EVERY_MS = 10
const GIVE_UP_AFTER_MS = 150_000

/**
 * @typedef {{url: string, adminToken: string, redisUrl: string, ingest: import('../scripts/processes.mjs').Running}} Product
 * @param {Product} product
 */
export async function openBench({ url, adminToken, redisUrl, ingest }) {
  const outside = connectOutside({ url, adminToken, redisUrl })
  const publisher = createPublisher({ redisUrl })
  await outside.setConfig(SWEEP_LIMIT, MOST_ROWS_PER_SWEEP)

  /** An account whose rule waits for pending conversations; with two more rules that never match. */
  async function createAccount() {
    const { payload: account } = await outside.must('POST', '/accounts', {
      name: 'Bench',
      features: ['delayed_automations'],
    })
    for (const status of ['pending', 'snoozed', 'resolved']) {
      await outside.must('POST', `/accounts/${account.id}/automation_rules`, {
        name: `Stays ${status}`,
        event_name: 'conversation_updated',
        conditions: [{ attribute_key: 'status', filter_operator: 'equal_to', values: [status], query_operator: null }],
        actions: [{ action_name: 'add_label', action_params: ['stale'] }],
        execution_delay: DELAY_MINUTES,
      })
    }
    return account.id
  }

  const eventsOf = (account, count, more = {}) =>
    Array.from({ length: count }, (_, conversation) => eventOf({ account, conversation, ...more }))

  /** Puts all events on the stream while ingest stands still, then lets it go; seconds until all are acknowledged. */
  async function take(events) {
    process.kill(ingest.pid, 'SIGSTOP')
    try {
      await publisher.publish(events)
    } finally {
      process.kill(ingest.pid, 'SIGCONT')
    }
    const began = performance.now()
    await until(async () => {
      const { unread, pending } = await outside.backlog()
      return !unread && pending === 0
    })
    return (performance.now() - began) / 1_000
  }

  async function rowCount(account, query) {
    let count = 0
    for (let cursor = null; ; ) {
      const more = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const { payload, meta } = await outside.must('GET', `/accounts/${account}/executions?limit=500${query}${more}`)
      count += payload.length
      cursor = meta.next_cursor
      if (cursor === null) return count
    }
  }

  return {
    /** Events per second, each of which arms a row. Checks that it did. */
    async measureArming(count) {
      const account = await createAccount()
      const seconds = await take(eventsOf(account, count))
      const armed = await rowCount(account, '&status=pending')
      if (armed !== count) throw new Error(`${armed} of ${count} rows were armed`)
      await outside.must('DELETE', `/accounts/${account}`)
      return count / seconds
    },
    /** Events per second that only tell facts: no rule matches. */
    async measureProjecting(count) {
      const account = await createAccount()
      const seconds = await take(eventsOf(account, count, { status: 'open' }))
      await outside.must('DELETE', `/accounts/${account}`)
      return count / seconds
    },
    /** Rows per second, from the beginning of the sweep that finds them due to their action on the stream. */
    async measureFiring(count) {
      const account = await createAccount()
      await outside.setConfig(KILL_SWITCH, true)
      await take(eventsOf(account, count, { statusChangedAtMs: Date.now() - (DELAY_MINUTES + 1) * 60_000 }))
      const before = await outside.redis.xlen('dwell:actions')
      await outside.setConfig(KILL_SWITCH, false)
      const began = performance.now()
      const swept = outside.sweep().catch(() => null)
      await until(async () => (await outside.redis.xlen('dwell:actions')) - before >= count)
      const seconds = (performance.now() - began) / 1_000
      await swept
      const executed = await rowCount(account, '&status=executed')
      if (executed !== count) throw new Error(`${executed} of ${count} rows were executed`)
      await outside.must('DELETE', `/accounts/${account}`)
      return count / seconds
    },
    /**
     * Milliseconds from the instant at which a row is due to its action on the stream, while `rate` rows per second
     * become due for `seconds`.
     */
    async measureLateness(rate, seconds) {
      const account = await createAccount()
      const count = rate * seconds
      const [last] = await outside.redis.xrevrange('dwell:actions', '+', '-', 'COUNT', 1)
      const from = last ? `(${last[0]}` : '-'
      const firstDueMs = Date.now() + 2_000
      await publisher.publish(
        Array.from(
          { length: count },
          (_, conversation) =>
            /** @type {any} */ (
              eventOf({
                account,
                conversation,
                statusChangedAtMs: Math.round(firstDueMs - DELAY_MINUTES * 60_000 + (conversation * 1_000) / rate),
              })
            ),
        ),
      )
      const entries = () => outside.redis.xrange('dwell:actions', from, '+')
      await until(async () => (await entries()).length >= count)
      const lateness = (await entries()).map(
        ([id, [, text]]) => Number(id.split('-')[0]) - Date.parse(JSON.parse(text).due_at),
      )
      await outside.must('DELETE', `/accounts/${account}`)
      return { p50: percentile(lateness, 0.5), p99: percentile(lateness, 0.99) }
    },
    async close() {
      await publisher.close()
      outside.close()
    },
  }
}

async function until(condition) {
  for (const limit = Date.now() + GIVE_UP_AFTER_MS; !(await condition()); await pause(LOOK_EVERY_MS)) {
    if (Date.now() > limit) throw new Error(`It took longer than ${GIVE_UP_AFTER_MS / 1_000} s`)
  }
}

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}
