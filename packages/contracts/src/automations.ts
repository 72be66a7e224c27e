/** The words and limits of automations. DESIGN section 4, automations.md section 1. */

export const AUTOMATION_STATUSES = ['active', 'inactive'] as const
export type AutomationStatus = (typeof AUTOMATION_STATUSES)[number]

export const TIER_SCOPES = ['free', 'all_paid', 'selected_paid'] as const
export type TierScope = (typeof TIER_SCOPES)[number]

export const RE_ENTRIES = ['always', 'once', 'after_days'] as const
export type ReEntry = (typeof RE_ENTRIES)[number]

export const ACTION_TYPES = ['wait', 'send_email'] as const
export type AutomationActionType = (typeof ACTION_TYPES)[number]

export const EMAIL_FORMATS = ['markdown', 'html', 'lexical'] as const
export type EmailFormat = (typeof EMAIL_FORMATS)[number]

/** `pending` is the only open one. */
export const STEP_STATUSES = [
  'pending',
  'finished',
  'failed',
  'automation_disabled',
  'member_status_changed',
  'member_tier_changed',
  'member_unsubscribed',
] as const
export type StepStatus = (typeof STEP_STATUSES)[number]

export const RUN_STATUSES = ['in_progress', 'completed', 'exited_early'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** Why a run ended; the first, `path_cut` and `turned_off` count as completed, the others as exited early. */
export const END_REASONS = [
  'completed',
  'failed',
  'automation_disabled',
  'member_status_changed',
  'member_tier_changed',
  'member_unsubscribed',
  'path_cut',
  'turned_off',
] as const
export type EndReason = (typeof END_REASONS)[number]

/**
 * A mail that is about to be sent is `sending`. `deferred`: refused for now, tried again; `unknown`: nobody knows whether
 * the server took it, so it is never sent again.
 */
export const SEND_STATUSES = ['sending', 'sent', 'deferred', 'failed', 'unknown'] as const
export type SendStatus = (typeof SEND_STATUSES)[number]

export const EMAIL_EVENT_TYPES = ['delivered', 'opened', 'clicked', 'bounced', 'complained'] as const
export type EmailEventType = (typeof EMAIL_EVENT_TYPES)[number]

export const RUN_ORDERS = ['created_at desc', 'created_at asc'] as const
export type RunOrder = (typeof RUN_ORDERS)[number]

/** `more`: another match is known; `scanning`: go on, even after an empty page; `exhausted`: that was all. */
export const SEARCH_STATES = ['more', 'scanning', 'exhausted'] as const
export type SearchState = (typeof SEARCH_STATES)[number]

export const MAX_NAME_CHARACTERS = 191
export const MAX_DESCRIPTION_CHARACTERS = 2_000
export const MAX_TIER_ID_CHARACTERS = 191
export const MAX_AUTOMATION_ACTIONS = 50
export const MIN_WAIT_HOURS = 1
export const MAX_WAIT_HOURS = 720
export const MAX_SUBJECT_CHARACTERS = 300
export const MIN_RE_ENTRY_DAYS = 1
export const MAX_RE_ENTRY_DAYS = 3_650
export const RUNS_PAGE_SIZE = 50
export const MAX_CURSOR_CHARACTERS = 2_048
/** Counted before trimming. */
export const MAX_SEARCH_BYTES = 4_096

export const MAX_STEP_ATTEMPTS = 10
export const STEP_RETRY_MINUTES = 10
export const STEP_LOCK_MINUTES = 30

export interface WaitData {
  readonly wait_hours: number
}

export interface EmailData {
  readonly email_subject: string
  readonly email_body: string
  readonly email_format: EmailFormat
}

/** An action as the API takes and answers it, and as a revision keeps its content. */
export type AutomationAction =
  | { readonly id: string; readonly type: 'wait'; readonly data: WaitData }
  | { readonly id: string; readonly type: 'send_email'; readonly data: EmailData }

export type ActionData = WaitData | EmailData

export interface AutomationEdge {
  readonly source_action_id: string
  readonly target_action_id: string
}

/** What decides whom an automation is for. */
export interface Trigger {
  readonly scope: TierScope | null
  /** Only with `selected_paid`. */
  readonly tierIds: readonly string[]
}
