import { randomBytes } from 'node:crypto'
import type { Micros } from '@dwell/contracts/instant'
import type { EntriesByAutomation, PlannedRun } from '@dwell/domain/automations/entry'
import { UUID_V7_RANDOM_BYTES, uuidV7 } from '@dwell/domain/automations/uuid-v7'
import type { PoolClient } from 'pg'

/** A run together with the trace of the event that began it. */
export interface RunToWrite extends PlannedRun {
  readonly traceparent: string | null
}

const ENTRIES = `
  SELECT run.automation_id, run.member_id, dwell_micros(run.created_at) AS created_at
  FROM unnest($1::uuid[], $2::text[]) AS pair(automation_id, member_id)
  JOIN automation_runs run ON run.automation_id = pair.automation_id AND run.member_id = pair.member_id`

interface EntryRow {
  readonly automation_id: string
  readonly member_id: string
  readonly created_at: Micros
}

/** Entry times so far, by member (`memberKey`) and automation. The members are locked: nobody adds to them. */
export async function readEntries(
  client: PoolClient,
  pairs: readonly { readonly automationId: string; readonly memberId: string }[],
): Promise<(automationIds: readonly string[], memberId: string) => EntriesByAutomation> {
  const found = new Map<string, Micros[]>()
  if (pairs.length > 0) {
    const values = [pairs.map((pair) => pair.automationId), pairs.map((pair) => pair.memberId)]
    const { rows } = await client.query<EntryRow>({ name: 'ingest-read-entries', text: ENTRIES, values })
    for (const row of rows) {
      const key = `${row.automation_id}/${row.member_id}`
      found.set(key, [...(found.get(key) ?? []), row.created_at])
    }
  }
  return (automationIds, memberId) => new Map(automationIds.map((id) => [id, found.get(`${id}/${memberId}`) ?? []]))
}

// A run that a constraint refuses was begun by somebody else already (the same event, or within the span that its member is
// kept out): it is waited for and then left alone, and so is the step.
const BEGIN = `
  WITH planned AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::json) AS v(
      id uuid, account_id bigint, automation_id uuid, member_id text, member_email text, event_id text, policy text,
      until bigint, forever boolean, created_at bigint, step_id uuid, action_id uuid, revision_id uuid, followed boolean,
      queued_at bigint, ready_at bigint, traceparent text)
  ), begun AS (
    INSERT INTO automation_runs (id, account_id, automation_id, member_id, member_email, event_id, re_entry_policy,
      re_entry_until, created_at, status)
    SELECT id, account_id, automation_id, member_id, member_email, event_id, policy,
      CASE WHEN forever THEN 'infinity'::timestamptz ELSE dwell_instant(until) END, dwell_instant(created_at), 'in_progress'
    FROM planned ORDER BY automation_id, member_id, created_at
    ON CONFLICT DO NOTHING
    RETURNING id
  )
  INSERT INTO automation_steps (id, account_id, automation_id, run_id, action_id, revision_id, followed, ready_at,
    created_at, updated_at, traceparent)
  SELECT p.step_id, p.account_id, p.automation_id, p.id, p.action_id, p.revision_id, p.followed, dwell_instant(p.ready_at),
    dwell_instant(p.queued_at), dwell_instant($2), p.traceparent
  FROM begun JOIN planned p ON p.id = begun.id
  RETURNING dwell_micros(ready_at) AS ready_at`

export interface BegunRuns {
  readonly count: number
  /** When the first of their steps is ready; null where none began. */
  readonly firstReady: Micros | null
}

export const NO_RUNS: BegunRuns = { count: 0, firstReady: null }

/** Writes runs, each with its first step; those that the constraints keep out are not among the answered. */
export async function beginRuns(client: PoolClient, runs: readonly RunToWrite[], now: Micros): Promise<BegunRuns> {
  if (runs.length === 0) return NO_RUNS
  const id = () => uuidV7(now, randomBytes(UUID_V7_RANDOM_BYTES))
  const planned = runs.map(({ firstStep, keepsOut, ...run }) => ({
    id: id(),
    account_id: run.accountId,
    automation_id: run.automationId,
    member_id: run.memberId,
    member_email: run.memberEmail,
    event_id: run.eventId,
    policy: keepsOut?.policy ?? null,
    until: typeof keepsOut?.until === 'number' ? keepsOut.until : null,
    forever: keepsOut?.until === 'forever',
    created_at: run.createdAt,
    step_id: id(),
    action_id: firstStep.actionId,
    revision_id: firstStep.revisionId,
    followed: firstStep.followed,
    queued_at: firstStep.createdAt,
    ready_at: firstStep.readyAt,
    traceparent: run.traceparent,
  }))
  const { rows } = await client.query<{ ready_at: Micros }>({
    name: 'ingest-begin-runs',
    text: BEGIN,
    values: [JSON.stringify(planned), now],
  })
  const firstReady = rows.reduce<Micros | null>(
    (first, row) => (first === null || row.ready_at < first ? row.ready_at : first),
    null,
  )
  return { count: rows.length, firstReady }
}
