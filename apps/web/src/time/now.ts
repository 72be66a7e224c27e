import { useSyncExternalStore } from 'react'

const TICK_MS = 5_000

/**
 * What the server takes for now, in milliseconds: a wrong clock of the browser (or a test clock of the server) must not
 * make "due in 4 hours" wrong.
 */
let aheadMs = 0
let current = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

export function setServerNow(iso: string): void {
  aheadMs = Date.parse(iso) - Date.now()
  tick()
}

/** For what is computed once; a view that shows time uses `useNow`. */
export function serverNow(): number {
  return Date.now() + aheadMs
}

/** Changes every few seconds while somebody looks. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => current)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  current = serverNow()
  for (const listener of listeners) listener()
}
