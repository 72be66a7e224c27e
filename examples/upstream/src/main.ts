import { createPublisher } from '@dwell/publisher/publisher'
import { HelpDesk } from './help-desk'
import { createInstants } from './instants'
import { obey } from './obey'
import { Outbox } from './outbox'
import { play } from './scenes'

/** Conversations of every start get ids of their own: tenths of seconds since this instant. */
const FIRST_DAY_MS = Date.UTC(2026, 0, 1)
const DEFAULT_PACE_SECONDS = 30

const say = (line: string) => console.log(line)

function main(): void {
  const { REDIS_URL: redisUrl, DWELL_EXAMPLE_ACCOUNT_ID, DWELL_EXAMPLE_PACE_SECONDS } = process.env
  if (!redisUrl) {
    console.error('Set REDIS_URL to the Redis that Dwell uses, e.g. redis://localhost:6379')
    process.exitCode = 1
    return
  }
  const publisher = createPublisher({ redisUrl })
  const outbox = new Outbox(publisher, (error) => say(`Redis does not take our events: ${messageOf(error)}`))
  const now = createInstants()
  const desk = new HelpDesk(
    Number(DWELL_EXAMPLE_ACCOUNT_ID ?? 1),
    Math.floor((Date.now() - FIRST_DAY_MS) / 100),
    outbox.add,
  )

  publisher.consumeActions(
    async (action) => {
      const done = obey(desk, action, now())
      if (done !== null) say(done)
      // Acknowledged only when what follows from it is published.
      await outbox.flush()
    },
    {
      group: 'example-upstream',
      consumer: 'example-upstream',
      onProblem: ({ kind, error }) => say(`${kind} problem with the actions: ${messageOf(error)}`),
    },
  )

  const timers = new Set<NodeJS.Timeout>()
  const flush = () => outbox.flush().catch((error) => say(`An event of ours is at fault: ${messageOf(error)}`))
  play(
    {
      desk,
      now,
      say,
      later(seconds, act) {
        const timer = setTimeout(() => {
          timers.delete(timer)
          act()
          void flush()
        }, seconds * 1_000)
        timers.add(timer)
      },
    },
    Number(DWELL_EXAMPLE_PACE_SECONDS ?? DEFAULT_PACE_SECONDS),
  )
  void flush()

  const end = () => {
    for (const timer of timers) clearTimeout(timer)
    void publisher.close()
  }
  process.once('SIGTERM', end)
  process.once('SIGINT', end)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

main()
