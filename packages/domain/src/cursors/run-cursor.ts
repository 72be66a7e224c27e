import { createHash } from 'node:crypto'
import {
  MAX_CURSOR_CHARACTERS,
  RUN_ORDERS,
  RUN_STATUSES,
  type RunOrder,
  type RunStatus,
} from '@dwell/contracts/automations'
import type { Day } from '../calendar/local-day'
import { openToken, sealToken } from './signed-token'

/** What a page was asked for; the next one must be asked for the same. automations.md sections 10 and 11. */
export type RunScope = BrowseScope | SearchScope

export interface BrowseScope {
  readonly kind: 'browse'
  readonly accountId: number
  readonly automationId: string
  readonly order: RunOrder
  readonly status: RunStatus | null
  readonly from: Day | null
  readonly to: Day | null
  readonly timeZone: string
}

export interface SearchScope {
  readonly kind: 'search'
  readonly accountId: number
  readonly automationId: string
  readonly order: RunOrder
  /** Trimmed. */
  readonly search: string
}

/** The last run of a page: the next page begins behind it. */
export interface RunPlace {
  /** Entry in milliseconds since the epoch: runs are ordered by what is reported. */
  readonly createdAtMs: number
  readonly id: string
}

const PURPOSE = 'run-cursor'

/** At most 2,048 characters, safe in a URL as it is. */
export function sealRunCursor(key: Uint8Array, scope: RunScope, place: RunPlace): string {
  return sealToken(key, PURPOSE, JSON.stringify({ ...writtenScope(scope), at: place.createdAtMs, id: place.id }))
}

export interface RunCursor {
  readonly place: RunPlace
  /** The end of the range of the first page; null where it had none. */
  readonly to: Day | null
  /** Whether it was made for this: same account, automation, order, and filters or query. */
  fits(scope: RunScope): boolean
}

/** Null for whatever is not a cursor of this installation, unaltered. Never throws. */
export function openRunCursor(key: Uint8Array, text: unknown): RunCursor | null {
  if (typeof text !== 'string' || text.length > MAX_CURSOR_CHARACTERS) return null
  const json = openToken(key, PURPOSE, text)
  const written = json === null ? null : parse(json)
  if (written === null) return null
  const { at, id, ...scope } = written
  return {
    place: { createdAtMs: at, id },
    to: 'to' in scope ? (scope.to as Day | null) : null,
    fits: (asked) => sameEntries(scope, writtenScope(asked)),
  }
}

type WrittenScope =
  | {
      readonly kind: 'browse'
      readonly account: number
      readonly automation: string
      readonly order: RunOrder
      readonly status: RunStatus | null
      readonly from: number | null
      readonly to: number | null
      readonly zone: string
    }
  | {
      readonly kind: 'search'
      readonly account: number
      readonly automation: string
      readonly order: RunOrder
      readonly search: string
    }

/** A query may be longer than a cursor: its digest is as good for telling whether it is the same. */
function writtenScope(scope: RunScope): WrittenScope {
  const { kind, accountId: account, automationId: automation, order } = scope
  if (kind === 'search') return { kind, account, automation, order, search: digestOf(scope.search) }
  const { status, from, to, timeZone: zone } = scope
  return { kind, account, automation, order, status, from, to, zone }
}

function digestOf(search: string): string {
  return createHash('sha256').update(search, 'utf8').digest('base64url')
}

type Check = (value: unknown) => boolean
const isText: Check = (value) => typeof value === 'string'
const isWhole: Check = (value) => Number.isSafeInteger(value)
const isWholeOrNull: Check = (value) => value === null || isWhole(value)
const isOneOf =
  (values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value)

const SHARED = { account: isWhole, automation: isText, order: isOneOf(RUN_ORDERS), at: isWhole, id: isText }
/** The exact keys of each kind: a cursor of another version of the product is none. */
const KEYS: Readonly<Record<RunScope['kind'], Readonly<Record<string, Check>>>> = {
  browse: {
    ...SHARED,
    kind: isOneOf(['browse']),
    status: isOneOf([null, ...RUN_STATUSES]),
    from: isWholeOrNull,
    to: isWholeOrNull,
    zone: isText,
  },
  search: { ...SHARED, kind: isOneOf(['search']), search: isText },
}

function parse(json: string): (WrittenScope & { readonly at: number; readonly id: string }) | null {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const entries = Object.entries(value)
  const fits = Object.values(KEYS).some(
    (keys) =>
      entries.length === Object.keys(keys).length &&
      entries.every(([key, entry]) => Object.hasOwn(keys, key) && keys[key]?.(entry)),
  )
  return fits ? (value as WrittenScope & { at: number; id: string }) : null
}

function sameEntries(a: object, b: object): boolean {
  const right = new Map(Object.entries(b))
  const left = Object.entries(a)
  return left.length === right.size && left.every(([key, value]) => right.has(key) && right.get(key) === value)
}
