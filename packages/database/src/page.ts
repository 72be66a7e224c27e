/** A piece of a list that is ordered by id, newest first. */
export interface Page {
  /** Only entries with a smaller id; null begins at the newest. */
  readonly before: number | null
  readonly limit: number
}

export interface Paged<T> {
  readonly entries: readonly T[]
  /** The `before` of the next page; null when nothing follows. */
  readonly next: number | null
}

/** Of one entry more than the page takes, whether there is a next page. */
export function paged<T extends { readonly id: number }>(found: readonly T[], page: Page): Paged<T> {
  const entries = found.slice(0, page.limit)
  return { entries, next: found.length > page.limit ? (entries.at(-1)?.id ?? null) : null }
}

/** Prisma's arguments for a page. */
export function pageArguments(page: Page) {
  return {
    where: page.before === null ? {} : { id: { lt: page.before } },
    orderBy: { id: 'desc' as const },
    take: page.limit + 1,
  }
}
