import { DEFAULT_PAGE_SIZE, type PageQuery } from '@dwell/contracts/rest/answers'
import type { Page, Paged } from '@dwell/database/page'
import { invalid } from './problem'

const CURSOR = /^before:(\d{1,16})$/

/** Opaque for everybody but us: clients pass back what they were given. */
export function writeCursor(before: number): string {
  return Buffer.from(`before:${before}`).toString('base64url')
}

export function readPage(query: PageQuery): Page {
  const limit = query.limit ?? DEFAULT_PAGE_SIZE
  if (query.cursor === undefined) return { before: null, limit }
  const text = Buffer.from(query.cursor, 'base64url').toString('latin1')
  const before = Number(CURSOR.exec(text)?.[1])
  // Reading base64 is lenient; only what we wrote ourselves reads back to the same text.
  if (!Number.isSafeInteger(before) || writeCursor(before) !== query.cursor)
    throw invalid([{ pointer: '/cursor', code: 'wrong_format', message: 'is no cursor of this list' }])
  return { before, limit }
}

export function pageAnswer<T, A>(page: Paged<T>, view: (entry: T) => A) {
  return {
    payload: page.entries.map(view),
    meta: { next_cursor: page.next === null ? null : writeCursor(page.next) },
  }
}
