import { DEFAULT_PAGE_SIZE, type PageQuery } from '@dwell/contracts/rest/answers'
import type { DeliveryPlace } from '@dwell/database/deliveries/troubled'
import { invalid } from './problem'

const CURSOR = /^before:(\d{1,16})-(\d{1,9})(-\d{1,9})?$/

/** Opaque for everybody but us. A delivery's id holds all by which the list is ordered. */
export function writeDeliveryCursor({ id }: Pick<DeliveryPlace, 'id'>): string {
  return Buffer.from(`before:${id}`).toString('base64url')
}

export function readDeliveryPage(query: PageQuery): {
  readonly before: DeliveryPlace | null
  readonly limit: number
} {
  const limit = query.limit ?? DEFAULT_PAGE_SIZE
  if (query.cursor === undefined) return { before: null, limit }
  const text = Buffer.from(query.cursor, 'base64url').toString('latin1')
  const [, execution, position] = CURSOR.exec(text) ?? []
  const before = { executionId: Number(execution), position: Number(position), id: text.slice('before:'.length) }
  // Reading base64 is lenient; only what we wrote ourselves reads back to the same text.
  if (!Number.isSafeInteger(before.executionId) || writeDeliveryCursor(before) !== query.cursor)
    throw invalid([{ pointer: '/cursor', code: 'wrong_format', message: 'is no cursor of this list' }])
  return { before, limit }
}
