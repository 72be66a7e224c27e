const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/

/**
 * Reads a duration as people write it in the environment: `250ms`, `30s`, `5m`, `1.5h`, `3d`. Answers whole
 * milliseconds, or null when the text is no duration. A bare number is refused: nobody could tell its unit.
 */
export function parseDuration(text: string): number | null {
  const match = DURATION.exec(text.trim())
  if (!match) return null
  const [, amount = '', unit = ''] = match
  const milliseconds = Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS]
  return Number.isSafeInteger(milliseconds) ? milliseconds : null
}

/** The shortest spelling that `parseDuration` reads back as the same value. */
export function formatDuration(milliseconds: number): string {
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    if (milliseconds >= UNIT_MS[unit] && milliseconds % UNIT_MS[unit] === 0)
      return `${milliseconds / UNIT_MS[unit]}${unit}`
  }
  return `${milliseconds}ms`
}
