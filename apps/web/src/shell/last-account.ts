const KEY = 'dwell:account'

/** Which account to come back to from what belongs to the whole installation. An id is no secret. */
export function rememberAccount(accountId: number): void {
  sessionStorage.setItem(KEY, String(accountId))
}

export function rememberedAccount(): number | null {
  const id = Number(sessionStorage.getItem(KEY))
  return Number.isSafeInteger(id) && id > 0 ? id : null
}
