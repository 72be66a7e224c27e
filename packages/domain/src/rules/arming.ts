import type { Micros } from '@dwell/contracts/instant'
import { episodeKindOf, replyChaseKey } from './episode'
import { isArmed, isRearmable, type PendingExecution } from './pending-execution'
import { comparePlaces, type MessagePlace } from './projection'

/** A rule matched an event: the row of this episode is to wait until `dueAt`, unless what is stored says otherwise. */
export interface ArmIntent {
  readonly kind: 'arm'
  readonly accountId: number
  readonly ruleId: number
  readonly conversationId: number
  readonly episodeKey: string
  readonly dueAt: Micros
  readonly anchor: MessagePlace | null
  readonly occurredAt: Micros
  readonly traceparent: string | null
}

/** An incoming message came later than agents' messages it precedes: rows armed on those belong to another silence. */
export interface MoveIntent {
  readonly kind: 'move'
  readonly accountId: number
  readonly conversationId: number
  readonly incoming: MessagePlace
  readonly recentIncoming: readonly MessagePlace[]
}

export type RowIntent = ArmIntent | MoveIntent

/**
 * What a match makes of the row of its episode. Returns null when nothing changes. DESIGN section 3, *Events and arming*:
 * a status wait keeps its clock (a late first match brings it forward), an agent wait tracks the newest message, a
 * customer wait starts again from it, also while a worker holds the row: its claim is given up.
 */
export function arm(existing: PendingExecution | null, intent: ArmIntent): PendingExecution | null {
  if (existing === null) return armedBy(intent, null)
  if (existing.status === 'executed') return null
  if (existing.status === 'skipped') {
    return isRearmable(existing) && isStrictlyNewer(existing, intent) ? armedBy(intent, existing) : null
  }
  switch (episodeKindOf(existing.episodeKey)) {
    case 'event':
      return null
    case 'status':
      return existing.status === 'pending' && intent.occurredAt < existing.armedAt && intent.dueAt < existing.dueAt
        ? { ...existing, dueAt: intent.dueAt }
        : null
    case 'awaiting_agent':
      return isStrictlyNewer(existing, intent) ? { ...existing, anchor: intent.anchor } : null
    case 'reply_chase':
      return isStrictlyNewer(existing, intent) ? armedBy(intent, existing) : null
  }
}

/** A row as it was and as it is to be. */
export interface MovedRow {
  readonly from: PendingExecution
  readonly to: PendingExecution
}

/**
 * Moves the rows of one conversation that are armed on an agent's message younger than a late incoming one to the
 * silence after it. Executed rows move too: their episode has had its one execution. Where the rule has a row with that
 * key already, the moved row ends `episode_moved`.
 */
export function move(rows: readonly PendingExecution[], intent: MoveIntent): MovedRow[] {
  const taken = new Set(rows.map((row) => `${row.ruleId} ${row.episodeKey}`))
  const moved: MovedRow[] = []
  for (const row of rows) {
    if (!belongsToLaterSilence(row, intent)) continue
    const episodeKey = replyChaseKey(intent.recentIncoming, row.anchor)
    if (episodeKey === row.episodeKey) continue
    if (!taken.has(`${row.ruleId} ${episodeKey}`)) {
      taken.add(`${row.ruleId} ${episodeKey}`)
      moved.push({ from: row, to: { ...row, episodeKey } })
    } else if (isArmed(row)) {
      moved.push({ from: row, to: { ...row, status: 'skipped', skipReason: 'episode_moved' } })
    }
  }
  return moved
}

function belongsToLaterSilence(
  row: PendingExecution,
  intent: MoveIntent,
): row is PendingExecution & { anchor: MessagePlace } {
  return (
    row.anchor !== null &&
    episodeKindOf(row.episodeKey) === 'reply_chase' &&
    comparePlaces(row.anchor, intent.incoming) > 0 &&
    (isArmed(row) || isRearmable(row) || row.status === 'executed')
  )
}

function armedBy(intent: ArmIntent, existing: PendingExecution | null): PendingExecution {
  return {
    id: existing?.id ?? null,
    accountId: intent.accountId,
    ruleId: intent.ruleId,
    conversationId: intent.conversationId,
    episodeKey: intent.episodeKey,
    status: 'pending',
    skipReason: null,
    dueAt: intent.dueAt,
    anchor: intent.anchor,
    armedAt: intent.occurredAt,
    traceparent: intent.traceparent,
  }
}

/** Messages are ordered by their place, other events by when they occurred: the same one again is never newer. */
function isStrictlyNewer(row: PendingExecution, intent: ArmIntent): boolean {
  return row.anchor !== null && intent.anchor !== null
    ? comparePlaces(intent.anchor, row.anchor) > 0
    : intent.occurredAt > row.armedAt
}
