import type { Micros } from '@dwell/contracts/instant'
import {
  awaitingAgentKey,
  awaitingAgentSince,
  episodeKindOf,
  isEpisodeCurrent,
  replyChaseKey,
  statusKey,
} from './episode'
import { UNKNOWN_CONVERSATION } from './facts'
import { type ProjectedConversation, unknownConversation } from './projection'

const µs = (value: number) => value as Micros

function known(
  facts: Partial<ProjectedConversation['facts']>,
  rest: Partial<ProjectedConversation> = {},
): ProjectedConversation {
  return { ...unknownConversation(1, 101), facts: { ...UNKNOWN_CONVERSATION, ...facts }, ...rest }
}

describe('episode keys', () => {
  test('a status is keyed by when it changed to the microsecond, by creation while that is unknown', () => {
    expect(statusKey({ ...UNKNOWN_CONVERSATION, status_changed_at: µs(1788256800000001), created_at: µs(5) })).toBe(
      'status:1788256800000001',
    )
    expect(statusKey({ ...UNKNOWN_CONVERSATION, created_at: µs(5) })).toBe('status:5')
  })

  test('a waiting customer is keyed by waiting_since, by the message while the host has not written it', () => {
    expect(awaitingAgentSince({ ...UNKNOWN_CONVERSATION, waiting_since: µs(7) }, µs(9))).toBe(7)
    expect(awaitingAgentSince(UNKNOWN_CONVERSATION, µs(9))).toBe(9)
  })

  test('a silent customer is keyed by the newest message older than the agent’s', () => {
    const incoming = [
      { createdAt: µs(10), id: 500 },
      { createdAt: µs(30), id: 502 },
    ]
    expect(replyChaseKey(incoming, { createdAt: µs(20), id: 501 })).toBe('reply_chase:500')
    expect(replyChaseKey(incoming, { createdAt: µs(5), id: 499 })).toBe('reply_chase:0')
  })

  test('tell their kind; anything else is refused', () => {
    expect(episodeKindOf('awaiting_agent:5')).toBe('awaiting_agent')
    expect(() => episodeKindOf('lunch:5')).toThrow(RangeError)
  })
})

describe('whether an episode is still the present one', () => {
  const none = null

  test('a status left and entered again is another episode', () => {
    expect(isEpisodeCurrent('status:5', none, µs(5), known({ status_changed_at: µs(5) }))).toBe(true)
    expect(isEpisodeCurrent('status:5', none, µs(5), known({ status_changed_at: µs(6) }))).toBe(false)
  })

  test.each([
    ['waiting_since as armed', { waiting_since: µs(5) }, { waiting_since: µs(8) }, true],
    ['another wait', { waiting_since: µs(6) }, { waiting_since: µs(8) }, false],
    ['not written yet: null in the arming event itself', {}, { waiting_since: µs(7) }, true],
    ['answered: null in a younger snapshot', {}, { waiting_since: µs(8) }, false],
    ['nobody ever said', {}, {}, true],
  ])('an agent wait, %s', (_, facts, factTimes, expected) => {
    const key = awaitingAgentKey(µs(5))
    expect(
      isEpisodeCurrent(
        key,
        { createdAt: µs(5), id: 601 },
        µs(7),
        known(facts, { factTimes: factTimes as Record<string, Micros> }),
      ),
    ).toBe(expected)
  })

  test('a customer wait ends with the first customer message, also with one older than the anchor that the key does not name', () => {
    const anchor = { createdAt: µs(20), id: 501 }
    const after = (...recentIncoming: [number, number][]) =>
      isEpisodeCurrent(
        'reply_chase:500',
        anchor,
        µs(20),
        known({}, { recentIncoming: recentIncoming.map(([t, id]) => ({ createdAt: µs(t), id })) }),
      )
    expect(after([10, 500])).toBe(true)
    expect(after([10, 500], [30, 502])).toBe(false)
    expect(after([10, 500], [15, 499])).toBe(false)
    expect(isEpisodeCurrent('reply_chase:0', anchor, µs(20), known({}))).toBe(true)
    expect(isEpisodeCurrent('reply_chase:500', anchor, µs(20), known({}))).toBe(false)
  })

  test('an immediate row was judged on its event and never moves', () => {
    expect(isEpisodeCurrent('event:evt_1', none, µs(5), known({}))).toBe(true)
  })
})
