const RFC_3339 = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d+))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/

/** Microseconds since the epoch of an RFC 3339 instant; undefined for any other value. Digits beyond the sixth are cut. */
export function microsecondsOf(value: unknown): bigint | undefined {
  const parts = typeof value === 'string' ? RFC_3339.exec(value) : null
  if (!parts) return undefined
  const [, date, time, fraction = '', , sign, hours = '0', minutes = '0'] = parts
  const wholeMs = Date.parse(`${date}T${time}Z`)
  if (Number.isNaN(wholeMs)) return undefined
  const offsetMinutes = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
  return BigInt(wholeMs) * 1_000n - BigInt(offsetMinutes) * 60_000_000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'))
}

/** The latest of some instants, as it was written. */
export function latestOf(instants: readonly string[]): string | undefined {
  let latest: string | undefined
  for (const instant of instants) {
    if (latest === undefined || (microsecondsOf(instant) ?? 0n) > (microsecondsOf(latest) ?? 0n)) latest = instant
  }
  return latest
}
