import type {
  AutomationActionType,
  AutomationStatus,
  EmailData,
  EmailFormat,
  SendStatus,
  TierScope,
  Trigger,
} from '@dwell/contracts/automations'
import type { Micros } from '@dwell/contracts/instant'
import type { MemberStatus } from '@dwell/contracts/member-events'
import { type ProjectedMember, unknownMember } from '@dwell/domain/automations/member'
import type { Queryable } from '../pool'
import { isJoined, type LeftJoined } from '../rows/left-joined'

/** A step in our hands with all it is judged by and carried out with: one consistent snapshot. */
export interface HeldStep {
  readonly id: string
  readonly accountId: number
  readonly runId: string
  readonly actionId: string
  readonly revisionId: string
  readonly memberId: string
  readonly followed: boolean
  /** This one included. */
  readonly attempts: number
  readonly readyAt: Micros
  readonly createdAt: Micros
  readonly type: AutomationActionType
  /** The content it was queued with; null where it is a wait. */
  readonly email: EmailData | null
  readonly automation: {
    readonly id: string
    readonly name: string
    readonly status: AutomationStatus
    readonly trigger: Trigger
  }
  readonly account: {
    readonly id: number
    readonly name: string
    readonly settings: Readonly<Record<string, unknown>>
  }
  /** As far as steps ask: no fact times, no subscription. Null when nothing is known. */
  readonly member: ProjectedMember | null
  /** The send record of an earlier attempt. */
  readonly sent: SendStatus | null
}

const LOAD = `
  SELECT s.id, s.account_id, s.run_id, s.action_id, s.revision_id, s.followed, s.attempts,
    dwell_micros(s.ready_at) AS ready_at, dwell_micros(s.created_at) AS created_at, run.member_id,
    r.wait_hours, r.email_subject, r.email_body, r.email_format,
    t.id AS automation_id, t.name AS automation_name, t.status AS automation_status, t.trigger_tier_scope,
    t.trigger_tier_ids, a.name AS account_name, a.settings,
    m.revision, m.uuid, m.name, m.email, m.status, m.tier_ids, m.enable_updates_and_announcements, m.newsletter_ids,
    dwell_micros(m.signed_up_at) AS signed_up_at, dwell_micros(m.deleted_at) AS deleted_at,
    dwell_micros(m.opted_out_at) AS opted_out_at, e.status AS sent
  FROM automation_steps s
  JOIN automation_runs run ON run.id = s.run_id
  JOIN automation_action_revisions r ON r.id = s.revision_id
  JOIN automations t ON t.id = s.automation_id
  JOIN accounts a ON a.id = s.account_id
  LEFT JOIN members m ON m.account_id = s.account_id AND m.id = run.member_id
  LEFT JOIN automation_emails e ON e.id = s.id
  WHERE s.id = $1 AND s.lock_token = $2`

interface MemberColumns {
  readonly revision: number
  readonly uuid: string | null
  readonly name: string | null
  readonly email: string | null
  readonly status: MemberStatus | null
  readonly tier_ids: readonly string[]
  readonly enable_updates_and_announcements: boolean | null
  readonly newsletter_ids: readonly string[]
  readonly signed_up_at: Micros | null
  readonly deleted_at: Micros | null
  readonly opted_out_at: Micros | null
}

type LoadedRow = LeftJoined<MemberColumns> & {
  readonly id: string
  readonly account_id: number
  readonly run_id: string
  readonly action_id: string
  readonly revision_id: string
  readonly followed: boolean
  readonly attempts: number
  readonly ready_at: Micros
  readonly created_at: Micros
  readonly member_id: string
  readonly wait_hours: number | null
  readonly email_subject: string | null
  readonly email_body: string | null
  readonly email_format: EmailFormat | null
  readonly automation_id: string
  readonly automation_name: string
  readonly automation_status: AutomationStatus
  readonly trigger_tier_scope: TierScope | null
  readonly trigger_tier_ids: readonly string[]
  readonly account_name: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly sent: SendStatus | null
}

/** Null: the step is not in our hands any more. */
export async function loadStep(db: Queryable, id: string, lockToken: string): Promise<HeldStep | null> {
  const { rows } = await db.query<LoadedRow>({ name: 'load-step', text: LOAD, values: [id, lockToken] })
  const row = rows[0]
  if (row === undefined) return null
  return {
    id: row.id,
    accountId: row.account_id,
    runId: row.run_id,
    actionId: row.action_id,
    revisionId: row.revision_id,
    memberId: row.member_id,
    followed: row.followed,
    attempts: row.attempts,
    readyAt: row.ready_at,
    createdAt: row.created_at,
    type: row.wait_hours === null ? 'send_email' : 'wait',
    email: emailOf(row),
    automation: {
      id: row.automation_id,
      name: row.automation_name,
      status: row.automation_status,
      trigger: { scope: row.trigger_tier_scope, tierIds: row.trigger_tier_ids },
    },
    account: { id: row.account_id, name: row.account_name, settings: row.settings },
    member: memberOf(row),
    sent: row.sent,
  }
}

function emailOf({ email_subject, email_body, email_format }: LoadedRow): EmailData | null {
  if (email_subject === null || email_body === null || email_format === null) return null
  return { email_subject, email_body, email_format }
}

function memberOf(row: LoadedRow): ProjectedMember | null {
  if (!isJoined<MemberColumns>(row, 'revision')) return null
  const { account_id: accountId, member_id: id } = row as LoadedRow
  return {
    ...unknownMember(accountId, id),
    facts: {
      uuid: row.uuid,
      name: row.name,
      email: row.email,
      status: row.status,
      tier_ids: row.tier_ids,
      enable_updates_and_announcements: row.enable_updates_and_announcements,
      newsletter_ids: row.newsletter_ids,
    },
    signedUpAt: row.signed_up_at,
    deletedAt: row.deleted_at,
    optedOutAt: row.opted_out_at,
    revision: row.revision,
  }
}
