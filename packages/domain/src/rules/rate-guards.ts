import { MICROS_PER_MINUTE, type Micros } from '@dwell/contracts/instant'
import { dayStart } from '../calendar/day-window'
import { localDay } from '../calendar/local-day'
import { ownValue } from './attributes'
import type { PlannedDelivery } from './planned-delivery'

export const RATE_KINDS = ['conversation_messages', 'account_mails'] as const
export type RateKind = (typeof RATE_KINDS)[number]

/** That a delivery counts against a limit of its account: so many of one subject in one window. */
export interface RateClaim {
  readonly deliveryId: string
  readonly kind: RateKind
  readonly accountId: number
  /** The conversation, or the account itself. */
  readonly subject: number
  /** Messages: the minute of the clock. Mails: the day by the account's time zone. */
  readonly windowStart: Micros
  readonly limit: number
}

/** Which of the planned deliveries count against limits that the account sets; none where it sets none. */
export function rateClaims(
  deliveries: readonly PlannedDelivery[],
  about: {
    readonly accountId: number
    readonly conversationId: number
    readonly settings: unknown
    readonly timeZone: string
    readonly now: Micros
  },
): RateClaim[] {
  const messages = limitIn(about.settings, 'max_messages_per_conversation_per_minute')
  const mails = limitIn(about.settings, 'max_mails_per_account_per_day')
  if (messages === null && mails === null) return []
  const { accountId, now } = about
  const claims: RateClaim[] = []
  for (const { id: deliveryId, status, target, actionName } of deliveries) {
    if (status !== 'pending') continue
    if (messages !== null && actionName === 'send_message') {
      const windowStart = (Math.floor(now / MICROS_PER_MINUTE) * MICROS_PER_MINUTE) as Micros
      const subject = about.conversationId
      claims.push({ deliveryId, kind: 'conversation_messages', accountId, subject, windowStart, limit: messages })
    }
    if (mails !== null && target === 'smtp') {
      const windowStart = dayStart(about.timeZone, localDay(now, about.timeZone))
      claims.push({ deliveryId, kind: 'account_mails', accountId, subject: accountId, windowStart, limit: mails })
    }
  }
  return claims
}

/** The delivery as one that was refused: a visible outcome, never tried by itself. */
export function refusedByRate(delivery: PlannedDelivery, { kind, limit }: RateClaim): PlannedDelivery {
  const error =
    kind === 'conversation_messages'
      ? `the limit of the account is reached: max_messages_per_conversation_per_minute is ${limit}`
      : `the limit of the account is reached: max_mails_per_account_per_day is ${limit}`
  return { ...delivery, status: 'failed', error }
}

function limitIn(settings: unknown, name: string): number | null {
  const limit = ownValue(settings, name)
  return typeof limit === 'number' && Number.isInteger(limit) && limit >= 0 ? limit : null
}
