/** BullMQ's lowest priority; 0 would jump before all prioritised jobs. */
const LOWEST_PRIORITY = 2_097_151
const IMMEDIATE_PRIORITY = 1

/** How many turns each account has had in this sweep. */
export type Turns = Map<number, number>

/**
 * Account-fair order: immediate rows first, then the first row of every account, then every second, and so on, so that one
 * account's backlog cannot starve another. Answers one priority per row, in the given order; counts on in `turns`.
 */
export function fairPriorities(
  rows: readonly { readonly accountId: number; readonly immediate: boolean }[],
  turns: Turns = new Map(),
): number[] {
  return rows.map(({ accountId, immediate }) => {
    if (immediate) return IMMEDIATE_PRIORITY
    const turn = turns.get(accountId) ?? 0
    turns.set(accountId, turn + 1)
    return Math.min(IMMEDIATE_PRIORITY + 1 + turn, LOWEST_PRIORITY)
  })
}
