import { RUNS_PAGE_SIZE, type SearchState } from '@dwell/contracts/automations'
import { MICROS_PER_MILLISECOND, type Micros } from '@dwell/contracts/instant'
import { type RunPlace, sealRunCursor } from '../cursors/run-cursor'
import type { RunListing } from './run-list-query'

/** One more than a page: to know whether there is another. */
export const RUNS_TO_FETCH = RUNS_PAGE_SIZE + 1

/** Where a search had to stop before it had enough: behind the last run it has looked at. */
export type Unfinished = RunPlace | null

export interface RunsPage<T> {
  readonly rows: readonly T[]
  readonly pagination: {
    readonly limit: number
    readonly next_cursor: string | null
    /** Of a search only. */
    readonly state?: SearchState
    readonly search?: string
  }
}

/**
 * Makes a page of what was fetched: at most fifty runs, and the cursor of the next page where there is one.
 *
 * @param fetched up to `RUNS_TO_FETCH` runs, in order
 * @param unfinished of a search that used up its budget without finding a page's worth
 */
export function runsPage<T extends { readonly id: string; readonly createdAt: Micros }>(
  key: Uint8Array,
  listing: RunListing,
  fetched: readonly T[],
  unfinished: Unfinished = null,
): RunsPage<T> {
  const rows = fetched.slice(0, RUNS_PAGE_SIZE)
  const last = rows.at(-1)
  const more = fetched.length > RUNS_PAGE_SIZE && last !== undefined
  const next = more ? placeOf(last) : unfinished
  const pagination = {
    limit: RUNS_PAGE_SIZE,
    next_cursor: next === null ? null : sealRunCursor(key, listing.scope, next),
  }
  if (listing.kind === 'browse') return { rows, pagination }
  const state: SearchState = more ? 'more' : unfinished !== null ? 'scanning' : 'exhausted'
  return { rows, pagination: { ...pagination, state, search: listing.search } }
}

function placeOf(run: { readonly id: string; readonly createdAt: Micros }): RunPlace {
  return { createdAtMs: Math.floor(run.createdAt / MICROS_PER_MILLISECOND), id: run.id }
}
