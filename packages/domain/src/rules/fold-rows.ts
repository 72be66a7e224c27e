import type { Micros } from '@dwell/contracts/instant'
import { type ArmIntent, arm, move, type RowIntent } from './arming'
import { episodeKindOf } from './episode'
import { type FoldedBatch, factKey, messageKey } from './fold-batch'
import type { PendingExecution } from './pending-execution'
import type { ProjectedMessage } from './projection'

/** What a batch makes of one row. */
export interface RowChange {
  /** As it is stored; null for a new one. */
  readonly before: PendingExecution | null
  readonly row: PendingExecution
}

/** `advanced`: clock or anchor changed, the row goes on waiting. */
export type RowChangeKind = 'armed' | 'rearmed' | 'superseded' | 'moved' | 'advanced'

/** The rows that `foldRows` must be given: those an intent names by its key, and all customer waits of some conversations. */
export interface RowsToLoad {
  readonly keys: readonly Pick<ArmIntent, 'ruleId' | 'conversationId' | 'episodeKey'>[]
  readonly conversations: readonly { readonly accountId: number; readonly conversationId: number }[]
}

export function rowsToLoad(intents: readonly RowIntent[]): RowsToLoad {
  const keys = new Map<string, RowsToLoad['keys'][number]>()
  const conversations = new Map<string, RowsToLoad['conversations'][number]>()
  for (const intent of intents) {
    if (intent.kind === 'arm') keys.set(rowKey(intent), intent)
    else conversations.set(factKey(intent.accountId, intent.conversationId), intent)
  }
  return { keys: [...keys.values()], conversations: [...conversations.values()] }
}

/**
 * Applies the intents one after the other to the rows as they are stored. Answers the rows that are different afterwards,
 * each once. The caller holds the locks of the existing rows and of their conversations.
 */
export function foldRows(intents: readonly RowIntent[], existing: readonly PendingExecution[]): RowChange[] {
  const rows = new WorkingRows(existing)
  for (const intent of intents) {
    if (intent.kind === 'arm') rows.arm(intent)
    else rows.move(intent)
  }
  return rows.changes()
}

export function kindOfChange({ before, row }: RowChange): RowChangeKind {
  if (before === null) return 'armed'
  if (before.status === 'skipped' && row.status === 'pending') return 'rearmed'
  if (before.status === 'processing' && row.status === 'pending') return 'superseded'
  return row.status !== before.status || row.episodeKey !== before.episodeKey ? 'moved' : 'advanced'
}

/** Rows of immediate rules: to be enqueued at once. */
export function isImmediateArm({ before, row }: RowChange): boolean {
  return before === null && episodeKindOf(row.episodeKey) === 'event'
}

/** When the first of the changed rows that wait comes due; null when none waits. */
export function earliestDue(changes: readonly RowChange[]): Micros | null {
  let earliest: Micros | null = null
  for (const { row } of changes) {
    if (row.status !== 'pending' || episodeKindOf(row.episodeKey) === 'event') continue
    if (earliest === null || row.dueAt < earliest) earliest = row.dueAt
  }
  return earliest
}

/** A message is kept where a row is anchored on it, or where a later event of it must find what an earlier one said. */
export function messagesToStore(folded: FoldedBatch, changes: readonly RowChange[]): ProjectedMessage[] {
  const wanted = new Set(folded.messagesToKeep)
  for (const { row } of changes) {
    if (row.anchor !== null) wanted.add(messageKey(row.accountId, row.conversationId, row.anchor.id))
  }
  return [...folded.messages].filter(([key]) => wanted.has(key)).map(([, message]) => message)
}

function rowKey(row: Pick<PendingExecution, 'ruleId' | 'conversationId' | 'episodeKey'>): string {
  return `${row.ruleId}/${row.conversationId}/${row.episodeKey}`
}

interface WorkingRow {
  readonly before: PendingExecution | null
  row: PendingExecution
}

/** The rows in the middle of a fold, found by their present key and by their conversation. */
class WorkingRows {
  private readonly byKey = new Map<string, WorkingRow>()
  private readonly byConversation = new Map<string, WorkingRow[]>()

  constructor(existing: readonly PendingExecution[]) {
    for (const row of existing) this.add({ before: row, row })
  }

  arm(intent: ArmIntent): void {
    const found = this.byKey.get(rowKey(intent))
    const armed = arm(found?.row ?? null, intent)
    if (armed === null) return
    if (found === undefined) this.add({ before: null, row: armed })
    else found.row = armed
  }

  move(intent: Parameters<typeof move>[1]): void {
    const candidates = this.byConversation.get(factKey(intent.accountId, intent.conversationId)) ?? []
    const moved = move(
      candidates.map(({ row }) => row),
      intent,
    )
    for (const { from, to } of moved) {
      const working = this.byKey.get(rowKey(from))
      if (working === undefined) continue
      this.byKey.delete(rowKey(from))
      working.row = to
      this.byKey.set(rowKey(to), working)
    }
  }

  changes(): RowChange[] {
    return [...this.byKey.values()].filter(({ before, row }) => before !== row)
  }

  private add(working: WorkingRow): void {
    const { row } = working
    this.byKey.set(rowKey(row), working)
    const conversation = factKey(row.accountId, row.conversationId)
    const others = this.byConversation.get(conversation)
    if (others === undefined) this.byConversation.set(conversation, [working])
    else others.push(working)
  }
}
