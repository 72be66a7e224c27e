import type { AutomationActionType, AutomationStatus, ReEntry, Trigger } from '@dwell/contracts/automations'

/** When a member who was in an automation may enter it again. */
export type ReEntryPolicy =
  | { readonly reEntry: Exclude<ReEntry, 'after_days'>; readonly days: null }
  | { readonly reEntry: 'after_days'; readonly days: number }

/** An action of the present path at its latest revision. */
export interface PathAction {
  readonly id: string
  readonly type: AutomationActionType
  readonly revisionId: string
  /** Null where the action is no wait. */
  readonly waitHours: number | null
}

/** What taking an event and carrying out a step need to know of an automation. */
export interface RunningAutomation {
  readonly id: string
  readonly accountId: number
  readonly status: AutomationStatus
  readonly trigger: Trigger
  readonly policy: ReEntryPolicy
  /** In order. */
  readonly path: readonly PathAction[]
}
