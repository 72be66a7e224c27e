import type { ActionData, AutomationActionType, EmailFormat, EndReason } from '@dwell/contracts/automations'
import type { Micros } from '@dwell/contracts/instant'
import type { RecordedRun, RecordedStep } from '@dwell/domain/automations/run-history'
import type { PoolClient } from 'pg'
import { inSnapshot, type StatisticsSource } from './snapshot'

const RUN = `
  SELECT run.id, dwell_micros(run.created_at) AS created_at, dwell_micros(run.ended_at) AS ended_at, run.end_reason,
    m.id AS member_id, m.name, m.email
  FROM automation_runs run
  LEFT JOIN members m ON m.account_id = run.account_id AND m.id = run.member_id AND NOT m.gone
  WHERE run.id = $3 AND run.account_id = $1 AND run.automation_id = $2`

interface RunRow {
  readonly id: string
  readonly created_at: Micros
  readonly ended_at: Micros | null
  readonly end_reason: EndReason | null
  readonly member_id: string | null
  readonly name: string | null
  readonly email: string | null
}

// Each with the revision that it was queued with, whatever became of its action.
const STEPS = `
  SELECT s.id, s.revision_id, s.status, dwell_micros(s.created_at) AS created_at, dwell_micros(s.updated_at) AS updated_at,
    dwell_micros(s.ready_at) AS ready_at, dwell_micros(s.started_at) AS started_at,
    dwell_micros(s.finished_at) AS finished_at, dwell_micros(sent.sent_at) AS sent_at,
    dwell_micros(sent.delivered_at) AS delivered_at, a.id AS action_id, a.type, r.wait_hours, r.email_subject, r.email_body,
    r.email_format
  FROM automation_steps s
  LEFT JOIN automation_action_revisions r ON r.id = s.revision_id
  LEFT JOIN automation_actions a ON a.id = r.action_id
  LEFT JOIN LATERAL (
    SELECT min(e.sent_at) AS sent_at, min(e.delivered_at) AS delivered_at FROM automation_emails e
    WHERE e.step_id = s.id AND e.revision_id = s.revision_id
  ) sent ON true
  WHERE s.run_id = $1
  ORDER BY s.created_at, s.id`

interface StepRow {
  readonly id: string
  readonly revision_id: string
  readonly status: string
  readonly created_at: Micros
  readonly updated_at: Micros
  readonly ready_at: Micros
  readonly started_at: Micros | null
  readonly finished_at: Micros | null
  readonly sent_at: Micros | null
  readonly delivered_at: Micros | null
  readonly action_id: string | null
  readonly type: AutomationActionType | null
  readonly wait_hours: number | null
  readonly email_subject: string | null
  readonly email_body: string | null
  readonly email_format: EmailFormat | null
}

/** What is recorded of a run, as it is. Null also for a run of another automation. */
export function findRun(
  source: StatisticsSource,
  accountId: number,
  automationId: string,
  id: string,
): Promise<RecordedRun | null> {
  return inSnapshot(source, async (client) => {
    const { rows } = await client.query<RunRow>({
      name: 'history-run',
      text: RUN,
      values: [accountId, automationId, id],
    })
    const [run] = rows
    if (run === undefined) return null
    const { created_at, ended_at, end_reason, member_id, name, email } = run
    return {
      id: run.id,
      automationId,
      createdAt: created_at,
      endedAt: ended_at,
      endReason: end_reason,
      member: member_id === null ? null : { id: member_id, name, email },
      steps: await stepsOf(client, id),
    }
  })
}

async function stepsOf(client: PoolClient, runId: string): Promise<RecordedStep[]> {
  const { rows } = await client.query<StepRow>({ name: 'history-steps', text: STEPS, values: [runId] })
  return rows.map((row) => ({
    id: row.id,
    revisionId: row.revision_id,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    readyAt: row.ready_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    emailSentAt: row.sent_at,
    emailDeliveredAt: row.delivered_at,
    action:
      row.action_id === null || row.type === null ? null : { id: row.action_id, type: row.type, data: contentOf(row) },
  }))
}

/** Null where the revision has not the content of its kind; empty texts are content. */
function contentOf({ type, wait_hours, email_subject, email_body, email_format }: StepRow): ActionData | null {
  if (type === 'wait') return wait_hours === null ? null : { wait_hours }
  if (email_subject === null || email_body === null || email_format === null) return null
  return { email_subject, email_body, email_format }
}
