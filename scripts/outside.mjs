// The product as an upstream application and an administrator see it: REST, the event stream, the action stream.
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { apiClient } from './sample.mjs'

const EVENTS = 'dwell:events'
const GROUP = 'dwell-ingest'
const ACTIONS = 'dwell:actions'

/** @param {{url: string, adminToken: string, redisUrl: string}} product */
export function connectOutside({ url, adminToken, redisUrl }) {
  const request = apiClient(url, adminToken)
  const redis = new Redis(redisUrl)
  redis.on('error', () => {})

  /** A request that must succeed. Answers the body. */
  async function must(method, path, body) {
    const answer = await request(method, path, body)
    if (answer.status < 300) return answer.body
    throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  }

  /** All executions of an account, oldest first. */
  async function executions(accountId, query = '') {
    const rows = []
    let cursor = null
    do {
      const more = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page = await must('GET', `/accounts/${accountId}/executions?limit=500${query}${more}`)
      rows.push(...page.payload)
      cursor = page.meta.next_cursor
    } while (cursor !== null)
    return rows.sort((a, b) => a.id - b.id)
  }

  /** Everything on the stream of actions, oldest first. */
  async function actions() {
    const found = []
    for (let from = '-'; ; ) {
      const entries = await redis.xrange(ACTIONS, from, '+', 'COUNT', 5_000)
      for (const [, [, text]] of entries) found.push(JSON.parse(text))
      const last = entries.at(-1)
      if (!last) return found
      from = `(${last[0]}`
    }
  }

  /** What the consumer group has still to do: entries not read yet, and entries read but not acknowledged. */
  async function backlog() {
    const groups = await redis.xinfo('GROUPS', EVENTS).catch(() => [])
    const group = /** @type {unknown[][]} */ (groups).map(objectOf).find(({ name }) => name === GROUP)
    if (!group) return { unread: true, pending: 0 }
    const [newest] = await redis.xrevrange(EVENTS, '+', '-', 'COUNT', 1)
    return {
      unread: newest !== undefined && isBefore(String(group['last-delivered-id']), newest[0]),
      pending: Number(group.pending),
    }
  }

  /** Resolves when every event on the stream was taken. */
  async function taken({ withinMs = 15_000 } = {}) {
    for (const until = Date.now() + withinMs; ; ) {
      const { unread, pending } = await backlog()
      if (!unread && pending === 0) return
      if (Date.now() > until) throw new Error(`Not all events were taken within ${withinMs / 1000} s`)
      await pause(10)
    }
  }

  return {
    redis,
    request,
    must,
    executions,
    actions,
    backlog,
    taken,
    /** @param {object[]} events */
    async publish(events) {
      const pipeline = redis.pipeline()
      for (const event of events) pipeline.xadd(EVENTS, '*', 'event', JSON.stringify(event))
      for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error
      await taken()
    },
    setClock: (now) => must('PUT', '/test_clock', { now }),
    sweep: async () => (await must('POST', '/sweeps', {})).payload,
    setConfig: (name, value) => must('PUT', `/installation_configs/${name}`, { value }),
    close: () => redis.disconnect(),
  }
}

/** @returns {Record<string, unknown>} */
function objectOf(flat) {
  return Object.fromEntries(Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]))
}

function isBefore(a, b) {
  const [[aTime, aCount], [bTime, bCount]] = [a, b].map((id) => id.split('-').map(Number))
  return aTime < bTime || (aTime === bTime && aCount < bCount)
}
