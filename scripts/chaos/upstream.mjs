// The upstream application of the chaos run: it remembers what it sent, and sends again what a crash of Redis may have
// lost. `appendfsync everysec` promises to lose no more than the last second or so.
import { setTimeout as pause } from 'node:timers/promises'
import { createPublisher } from '@dwell/publisher/publisher'
import { Redis } from 'ioredis'

const LOST_AT_MOST_MS = 3_000
const REMEMBERED_MS = 60_000
const AT_ONCE = 100

/** @param {string} redisUrl */
export function createUpstream(redisUrl) {
  // What fails while Redis is away fails at once and is sent again by us, after what must stand before it: a connection
  // that sends it by itself when Redis is back would change the order.
  const redis = new Redis(redisUrl, { enableOfflineQueue: false, maxRetriesPerRequest: 0 })
  redis.on('error', () => {})
  const publisher = createPublisher({ redis, giveUpAfterMs: 0 })
  /** @type {{at: number, events: object[]}[]} */
  let recent = []
  let sent = 0
  let open = Promise.resolve()
  let openAgain = () => {}

  async function sendNow(events) {
    await publisher.publish(/** @type {any} */ (events))
    const at = performance.now()
    sent += events.length
    recent = [...recent.filter((chunk) => chunk.at > at - REMEMBERED_MS), { at, events }]
  }

  async function sendUntilTaken(send) {
    for (;;) {
      try {
        return await send()
      } catch (error) {
        if (error instanceof Error && error.name === 'InvalidEventsError') throw error
        await pause(50)
      }
    }
  }

  return {
    /** In order and in chunks; after each, `between` may do something. */
    async sendAll(events, between) {
      for (let from = 0; from < events.length; from += AT_ONCE) {
        const chunk = events.slice(from, from + AT_ONCE)
        await sendUntilTaken(async () => {
          await open
          await sendNow(chunk)
        })
        await between(chunk.length)
      }
    },
    /** From now on nothing is sent, until `sendAgain` has sent what a crash may have lost. */
    hold() {
      open = new Promise((resolve) => {
        openAgain = resolve
      })
    },
    /** @param {number} crashedAt of performance.now() */
    async sendAgain(crashedAt) {
      const doubtful = recent.filter(({ at }) => at > crashedAt - LOST_AT_MOST_MS).flatMap(({ events }) => events)
      if (doubtful.length > 0) await sendUntilTaken(() => sendNow(doubtful))
      openAgain()
      return doubtful.length
    },
    sent: () => sent,
    async close() {
      await publisher.close()
      redis.disconnect()
    },
  }
}
