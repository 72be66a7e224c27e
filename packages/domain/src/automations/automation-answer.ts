import type { AutomationAction, AutomationStatus, Trigger } from '@dwell/contracts/automations'
import { formatMilliseconds, formatOptionalMilliseconds, type Micros } from '@dwell/contracts/instant'
import type { ReEntryPolicy } from './automation'
import { type EmailCounters, emailStatistics } from './email-statistics'
import { edgesOf } from './path'

export interface RecordedAutomation {
  readonly id: string
  readonly slug: string | null
  readonly name: string
  readonly description: string
  readonly status: AutomationStatus
  readonly version: number
  readonly createdAt: Micros
  readonly updatedAt: Micros
}

/** What the list says of an automation's runs: every run is counted. */
export interface RunSummary {
  readonly lastRunCreatedAt: Micros | null
  readonly total: number
  readonly inProgress: number
}

/** An entry of the list. Where statistics cannot be read (null) it is answered without them. */
export function answeredSummary(automation: RecordedAutomation, runs: RunSummary | null) {
  return {
    id: automation.id,
    slug: automation.slug,
    name: automation.name,
    description: automation.description,
    status: automation.status,
    version: automation.version,
    created_at: formatMilliseconds(automation.createdAt),
    updated_at: formatMilliseconds(automation.updatedAt),
    ...(runs === null
      ? {}
      : {
          stats: {
            last_run_created_at: formatOptionalMilliseconds(runs.lastRunCreatedAt),
            total_run_count: runs.total,
            in_progress_run_count: runs.inProgress,
          },
        }),
  }
}

/** An action of the present path at its latest revision. */
export interface RecordedAction {
  readonly action: AutomationAction
  readonly createdAt: Micros
  /** Counters of all its revisions; empty for waits. */
  readonly counters: readonly EmailCounters[]
}

export interface WholeAutomation extends RecordedAutomation {
  readonly trigger: Trigger
  readonly policy: ReEntryPolicy
  /** In order of the path. */
  readonly path: readonly RecordedAction[]
}

/** The whole automation: actions by their creation, then id; the path is in the edges. */
export function answeredAutomation(automation: WholeAutomation) {
  const { trigger, policy, path } = automation
  const byCreation = [...path].sort((a, b) => a.createdAt - b.createdAt || (a.action.id < b.action.id ? -1 : 1))
  return {
    ...answeredSummary(automation, null),
    trigger_tier_scope: trigger.scope,
    trigger_tier_ids: [...trigger.tierIds],
    re_entry: policy.reEntry,
    re_entry_days: policy.days,
    actions: byCreation.map(({ action, counters }) =>
      action.type === 'send_email' ? { ...action, stats: emailStatistics(counters) } : action,
    ),
    edges: edgesOf(path.map(({ action }) => action.id)),
  }
}
