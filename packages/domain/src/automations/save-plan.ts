import type { ActionData, AutomationAction } from '@dwell/contracts/automations'
import type { Micros } from '@dwell/contracts/instant'
import type { AutomationContent } from './check-save'
import { isSameContent } from './content'

/** What a save writes beside the automation's own row. Positions begin with 0 and have no gaps. */
export interface SavePlan {
  readonly added: readonly { readonly action: AutomationAction; readonly position: number }[]
  /** Changed contents: each becomes a new revision. */
  readonly revised: readonly { readonly actionId: string; readonly data: ActionData }[]
  /** Actions that stay, where they stand now. */
  readonly moved: readonly { readonly actionId: string; readonly position: number }[]
  /** Deleted softly. */
  readonly removed: readonly string[]
  /** All pending, unlocked steps end `automation_disabled`. */
  readonly turnsOff: boolean
}

/** The difference between what is stored (null: nothing yet) and what is to be. Saving the same twice writes no content. */
export function planSave(stored: AutomationContent | null, next: AutomationContent): SavePlan {
  const before = new Map(stored?.actions.map((action, position) => [action.id, { ...action, position }]))
  const after = new Set(next.actions.map((action) => action.id))
  const placed = next.actions.map((action, position) => ({ action, position }))
  const kept = placed.flatMap(({ action, position }) => {
    const known = before.get(action.id)
    return known === undefined ? [] : [{ action, position, known }]
  })
  return {
    added: placed.filter(({ action }) => !before.has(action.id)),
    revised: kept
      .filter(({ action, known }) => !isSameContent(known.data, action.data))
      .map(({ action }) => ({ actionId: action.id, data: action.data })),
    moved: kept
      .filter(({ position, known }) => known.position !== position)
      .map(({ action, position }) => ({ actionId: action.id, position })),
    removed: [...before.keys()].filter((id) => !after.has(id)),
    turnsOff: stored?.status === 'active' && next.status === 'inactive',
  }
}

/** Revisions of an action differ in their instants: one that is saved in the same instant as the last gets the next one. */
export function revisionTime(now: Micros, latest: Micros | null): Micros {
  return latest === null || now > latest ? now : ((latest + 1) as Micros)
}
