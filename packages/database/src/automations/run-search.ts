import type { RunOrder } from '@dwell/contracts/automations'
import { MICROS_PER_MILLISECOND, type Micros } from '@dwell/contracts/instant'
import type { SearchListing } from '@dwell/domain/automations/run-list-query'
import { RUNS_TO_FETCH, type Unfinished } from '@dwell/domain/automations/runs-page'
import { containsPattern, longestWord, searchKey } from '@dwell/domain/automations/search-key'
import type { PoolClient } from 'pg'
import { FIRST_ID, LAST_ID, type ListedRow, type ListedRun, listedRun } from './run-list'
import { inSnapshot, type StatisticsSource } from './snapshot'
import { refuseUnknown, unknownSteps } from './unknown-steps'

/** What a page of a search may cost. */
export interface SearchBudget {
  /** Runs that are looked at first: enough where a good part of the members matches, and tells where some part does. */
  readonly firstWalk: number
  /** Matching members whose runs are gathered; where there are more, runs are looked at one after another. */
  readonly members: number
  /** Runs per further batch, and how many batches. */
  readonly walk: number
  readonly walks: number
  /** No batch begins later. */
  readonly softLimitMs: number
}

/** Seed, *Member search*: 2,000 members and four batches of 5,000 runs within 1.5 seconds; one index finds more members. */
export const SEARCH_BUDGET: SearchBudget = {
  firstWalk: 300,
  members: 8_000,
  walk: 5_000,
  walks: 4,
  softLimitMs: 1_500,
}

export interface FoundRuns {
  readonly runs: readonly ListedRun[]
  /** Where the budget was used up: the last run that was looked at. */
  readonly unfinished: Unfinished
}

interface Directions {
  readonly direction: 'ASC' | 'DESC'
  readonly behind: '<' | '>'
}

const DIRECTIONS: Readonly<Record<RunOrder, Directions>> = {
  'created_at desc': { direction: 'DESC', behind: '<' },
  'created_at asc': { direction: 'ASC', behind: '>' },
}

// $1 account, $2 automation, $3 and $4 the place to begin behind.
const runsBehind = ({ behind }: Directions) => `
    SELECT id, created_at, end_reason, member_id FROM automation_runs
    WHERE account_id = $1 AND automation_id = $2 AND status IS NOT NULL
      AND (created_at, id) ${behind} ($3::timestamptz, $4::uuid)`

// $5 pattern, $6 how many runs are looked at, $7 how many are wanted. OFFSET keeps the look-up of a member per run, in order, so
// that it ends with the last run that is wanted.
const walkText = (directions: Directions) => `
  SELECT run.id, dwell_micros(run.created_at) AS created_at, run.end_reason, m.id AS member_id, m.name, m.email
  FROM (${runsBehind(directions)}
    ORDER BY created_at ${directions.direction}, id ${directions.direction} LIMIT $6) run
  CROSS JOIN LATERAL (
    SELECT id, name, email FROM members
    WHERE account_id = $1 AND id = run.member_id AND NOT gone AND search_text LIKE $5 OFFSET 0
  ) m
  ORDER BY run.created_at ${directions.direction}, run.id ${directions.direction} LIMIT $7`

// $5 how many runs were looked at.
const endText = (directions: Directions) => `
  SELECT dwell_micros(created_at) AS created_at, id FROM (${runsBehind(directions)}) run
  ORDER BY run.created_at ${directions.direction}, run.id ${directions.direction} OFFSET $5::bigint - 1 LIMIT 1`

// $5 pattern, $6 how many members at most, $7 how many runs are wanted, $8 a word of the query. Without a word that the
// index can look for it would be read as a whole, so then nothing is (members: null). The runs are gathered only if their
// members are not too many.
const gatherText = ({ direction, behind }: Directions) => `
  WITH found AS MATERIALIZED (
    SELECT id, name, email FROM members
    WHERE account_id = $1 AND NOT gone AND search_text LIKE $5 AND cardinality(show_trgm($8)) > 2 LIMIT $6 + 1
  ), counted AS MATERIALIZED (
    SELECT CASE WHEN cardinality(show_trgm($8)) > 2 THEN count(*) END AS members FROM found
  )
  SELECT counted.members, run.id, dwell_micros(run.created_at) AS created_at, run.end_reason, run.member_id, run.name,
    run.email
  FROM counted LEFT JOIN LATERAL (
    SELECT r.id, r.created_at, r.end_reason, r.member_id, found.name, found.email
    FROM found CROSS JOIN LATERAL (
      SELECT id, created_at, end_reason, member_id FROM automation_runs
      WHERE account_id = $1 AND automation_id = $2 AND member_id = found.id AND status IS NOT NULL
        AND (created_at, id) ${behind} ($3::timestamptz, $4::uuid) OFFSET 0
    ) r
    WHERE (SELECT members FROM counted) <= $6
    ORDER BY r.created_at ${direction}, r.id ${direction} LIMIT $7
  ) run ON true
  ORDER BY run.created_at ${direction}, run.id ${direction}`

const BROKEN = `
  SELECT status FROM (${unknownSteps('$1')}) s WHERE s.run_id = ANY($2::uuid[]) LIMIT 1`

/** An instant and an id, as statements take them: of what is stored, or the end of all time. */
type Place = readonly [string, string]

interface Search {
  readonly client: PoolClient
  readonly accountId: number
  readonly automationId: string
  readonly order: RunOrder
  readonly pattern: string
  readonly word: string
}

/**
 * The runs of a page whose members, as they are now, match; and one more where there is one. Runs are looked at in order
 * first, which is soon over where many members match; where few do their runs are gathered by the index of what members are
 * found by; what lies in between, and what the index cannot look for, is looked at in batches until the budget is used up.
 *
 * @param elapsed ms since the request began
 * @throws UnknownStepStatusError where a run of the page has a step with a status nobody knows
 * @throws StatisticsTimeoutError
 */
export function searchRuns(
  source: StatisticsSource,
  accountId: number,
  automationId: string,
  listing: SearchListing,
  elapsed: () => number,
  budget = SEARCH_BUDGET,
): Promise<FoundRuns> {
  const key = searchKey(listing.search)
  return inSnapshot(source, async (client) => {
    const { order } = listing
    const search = { client, accountId, automationId, order, pattern: containsPattern(key), word: longestWord(key) }
    const found = await find(search, firstPlace(listing), elapsed, budget)
    await refuseUnknownSteps(search, found.runs.slice(0, RUNS_TO_FETCH - 1))
    return found
  })
}

async function find(search: Search, first: Place, elapsed: () => number, budget: SearchBudget): Promise<FoundRuns> {
  let place: Place = first
  let triedToGather = false
  const runs: ListedRun[] = []
  for (let batch = 0; batch <= budget.walks; batch += 1) {
    const size = batch === 0 ? budget.firstWalk : budget.walk
    runs.push(...(await walk(search, place, size, RUNS_TO_FETCH - runs.length)))
    if (runs.length >= RUNS_TO_FETCH) return { runs, unfinished: null }
    const end = await endOf(search, place, size)
    if (end === null) return { runs, unfinished: null }
    place = end
    if (!triedToGather && (batch > 0 || isSparse(runs.length, budget))) {
      triedToGather = true
      const gathered = await gather(search, place, RUNS_TO_FETCH - runs.length, budget.members)
      if (gathered !== null) return { runs: [...runs, ...gathered], unfinished: null }
    }
    if (elapsed() >= budget.softLimitMs) break
  }
  const [at, id] = place
  return { runs, unfinished: { createdAtMs: Date.parse(at), id } }
}

/** Whether the first batch has too few matches for the next one to complete the page, even if twice as many came. */
function isSparse(matches: number, { firstWalk, walk }: SearchBudget): boolean {
  return matches * walk < 2 * RUNS_TO_FETCH * firstWalk
}

async function walk(
  { client, accountId, automationId, order, pattern }: Search,
  place: Place,
  size: number,
  n: number,
) {
  const { rows } = await client.query<ListedRow>({
    name: `search walk ${order}`,
    text: walkText(DIRECTIONS[order]),
    values: [accountId, automationId, ...place, pattern, size, n],
  })
  return rows.map(listedRun)
}

/** The last of so many runs; null where there are fewer, so that all have been looked at. */
async function endOf({ client, accountId, automationId, order }: Search, place: Place, size: number) {
  const { rows } = await client.query<{ created_at: Micros; id: string }>({
    name: `search end ${order}`,
    text: endText(DIRECTIONS[order]),
    values: [accountId, automationId, ...place, size],
  })
  const [row] = rows
  return row === undefined ? null : placeAt(row.created_at / MICROS_PER_MILLISECOND, row.id)
}

/** Null where the members are too many, or cannot be looked for by the index. */
async function gather(
  { client, accountId, automationId, order, pattern, word }: Search,
  place: Place,
  n: number,
  members: number,
): Promise<ListedRun[] | null> {
  // Without a name, so that it is planned for this pattern: a plan for any pattern reads all members (measured: 1.3 s).
  const { rows } = await client.query<ListedRow & { members: number | null }>({
    text: gatherText(DIRECTIONS[order]),
    values: [accountId, automationId, ...place, pattern, members, n, word],
  })
  const count = rows[0]?.members ?? null
  if (count === null || count > members) return null
  return rows.filter((row) => row.id !== null).map(listedRun)
}

async function refuseUnknownSteps({ client, automationId }: Search, runs: readonly ListedRun[]): Promise<void> {
  if (runs.length === 0) return
  const { rows } = await client.query<{ status: string }>({
    name: 'search unknown steps',
    text: BROKEN,
    values: [automationId, runs.map(({ id }) => id)],
  })
  refuseUnknown(rows[0]?.status ?? null)
}

function firstPlace({ order, after }: SearchListing): Place {
  if (after !== null) return placeAt(after.createdAtMs, after.id)
  return order === 'created_at desc' ? ['infinity', FIRST_ID] : ['-infinity', LAST_ID]
}

function placeAt(ms: number, id: string): Place {
  return [new Date(ms).toISOString(), id]
}
