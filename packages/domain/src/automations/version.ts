/** An automation's version as an entity tag. */
export function etagOf(version: number): string {
  return `"${version}"`
}

/**
 * Whether a save was made on the automation as it is. `If-Match` may name several tags, or `*`; without it and without
 * `version` in the body nothing was said, and nothing is compared. A save that loses is answered 412.
 */
export function isCurrent(version: number, ifMatch: string | undefined, bodyVersion: unknown): boolean {
  if (bodyVersion !== undefined && bodyVersion !== version) return false
  if (ifMatch === undefined || ifMatch.trim() === '*') return true
  return ifMatch
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .includes(etagOf(version))
}
