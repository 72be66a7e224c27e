import { memberEvent } from './member-events'
import { parseEvent } from './parse-event'

const signedUp = {
  id: 'evt_1',
  event: 'member_signed_up',
  occurred_at: '2026-09-01T10:00:00.123456Z',
  account_id: 1,
  performed_by: null,
  member: {
    id: 1,
    uuid: '0b1f6f0e-0000-4000-8000-000000000001',
    name: 'Ann',
    email: 'ann@example.com',
    status: 'free',
    tier_ids: [],
    enable_updates_and_announcements: null,
    newsletter_ids: ['n1', 'n1', 2],
  },
}

describe('member events', () => {
  test('are read with their instants in microseconds and their ids as text, each once', () => {
    expect(memberEvent.parse(signedUp)).toMatchObject({
      occurred_at: 1_788_256_800_123_456,
      member: { id: '1', status: 'free', enable_updates_and_announcements: null, newsletter_ids: ['n1', '2'] },
    })
  })

  test('may leave out what has not changed', () => {
    const member = memberEvent.parse({ ...signedUp, event: 'member_updated', member: { id: 'm-1', name: null } }).member
    expect(member).toEqual({ id: 'm-1', name: null })
  })

  test('are refused with a status nobody knows, without a member, without an id', () => {
    for (const member of [{ ...signedUp.member, status: 'vip' }, undefined, { name: 'Ann' }, { id: '' }]) {
      expect(memberEvent.safeParse({ ...signedUp, member }).success).toBe(false)
    }
  })

  test('are taken from the stream', () => {
    expect(parseEvent(JSON.stringify(signedUp))).toMatchObject({ ok: true, event: { member: { id: '1' } } })
  })
})
