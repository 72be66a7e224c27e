import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InboundEventInput } from '@dwell/contracts/events'
import { MICROS_PER_MINUTE, parseInstant } from '@dwell/contracts/instant'
import { checkEvent } from '@dwell/contracts/parse-event'
import type { RuleDefinition } from '@dwell/contracts/rule'
import { HelpDesk } from './help-desk'
import { createInstants } from './instants'
import { play } from './scenes'

const START_MS = Date.UTC(2026, 8, 1, 10)
const sampleRules: RuleDefinition[] = JSON.parse(readFileSync(join(__dirname, '..', 'sample-rules.json'), 'utf8'))

/** Plays for so many seconds of a clock that only the play itself moves. */
function playFor(seconds: number) {
  let nowMs = START_MS
  const timers: { at: number; act: () => void }[] = []
  const events: InboundEventInput[] = []
  const lines: string[] = []
  play(
    {
      desk: new HelpDesk(1, 100, (event) => events.push(event)),
      now: createInstants(() => nowMs),
      say: (line) => lines.push(line),
      later: (after, act) => timers.push({ at: nowMs + after * 1_000, act }),
    },
    30,
  )
  for (;;) {
    timers.sort((a, b) => a.at - b.at)
    const next = timers.shift()
    if (!next || next.at > START_MS + seconds * 1_000) return { events, lines }
    nowMs = next.at
    next.act()
  }
}

describe('the play', () => {
  test('all of its events are ones that Dwell takes', () => {
    const { events } = playFor(600)
    expect(events.length).toBeGreaterThan(40)
    expect(events.map(checkEvent).filter((checked) => !checked.ok)).toEqual([])
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
  })

  test('the wait of every sample rule is over within 90 seconds of the start', () => {
    const { events } = playFor(0)
    const dueAfterStart = (stamp: unknown) =>
      ((parseInstant(stamp) ?? Number.NaN) + 10 * MICROS_PER_MINUTE - START_MS * 1_000) / 1_000_000
    const waits = {
      pending: events.flatMap((e) =>
        e.event === 'conversation_updated' && e.conversation.status === 'pending'
          ? [dueAfterStart(e.conversation.status_changed_at)]
          : [],
      ),
      incoming: events.flatMap((e) =>
        e.event === 'message_created' && e.message.message_type === 'incoming'
          ? [dueAfterStart(e.message.created_at)]
          : [],
      ),
      outgoing: events.flatMap((e) =>
        e.event === 'message_created' && e.message.message_type === 'outgoing'
          ? [dueAfterStart(e.message.created_at)]
          : [],
      ),
    }
    expect(Math.min(...waits.pending)).toBeLessThanOrEqual(0)
    for (const due of Object.values(waits)) expect(Math.min(...due.filter((d) => d > -1))).toBeLessThan(90)
  })

  test('something happens again and again', () => {
    expect(playFor(600).lines.length).toBeGreaterThan(playFor(300).lines.length)
  })

  test('the sample rules wait for the shortest time that is allowed, or not at all', () => {
    expect(sampleRules.map(({ execution_delay }) => execution_delay)).toEqual([10, 10, 10, null])
  })
})
