import { MAX_SEARCH_BYTES, RUN_ORDERS, RUN_STATUSES, type RunOrder, type RunStatus } from '@dwell/contracts/automations'
import type { Micros } from '@dwell/contracts/instant'
import { isStorableText } from '@dwell/contracts/parse-event'
import type { Fault } from '@dwell/contracts/rule'
import { type DateRange, readDateRange } from '../calendar/date-range'
import type { Span } from '../calendar/day-window'
import { rangeSpan } from '../calendar/entry-window'
import { openRunCursor, type RunCursor, type RunPlace, type RunScope } from '../cursors/run-cursor'

/** Query parameters as they came: text, or a list where one was given twice. */
export type QueryParameters = Readonly<Record<string, unknown>>

export interface RunListRequest {
  readonly parameters: QueryParameters
  readonly accountId: number
  readonly automationId: string
  readonly now: Micros
  /** Signs cursors. */
  readonly key: Uint8Array
}

/** Which page of which runs is asked for. */
export type RunListing = BrowseListing | SearchListing

interface Listing {
  readonly order: RunOrder
  /** The page begins behind this run; null for the first one. */
  readonly after: RunPlace | null
  /** What the next page's cursor is bound to. */
  readonly scope: RunScope
}

export interface BrowseListing extends Listing {
  readonly kind: 'browse'
  readonly status: RunStatus | null
  /** Entry times; null for all history. */
  readonly span: Span | null
}

export interface SearchListing extends Listing {
  readonly kind: 'search'
  /** Trimmed; answered with the page. */
  readonly search: string
}

export type ReadRunList =
  | { readonly ok: true; readonly listing: RunListing }
  | { readonly ok: false; readonly faults: readonly Fault[] }

/**
 * Reads the parameters of the run list. With a search that is not blank all history and all statuses are searched: dates and
 * status are not even looked at. A cursor continues only what it was made for. automations.md sections 10 and 11.
 */
export function readRunList(request: RunListRequest): ReadRunList {
  const faults: Fault[] = []
  const order = oneOf(request.parameters, 'order', RUN_ORDERS, faults) ?? 'created_at desc'
  const search = readSearch(request.parameters.search, faults)
  const cursor = readCursor(request, faults)
  if (search !== null) return searchListing(request, order, search, cursor, faults)
  return browseListing(request, order, cursor, faults)
}

function searchListing(
  { accountId, automationId }: RunListRequest,
  order: RunOrder,
  search: string,
  cursor: RunCursor | null,
  faults: Fault[],
): ReadRunList {
  const scope: RunScope = { kind: 'search', accountId, automationId, order, search }
  checkFit(cursor, scope, faults)
  if (faults.length > 0) return { ok: false, faults }
  return { ok: true, listing: { kind: 'search', order, search, after: cursor?.place ?? null, scope } }
}

function browseListing(
  { parameters, accountId, automationId, now }: RunListRequest,
  order: RunOrder,
  cursor: RunCursor | null,
  faults: Fault[],
): ReadRunList {
  const status = oneOf(parameters, 'status', RUN_STATUSES, faults)
  const read = readDateRange(parameters, now, cursor?.to ?? null)
  if (!read.ok) return { ok: false, faults: [...faults, ...read.faults] }
  const scope = browseScope(accountId, automationId, order, status, read.range)
  checkFit(cursor, scope, faults)
  if (faults.length > 0) return { ok: false, faults }
  const span = rangeSpan(read.range)
  return { ok: true, listing: { kind: 'browse', order, status, span, after: cursor?.place ?? null, scope } }
}

function browseScope(
  accountId: number,
  automationId: string,
  order: RunOrder,
  status: RunStatus | null,
  { from, to, timeZone }: DateRange,
): RunScope {
  return { kind: 'browse', accountId, automationId, order, status, from, to, timeZone }
}

function oneOf<T extends string>(
  parameters: QueryParameters,
  name: string,
  allowed: readonly T[],
  faults: Fault[],
): T | null {
  const value = parameters[name]
  if (value === undefined) return null
  const found = allowed.find((candidate) => candidate === value) ?? null
  if (found === null) faults.push(fault(name, `unknown_${name}`, `${name} must be one of ${allowed.join(', ')}`))
  return found
}

/** Null for an ordinary list: nothing to look for, or white space. Bytes are counted before trimming. */
function readSearch(value: unknown, faults: Fault[]): string | null {
  if (value === undefined) return null
  if (typeof value !== 'string') {
    faults.push(fault('search', 'parameter_repeated', 'search must be given once'))
    return null
  }
  if (Buffer.byteLength(value, 'utf8') > MAX_SEARCH_BYTES) {
    faults.push(fault('search', 'search_too_long', `search may have at most ${MAX_SEARCH_BYTES} bytes`))
  } else if (!isStorableText(value)) {
    faults.push(fault('search', 'unstorable_text', 'search must not contain a NUL or an unpaired surrogate'))
  }
  const search = value.trim()
  return search === '' ? null : search
}

function readCursor({ parameters, key }: RunListRequest, faults: Fault[]): RunCursor | null {
  if (parameters.cursor === undefined) return null
  const cursor = openRunCursor(key, parameters.cursor)
  if (cursor === null)
    faults.push(fault('cursor', 'invalid_cursor', 'cursor must be the next_cursor of a page, as it is'))
  return cursor
}

function checkFit(cursor: RunCursor | null, scope: RunScope, faults: Fault[]): void {
  if (cursor === null || cursor.fits(scope)) return
  faults.push(
    fault('cursor', 'cursor_of_another_list', 'the cursor was made for other parameters; begin with the first page'),
  )
}

function fault(pointer: string, code: string, message: string): Fault {
  return { pointer, code, message }
}
