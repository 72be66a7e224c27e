import type { EndReason } from '@dwell/contracts/automations'
import { MICROS_PER_MILLISECOND, type Micros } from '@dwell/contracts/instant'
import { type Classification, classificationOf } from '@dwell/domain/automations/classification'
import type { RunMember } from '@dwell/domain/automations/run-history'
import type { BrowseListing } from '@dwell/domain/automations/run-list-query'
import { RUNS_TO_FETCH } from '@dwell/domain/automations/runs-page'
import { readAtOnce, type StatisticsSource } from './snapshot'
import { refuseUnknown, unknownSteps } from './unknown-steps'

/** A run as the list shows it. */
export interface ListedRun extends Classification {
  readonly id: string
  readonly createdAt: Micros
  /** Present details; null once the member is deleted. */
  readonly member: RunMember | null
}

/** The columns of `ListedRun`, as statements select them. */
export interface ListedRow {
  readonly id: string
  readonly created_at: Micros
  readonly end_reason: EndReason | null
  readonly member_id: string | null
  readonly name: string | null
  readonly email: string | null
}

export function listedRun(row: ListedRow): ListedRun {
  return {
    id: row.id,
    createdAt: row.created_at,
    ...classificationOf(row.end_reason),
    member: row.member_id === null ? null : { id: row.member_id, name: row.name, email: row.email },
  }
}

/** The smallest and the greatest id there can be. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

// $1 account, $2 automation, $3 and $4 the place that the page begins behind, $5 where the range ends on the other side,
// $6 how many, $7 and $8 the range; then the status. A page is one walk along an index, wherever it begins: the place is the
// only bound on its side. Members are looked up for the page alone.
function textOf(order: BrowseListing['order'], filtered: boolean): string {
  const down = order === 'created_at desc'
  const [direction, behind, place, bound] = down
    ? (['DESC', '<', "'infinity'", ">= coalesce(dwell_instant($5), '-infinity')"] as const)
    : (['ASC', '>', "'-infinity'", "< coalesce(dwell_instant($5), 'infinity')"] as const)
  return `
  SELECT broken.status AS broken, run.id, dwell_micros(run.created_at) AS created_at, run.end_reason, m.id AS member_id,
    m.name, m.email
  FROM (SELECT (
    SELECT s.status FROM (${unknownSteps('$2')}) s CROSS JOIN LATERAL (
      SELECT created_at FROM automation_runs WHERE id = s.run_id OFFSET 0) run
    WHERE run.created_at >= coalesce(dwell_instant($7), '-infinity')
      AND run.created_at < coalesce(dwell_instant($8), 'infinity')
    LIMIT 1) AS status) broken
  LEFT JOIN LATERAL (
    SELECT id, created_at, end_reason, member_id FROM automation_runs
    WHERE account_id = $1 AND automation_id = $2 AND ${filtered ? 'status = $9' : 'status IS NOT NULL'}
      AND (created_at, id) ${behind} (coalesce(dwell_instant($3), ${place}), $4::uuid) AND created_at ${bound}
    ORDER BY created_at ${direction}, id ${direction} LIMIT $6
  ) run ON true
  LEFT JOIN members m ON m.account_id = $1 AND m.id = run.member_id AND NOT m.gone
  ORDER BY run.created_at ${direction}, run.id ${direction}`
}

type PageRow = ListedRow & { readonly broken: string | null }

/**
 * The runs of a page, and one more where there is one. Members as they are now; who is deleted is null.
 *
 * @throws UnknownStepStatusError where a step of any run in the range has a status nobody knows, on whatever page
 * @throws StatisticsTimeoutError
 */
export async function readRuns(
  source: StatisticsSource,
  accountId: number,
  automationId: string,
  listing: BrowseListing,
): Promise<ListedRun[]> {
  const { order, status, span } = listing
  const [at, id] = placeOf(listing)
  const bound = order === 'created_at desc' ? span?.start : span?.end
  const range = [span?.start ?? null, span?.end ?? null]
  const rows = await readAtOnce<PageRow>(source, {
    name: `runs ${order} ${status === null ? 'all' : 'one status'}`,
    text: textOf(order, status !== null),
    values: [
      accountId,
      automationId,
      at,
      id,
      bound ?? null,
      RUNS_TO_FETCH,
      ...range,
      ...(status === null ? [] : [status]),
    ],
  })
  refuseUnknown(rows[0]?.broken ?? null)
  // Without runs the first row is alone.
  return rows.filter((row) => row.id !== null).map(listedRun)
}

/** Where a page begins; of the first one, just outside of the range. */
function placeOf({ order, span, after }: BrowseListing): readonly [Micros | number | null, string] {
  if (after !== null) return [after.createdAtMs * MICROS_PER_MILLISECOND, after.id]
  if (order === 'created_at desc') return [span?.end ?? null, FIRST_ID]
  return [span === null ? null : span.start - 1, LAST_ID]
}
