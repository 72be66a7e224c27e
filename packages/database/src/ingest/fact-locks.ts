/** A conversation or a contact: ids are unique per account only. */
export interface FactId {
  readonly accountId: number
  readonly id: number
}

/**
 * Each id once, in the order in which every consumer locks: whoever wants two of the same rows meets the other at the
 * first of them, so nobody waits in a circle.
 */
export function inLockOrder(ids: Iterable<FactId>): FactId[] {
  const unique = new Map<string, FactId>()
  for (const one of ids) unique.set(`${one.accountId}/${one.id}`, one)
  return [...unique.values()].sort((a, b) => a.accountId - b.accountId || a.id - b.id)
}

/** As parameters of `unnest($1::bigint[], $2::bigint[])`. */
export function asColumns(ids: readonly FactId[]): [accountIds: number[], ids: number[]] {
  return [ids.map((one) => one.accountId), ids.map((one) => one.id)]
}
