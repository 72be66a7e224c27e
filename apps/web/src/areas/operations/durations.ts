/** Milliseconds as people read them: `250 ms`, `3.2 s`, `2.5 min`, `12 min`, `5 h`. Nothing is a dash. */
export function durationWords(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–'
  const size = Math.max(0, ms)
  if (size < 1_000) return `${Math.round(size)} ms`
  if (size < 60_000) return `${short(size / 1_000)} s`
  if (size < 5_400_000) return `${short(size / 60_000)} min`
  if (size < 129_600_000) return `${Math.round(size / 3_600_000)} h`
  return `${Math.round(size / 86_400_000)} days`
}

/** One digit behind the point below ten, unless it is 0. */
function short(number: number): string {
  return String(number < 10 ? Math.round(number * 10) / 10 : Math.round(number))
}
