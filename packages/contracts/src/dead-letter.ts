/** Entries of `dwell:dead-events` have the fields `event` (as received), `error`, `detail`, `entry_id`, `failed_at`. */
export const DEAD_EVENTS_STREAM = 'dwell:dead-events'

export const DEAD_LETTER_ERRORS = [
  'invalid_json',
  'invalid_event',
  'unknown_event',
  'oversized_event',
  'unknown_account',
  'missing_field',
  'unstorable_text',
  'processing_failed',
] as const
export type DeadLetterError = (typeof DEAD_LETTER_ERRORS)[number]
