import { MICROS_PER_HOUR, MICROS_PER_MILLISECOND, MICROS_PER_SECOND, type Micros } from '@dwell/contracts/instant'

/** With the waits below: a target may be away for more than a day. */
export const MAX_DELIVERY_ATTEMPTS = 10
const FIRST_WAIT = 10 * MICROS_PER_SECOND
const WAIT_FACTOR = 3
const LONGEST_WAIT = 12 * MICROS_PER_HOUR
/** A target may ask for longer waits than ours, within reason. */
const LONGEST_RETRY_AFTER = 24 * MICROS_PER_HOUR

export interface MissedAttempt {
  /** Attempts made so far, the missed one included: 1 after the first. */
  readonly attempts: number
  readonly now: Micros
  /** What the target asked for, µs from now; null when it said nothing. */
  readonly retryAfter: Micros | null
  /** From 0 to below 1: spreads the attempts of many deliveries. */
  readonly random: number
}

/**
 * When a delivery that met a passing fault is tried again: 10 s, 30 s, 90 s, … up to 12 h, each shortened or lengthened
 * by up to a quarter, never sooner than the target asked. Null when it has been tried often enough.
 */
export function nextAttemptAt({ attempts, now, retryAfter, random }: MissedAttempt): Micros | null {
  if (attempts >= MAX_DELIVERY_ATTEMPTS) return null
  const wait = Math.min(FIRST_WAIT * WAIT_FACTOR ** Math.max(attempts - 1, 0), LONGEST_WAIT)
  const jittered = Math.round(wait * (0.75 + random / 2))
  return (now + Math.max(jittered, Math.min(retryAfter ?? 0, LONGEST_RETRY_AFTER))) as Micros
}

/** `gone`: never again, the address is to be disabled. */
export type WebhookVerdict = 'delivered' | 'retry' | 'failed' | 'gone'

const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429])

/** What the status of an answer means. Redirects are not followed: they are permanent faults like other 4xx. */
export function judgeWebhookStatus(status: number): WebhookVerdict {
  if (status >= 200 && status < 300) return 'delivered'
  if (status === 410) return 'gone'
  return status >= 500 || PASSING_STATUSES.has(status) ? 'retry' : 'failed'
}

/** How far a mail had come when something went wrong, and the server's reply where there was one. */
export interface MailFault {
  /** `session`: connecting, greeting, TLS, signing in · `envelope`: sender, recipient, DATA · `data`: the message was on its way. */
  readonly phase: 'session' | 'envelope' | 'data'
  readonly reply: number | null
}

export type MailVerdict = 'retry' | 'failed' | 'unknown'

/**
 * A reply decides: 5xx refuses the mail, everything else passes. What is wrong with the session says nothing about the
 * mail. Without a reply to the message itself nobody knows whether it was taken, and a mail server cannot deduplicate.
 */
export function judgeMailFault({ phase, reply }: MailFault): MailVerdict {
  if (phase === 'session') return 'retry'
  if (reply !== null) return reply >= 500 ? 'failed' : 'retry'
  return phase === 'data' ? 'unknown' : 'retry'
}

const SECONDS = /^\d{1,9}$/
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]+day, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/,
]
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/

/** A `Retry-After` header as µs from now: seconds, or an HTTP date in any of its three forms. Null for anything else. */
export function retryAfterOf(header: string | null | undefined, now: Micros): Micros | null {
  const text = header?.trim() ?? ''
  if (SECONDS.test(text)) return (Number(text) * MICROS_PER_SECOND) as Micros
  const date = ASCTIME.test(text) ? `${text} GMT` : HTTP_DATES.some((form) => form.test(text)) ? text : null
  const ms = date === null ? Number.NaN : Date.parse(date)
  return Number.isNaN(ms) ? null : (Math.max(ms * MICROS_PER_MILLISECOND - now, 0) as Micros)
}
