/** Lets a caller fail so often, then no more for a while, whatever it shows: a guess that is not looked at tells nothing. */
export interface AttemptLimit {
  /** Seconds until the caller may try again; 0 when it may now. */
  waitFor(caller: string): number
  failed(caller: string): void
}

/** Callers remembered at once; beyond that those whose time is over are forgotten, then everybody. */
const MOST_CALLERS = 10_000

/** Of one process; `now` in milliseconds. */
export function createAttemptLimit(most: number, withinMs: number, now: () => number): AttemptLimit {
  const callers = new Map<string, { failures: number; readonly until: number }>()
  const current = (caller: string) => {
    const known = callers.get(caller)
    return known !== undefined && known.until > now() ? known : undefined
  }
  return {
    waitFor(caller) {
      const known = current(caller)
      return known === undefined || known.failures < most ? 0 : Math.ceil((known.until - now()) / 1_000)
    },
    failed(caller) {
      const known = current(caller)
      if (known !== undefined) known.failures += 1
      else {
        if (callers.size >= MOST_CALLERS) for (const name of callers.keys()) if (!current(name)) callers.delete(name)
        if (callers.size >= MOST_CALLERS) callers.clear()
        callers.set(caller, { failures: 1, until: now() + withinMs })
      }
    },
  }
}

const SIGN_IN_FAILURES = 10
const SIGN_IN_WINDOW_MS = 60_000

export function createSignInLimit(): AttemptLimit {
  return createAttemptLimit(SIGN_IN_FAILURES, SIGN_IN_WINDOW_MS, () => performance.now())
}
