/** BullMQ's lowest priority; 0 would jump before all prioritised jobs. */
const LOWEST_PRIORITY = 2_097_151
const IMMEDIATE_PRIORITY = 1

/**
 * Account-fair order: immediate rows first, then the first row of every account, then every second, and so on, so that one
 * account's backlog cannot starve another. Answers one priority per row, in the given order.
 */
export function fairPriorities(rows: readonly { readonly accountId: number; readonly immediate: boolean }[]): number[] {
  const positions = new Map<number, number>()
  return rows.map(({ accountId, immediate }) => {
    if (immediate) return IMMEDIATE_PRIORITY
    const position = positions.get(accountId) ?? 0
    positions.set(accountId, position + 1)
    return Math.min(IMMEDIATE_PRIORITY + 1 + position, LOWEST_PRIORITY)
  })
}
