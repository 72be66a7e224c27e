/**
 * Readers of search parameters for `validateSearch`: whatever stands in the address, a view gets something it can show.
 * What is left out is undefined, so it does not stand in the address either.
 */
export function oneOf<Name extends string>(value: unknown, names: readonly Name[]): Name | undefined {
  return names.find((name) => name === value)
}

export function textParam(value: unknown, maxLength = 200): string | undefined {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' ? text.slice(0, maxLength) : undefined
}

/** A positive whole number, e.g. an id. */
export function idParam(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : undefined
}

/** A calendar day, `2026-09-01`. */
export function dayParam(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined
}
