import { useSyncExternalStore } from 'react'

let said = ''
const listeners = new Set<() => void>()

/** Tells a screen reader what changed without moving the focus: "24 more runs". */
export function announce(text: string): void {
  said = text
  for (const listener of listeners) listener()
}

/** Stands once, in the frame of the page. */
export function Announcer() {
  const text = useSyncExternalStore(subscribe, () => said)
  return (
    <div aria-live="polite" className="visually-hidden">
      {text}
    </div>
  )
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
