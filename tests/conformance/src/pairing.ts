/**
 * Pairs every expected element with an actual one of its own where that is possible at all, and returns the expected ones
 * for which it is not. A greedy choice would not do: a loose expectation may take the only partner of a strict one, so
 * that earlier pairs must be able to move (maximum bipartite matching by augmenting paths).
 */
export function withoutPartner<E, A>(
  expected: readonly E[],
  actual: readonly A[],
  fits: (expected: E, actual: A) => boolean,
): E[] {
  const candidates = expected.map((one) => actual.flatMap((other, index) => (fits(one, other) ? [index] : [])))
  const takenBy = new Map<number, number>()

  function findPartner(of: number, tried: Set<number>): boolean {
    for (const index of candidates[of] ?? []) {
      if (tried.has(index)) continue
      tried.add(index)
      const holder = takenBy.get(index)
      if (holder === undefined || findPartner(holder, tried)) {
        takenBy.set(index, of)
        return true
      }
    }
    return false
  }

  return expected.filter((_, index) => !findPartner(index, new Set()))
}
