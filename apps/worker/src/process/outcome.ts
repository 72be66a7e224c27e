import type { SkipReason } from '@dwell/contracts/pending-execution'

/** What became of a row in the hands of a process job; Bull Board shows it as the job's result. */
export type ProcessOutcome =
  | { readonly outcome: 'executed' }
  | { readonly outcome: 'skipped'; readonly reason: SkipReason }
  /** Back to pending: the kill switch is on, or the account is paused. */
  | { readonly outcome: 'released' }
  /** Another job has it, or a newer event took it away. Normal. */
  | { readonly outcome: 'lost' }
  /** A job of a row that has ended was run again: nothing happens twice. */
  | { readonly outcome: 'already executed' }
  | { readonly outcome: 'already skipped'; readonly reason: SkipReason }

export const LOST = { outcome: 'lost' } as const satisfies ProcessOutcome
