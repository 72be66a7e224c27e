const DEFAULT_LIMIT_MS = 15_000
const INTERVAL_MS = 15

/**
 * Resolves with the condition's first truthy value; asked again and again, at once for the first time. A condition
 * that throws counts as not yet true. When the time is over it rejects and says what it waited for and what it saw last.
 */
export async function waitFor<T>(
  what: string,
  condition: () => T | Promise<T>,
  options: { readonly limitMs?: number } = {},
): Promise<Exclude<T, false | null | undefined | 0 | ''>> {
  const limitMs = options.limitMs ?? DEFAULT_LIMIT_MS
  const until = performance.now() + limitMs
  let last: unknown
  for (;;) {
    try {
      const value = await condition()
      if (value) return value as Exclude<T, false | null | undefined | 0 | ''>
      last = value
    } catch (error) {
      last = error
    }
    if (performance.now() > until) {
      const seen = last instanceof Error ? last.message : JSON.stringify(last)
      throw new Error(`Waited ${limitMs} ms for ${what}; last seen: ${seen}`, { cause: last })
    }
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS))
  }
}
