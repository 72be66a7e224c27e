import type { ProjectedMember } from '@dwell/domain/automations/member'
import type { PoolClient } from 'pg'
import { MEMBER_COLUMNS, type MemberRow, memberFromRow, rowFromMember } from '../rows/member-row'

export interface MemberId {
  readonly accountId: number
  /** The upstream application's id. */
  readonly id: string
}

const ENSURE = `
  INSERT INTO members (account_id, id) SELECT * FROM unnest($1::bigint[], $2::text[]) ON CONFLICT DO NOTHING`

const LOCK = `
  SELECT ${MEMBER_COLUMNS}
  FROM unnest($1::bigint[], $2::text[]) AS wanted(account_id, id)
  JOIN members m ON m.account_id = wanted.account_id AND m.id = wanted.id
  ORDER BY m.account_id, m.id COLLATE "C"
  FOR UPDATE OF m`

/** Locks members until the transaction ends and reads them. Each is to be named once; every consumer locks in one order. */
export async function lockMembers(client: PoolClient, ids: readonly MemberId[]): Promise<ProjectedMember[]> {
  if (ids.length === 0) return []
  const sorted = ids.toSorted(
    (a, b) => a.accountId - b.accountId || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)),
  )
  const values = [sorted.map((one) => one.accountId), sorted.map((one) => one.id)]
  await client.query({ name: 'ingest-ensure-members', text: ENSURE, values })
  const { rows } = await client.query<MemberRow>({ name: 'ingest-lock-members', text: LOCK, values })
  return rows.map(memberFromRow)
}

const WRITE = `
  UPDATE members m SET
    uuid = v.uuid, name = v.name, email = v.email, status = v.status, tier_ids = v.tier_ids,
    enable_updates_and_announcements = v.enable_updates_and_announcements, newsletter_ids = v.newsletter_ids,
    fact_times = v.fact_times, signed_up_at = dwell_instant(v.signed_up_at), deleted_at = dwell_instant(v.deleted_at),
    gone = v.gone, opted_out_at = dwell_instant(v.opted_out_at), unpaid_at = dwell_instant(v.unpaid_at),
    subscribed_at = dwell_instant(v.subscribed_at), subscribed_status = v.subscribed_status,
    subscribed_tier_ids = v.subscribed_tier_ids, search_text = v.search_text, revision = v.revision
  FROM json_to_recordset($1::json) AS v(
    account_id bigint, id text, uuid text, name text, email text, status text, tier_ids text[],
    enable_updates_and_announcements boolean, newsletter_ids text[], fact_times jsonb, signed_up_at bigint,
    deleted_at bigint, gone boolean, opted_out_at bigint, unpaid_at bigint, subscribed_at bigint,
    subscribed_status text, subscribed_tier_ids text[], search_text text, revision bigint)
  WHERE m.account_id = v.account_id AND m.id = v.id`

/** Writes what is known now. The members are locked. */
export async function writeMembers(client: PoolClient, members: readonly ProjectedMember[]): Promise<void> {
  if (members.length === 0) return
  const values = [JSON.stringify(members.map(rowFromMember))]
  await client.query({ name: 'ingest-write-members', text: WRITE, values })
}

// Locked in the order in which reports of mails lock them, whatever plan finds them: no circle of waiting transactions.
const DROP_FROM_RUNS = `
  WITH named AS MATERIALIZED (
    SELECT run.id FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS gone(account_id, member_id, at)
    JOIN automations t ON t.account_id = gone.account_id
    JOIN automation_runs run ON run.automation_id = t.id AND run.member_id = gone.member_id
    WHERE run.member_email IS NOT NULL AND run.created_at <= dwell_instant(gone.at)
    ORDER BY run.id FOR NO KEY UPDATE OF run
  )
  UPDATE automation_runs run SET member_email = NULL FROM named WHERE run.id = named.id`

const DROP_FROM_EMAILS = `
  WITH named AS MATERIALIZED (
    SELECT e.id FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS gone(account_id, member_id, at)
    JOIN automation_emails e ON e.account_id = gone.account_id AND e.member_id = gone.member_id
    WHERE num_nonnulls(e.recipient_email, e.recipient_name) > 0 AND e.created_at <= dwell_instant(gone.at)
    ORDER BY e.id FOR NO KEY UPDATE OF e
  )
  UPDATE automation_emails e SET recipient_email = NULL, recipient_name = NULL FROM named WHERE e.id = named.id`

/** Who was deleted leaves runs and sends behind, as somebody without a name. */
export async function dropIdentities(client: PoolClient, deleted: readonly ProjectedMember[]): Promise<void> {
  if (deleted.length === 0) return
  const values = [
    deleted.map((one) => one.accountId),
    deleted.map((one) => one.id),
    deleted.map((one) => one.deletedAt),
  ]
  await client.query({ name: 'ingest-drop-from-runs', text: DROP_FROM_RUNS, values })
  await client.query({ name: 'ingest-drop-from-emails', text: DROP_FROM_EMAILS, values })
}
