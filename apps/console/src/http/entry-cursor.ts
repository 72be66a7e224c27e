import { DEFAULT_PAGE_SIZE, type PageQuery } from '@dwell/contracts/rest/answers'
import { invalid } from './problem'

/** A piece of a list out of a stream, the newest entry first. */
export interface EntryPage {
  /** Only entries before this one; null begins at the newest. */
  readonly before: string | null
  readonly limit: number
}

export const ENTRY_ID = /^\d{1,16}-\d{1,16}$/

export function writeEntryCursor(before: string): string {
  return Buffer.from(`entry:${before}`).toString('base64url')
}

export function readEntryPage(query: PageQuery): EntryPage {
  const limit = query.limit ?? DEFAULT_PAGE_SIZE
  if (query.cursor === undefined) return { before: null, limit }
  const before = Buffer.from(query.cursor, 'base64url')
    .toString('latin1')
    .replace(/^entry:/, '')
  if (!ENTRY_ID.test(before) || writeEntryCursor(before) !== query.cursor)
    throw invalid([{ pointer: '/cursor', code: 'wrong_format', message: 'is no cursor of this list' }])
  return { before, limit }
}
