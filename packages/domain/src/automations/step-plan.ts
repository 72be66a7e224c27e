import { MICROS_PER_HOUR, type Micros } from '@dwell/contracts/instant'
import type { PathAction } from './automation'

/** A pending step to be written. */
export interface PlannedStep {
  readonly actionId: string
  readonly revisionId: string
  readonly createdAt: Micros
  /** The end of a wait, in elapsed hours; of an e-mail, the instant it was queued. */
  readonly readyAt: Micros
  /** Whether the path went on behind it when it was queued: tells later whether an edit cut it off. */
  readonly followed: boolean
}

/** The step of the action at `position` of a path; null behind its end. */
export function planStep(path: readonly PathAction[], position: number, at: Micros): PlannedStep | null {
  const action = path[position]
  if (action === undefined) return null
  return {
    actionId: action.id,
    revisionId: action.revisionId,
    createdAt: at,
    readyAt: (at + (action.waitHours ?? 0) * MICROS_PER_HOUR) as Micros,
    followed: position < path.length - 1,
  }
}
