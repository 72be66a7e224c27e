import { type RefObject, useLayoutEffect, useRef } from 'react'

/** A step, or with `move` the button of it that moves it so; `end` is the button that adds to the end. */
type Target = { readonly step: string; readonly move?: -1 | 1 } | 'end'

/**
 * Where the focus goes after a step was put in, moved or removed: what had it may be gone, or was taken out of the document
 * for a moment.
 */
export function useStepFocus(): {
  readonly path: RefObject<HTMLDivElement | null>
  readonly goTo: (target: Target) => void
} {
  const path = useRef<HTMLDivElement>(null)
  const target = useRef<Target | null>(null)

  useLayoutEffect(() => {
    const goal = target.current
    if (goal === null) return
    const found = path.current?.querySelector<HTMLElement>(selectorOf(goal))
    if (found == null) return
    target.current = null
    found.focus()
  })

  const goTo = useRef((next: Target) => {
    target.current = next
  })
  return { path, goTo: goTo.current }
}

function selectorOf(goal: Target): string {
  if (goal === 'end') return '[data-insert="0"]'
  const card = `[data-step="${goal.step}"]`
  return goal.move === undefined ? card : `${card} [data-move="${goal.move}"]`
}
