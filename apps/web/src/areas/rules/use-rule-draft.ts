import { useState } from 'react'
import type { RuleDraft } from './rule-draft'

interface Kept {
  /** What the draft began with: where that has changed since, the draft is of no use. */
  readonly base: string
  readonly draft: RuleDraft
}

export interface DraftInHand {
  readonly draft: RuleDraft
  readonly change: (draft: RuleDraft) => void
  /** It was left here unsaved before. */
  readonly restored: boolean
  /** Something differs from what it began with. */
  readonly touched: boolean
  /** Begins again, with `next` where it is given. */
  readonly discard: (next?: RuleDraft) => void
}

/**
 * A draft that survives leaving the page, for as long as this tab lives. A rule is no secret.
 *
 * @param key names what is edited
 * @param base changes when what is edited has been changed elsewhere
 */
export function useRuleDraft(key: string, base: string, initial: () => RuleDraft): DraftInHand {
  const name = `dwell:rule-draft:${key}`
  const [state, setState] = useState(() => {
    const kept = read(name, base)
    return { draft: kept ?? initial(), restored: kept !== null, touched: kept !== null }
  })
  return {
    ...state,
    change: (draft) => {
      sessionStorage.setItem(name, JSON.stringify({ base, draft } satisfies Kept))
      setState((now) => ({ ...now, draft, touched: true }))
    },
    discard: (next) => {
      sessionStorage.removeItem(name)
      setState({ draft: next ?? initial(), restored: false, touched: false })
    },
  }
}

function read(name: string, base: string): RuleDraft | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(name) ?? 'null') as Kept | null
    return kept?.base === base ? kept.draft : null
  } catch {
    return null
  }
}
