import type { Micros } from '@dwell/contracts/instant'
import fc from 'fast-check'
import type { PlannedDelivery } from './planned-delivery'
import { type RateClaim, rateClaims, refusedByRate } from './rate-guards'

const at = (iso: string) => (Date.parse(iso) * 1000) as Micros

function delivery(change: Partial<PlannedDelivery> = {}): PlannedDelivery {
  return {
    id: '900-0',
    position: 0,
    actionName: 'send_message',
    target: 'stream',
    status: 'pending',
    payload: { content: 'hello' },
    error: null,
    ...change,
  }
}

const mail = delivery({ id: '900-1', position: 1, actionName: 'send_email_to_team', target: 'smtp' })
const BOTH = { max_messages_per_conversation_per_minute: 2, max_mails_per_account_per_day: 50 }

function claims(deliveries: PlannedDelivery[], settings: unknown, more: { now?: Micros; timeZone?: string } = {}) {
  const about = { accountId: 1, conversationId: 101, timeZone: 'UTC', now: at('2026-09-01T10:00:30.500Z'), ...more }
  return rateClaims(deliveries, { ...about, settings })
}

describe('what counts against the limits of an account', () => {
  test('a message counts for its conversation, in the minute of the clock', () => {
    expect(claims([delivery()], BOTH)).toEqual([
      {
        deliveryId: '900-0',
        kind: 'conversation_messages',
        accountId: 1,
        subject: 101,
        windowStart: at('2026-09-01T10:00:00Z'),
        limit: 2,
      },
    ])
  })

  test('an e-mail counts for the account, on the day by the account’s time zone', () => {
    expect(claims([mail], BOTH, { timeZone: 'America/Los_Angeles', now: at('2026-09-01T06:00:00Z') })).toEqual([
      {
        deliveryId: '900-1',
        kind: 'account_mails',
        accountId: 1,
        subject: 1,
        // 31 August still lasts in Los Angeles, seven hours behind.
        windowStart: at('2026-08-31T07:00:00Z'),
        limit: 50,
      },
    ])
  })

  test('each limit stands for itself', () => {
    const kinds = (settings: unknown) => claims([delivery(), mail], settings).map(({ kind }) => kind)
    expect(kinds(BOTH)).toEqual(['conversation_messages', 'account_mails'])
    expect(kinds({ max_messages_per_conversation_per_minute: 1 })).toEqual(['conversation_messages'])
    expect(kinds({ max_mails_per_account_per_day: 1 })).toEqual(['account_mails'])
    expect(kinds({})).toEqual([])
  })

  test('a limit of zero allows nothing; what is no number of deliveries limits nothing', () => {
    expect(claims([delivery()], { max_messages_per_conversation_per_minute: 0 })).toMatchObject([{ limit: 0 }])
    for (const nonsense of [-1, 1.5, Number.NaN, '3', null, true]) {
      expect(claims([delivery(), mail], { max_messages_per_conversation_per_minute: nonsense })).toEqual([])
    }
    for (const settings of [null, undefined, 'x', Object.create(BOTH)])
      expect(claims([delivery(), mail], settings)).toEqual([])
  })

  test('what was refused already, and every other action, does not count', () => {
    const failed = delivery({ status: 'failed', error: 'the reply window is closed' })
    const others = [delivery({ actionName: 'add_label' }), delivery({ actionName: 'add_private_note' })]
    const webhook = delivery({ actionName: 'send_webhook_event', target: 'webhook' })
    expect(claims([failed, ...others, webhook, { ...mail, status: 'failed' }], BOTH)).toEqual([])
  })

  test('two messages share a window exactly when they leave in one minute of the clock', () => {
    const instant = fc.integer({ min: at('2026-09-01T10:00:00Z'), max: at('2026-09-01T10:03:00Z') })
    const windowOf = (now: number) => claims([delivery()], BOTH, { now: now as Micros })[0]?.windowStart
    fc.assert(
      fc.property(instant, instant, (a, b) => {
        const minute = (now: number) => new Date(now / 1000).toISOString().slice(0, 16)
        expect(windowOf(a) === windowOf(b)).toBe(minute(a) === minute(b))
      }),
    )
  })
})

test('what is refused stays visible as failed, with the limit it met', () => {
  const claim = (kind: RateClaim['kind'], limit: number): RateClaim => {
    return { deliveryId: '900-0', kind, accountId: 1, subject: 101, windowStart: at('2026-09-01T10:00:00Z'), limit }
  }
  expect(refusedByRate(delivery(), claim('conversation_messages', 2))).toEqual(
    delivery({
      status: 'failed',
      error: 'the limit of the account is reached: max_messages_per_conversation_per_minute is 2',
    }),
  )
  expect(refusedByRate(mail, claim('account_mails', 50))).toEqual({
    ...mail,
    status: 'failed',
    error: 'the limit of the account is reached: max_mails_per_account_per_day is 50',
  })
})
