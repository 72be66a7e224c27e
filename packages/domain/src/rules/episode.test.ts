import type { Micros } from '@dwell/contracts/instant'
import {
  awaitingAgentKey,
  awaitingAgentSince,
  episodeKindOf,
  isEpisodeCurrent,
  presentKey,
  replyChaseKey,
  statusKey,
} from './episode'
import { UNKNOWN_CONVERSATION } from './facts'
import { type ProjectedConversation, unknownConversation } from './projection'

const µs = (value: number) => value as Micros
const none = null

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
    expect(() => episodeKindOf('lunch:5')).toThrow(new RangeError('not an episode key: lunch:5'))
    expect(() => episodeKindOf('status')).toThrow(RangeError)
  })
})

describe('whether an episode is still the present one', () => {
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

  test('a customer wait whose message is unknown is compared by its key alone', () => {
    const current = (key: string) =>
      isEpisodeCurrent(key, none, µs(20), known({}, { recentIncoming: [{ createdAt: µs(10), id: 500 }] }))
    expect(current('reply_chase:500')).toBe(true)
    expect(current('reply_chase:499')).toBe(false)
  })

  test('an immediate row was judged on its event and never moves', () => {
    expect(isEpisodeCurrent('event:evt_1', none, µs(5), known({}))).toBe(true)
  })
})

describe('the key of an episode by what is known now, for people to compare', () => {
  const anchor = { createdAt: µs(20), id: 501 }

  test('is of the same kind, whatever else is known', () => {
    const conversation = known(
      { status_changed_at: µs(6), waiting_since: µs(8) },
      { recentIncoming: [400, 500].map((id) => ({ createdAt: µs(id), id })) },
    )
    const keys = ['event:evt_1', 'status:5', 'awaiting_agent:5', 'reply_chase:499']
    expect(keys.map((key) => presentKey(key, anchor, conversation))).toEqual([
      'event:evt_1',
      'status:6',
      'awaiting_agent:8',
      'reply_chase:500',
    ])
  })

  test('of a customer who waits, falls back on the message, and is none where that is unknown too', () => {
    expect(presentKey('awaiting_agent:5', anchor, known({}))).toBe('awaiting_agent:20')
    expect(presentKey('awaiting_agent:5', none, known({}))).toBeNull()
  })

  test('of a silent customer who never wrote is 0', () => {
    expect(presentKey('reply_chase:5', anchor, known({}))).toBe('reply_chase:0')
  })
})
