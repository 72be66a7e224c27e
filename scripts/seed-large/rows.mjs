// The rows of the product, as it would have written them one by one.
import { TIER_IDS } from './schema.mjs'

/** $1 until. */
export const INSERTS = {
  members: `
    INSERT INTO members (account_id, id, uuid, name, email, status, tier_ids, enable_updates_and_announcements,
      newsletter_ids, fact_times, signed_up_at, deleted_at, gone, unpaid_at, subscribed_at, subscribed_status,
      subscribed_tier_ids, search_text, revision)
    SELECT p.account_id, p.id, CASE WHEN NOT p.gone THEN md5(p.id)::uuid::text END, p.name, p.email,
      CASE WHEN NOT p.gone THEN CASE WHEN f.subscribed IS NOT NULL THEN CASE WHEN gift THEN 'gift' ELSE 'paid' END
        WHEN p.imported AND seeding.u(p.g, 12) < 0.1 THEN 'comped' ELSE 'free' END END,
      CASE WHEN p.gone THEN '{}' ELSE ${TIER_IDS} END,
      CASE WHEN NOT p.gone THEN CASE WHEN f.unsubscribed THEN false WHEN seeding.u(p.g, 13) < 0.2 THEN true END END,
      CASE WHEN p.gone OR f.unsubscribed THEN '{}' ELSE ARRAY['newsletter_main'] END,
      CASE WHEN p.gone THEN '{}'
        ELSE jsonb_build_object('at', dwell_micros(greatest(p.entered, f.signed_up, f.subscribed))) END,
      CASE WHEN NOT p.imported THEN coalesce(f.signed_up, p.entered) END, CASE WHEN p.gone THEN p.known_until END, p.gone,
      CASE WHEN p.gone THEN p.known_until ELSE coalesce(f.signed_up, p.entered) END, f.subscribed,
      CASE WHEN f.subscribed IS NOT NULL THEN CASE WHEN gift THEN 'gift' ELSE 'paid' END END,
      CASE WHEN f.subscribed IS NOT NULL THEN ${TIER_IDS} ELSE '{}' END, p.search_text,
      coalesce(f.events, 1) + p.gone::int
    FROM seeding.members p LEFT JOIN seeding.fates f USING (account_id, m)
    CROSS JOIN LATERAL (SELECT seeding.u(p.g, 11) < 0.05 AS gift) g
    WHERE $1::timestamptz IS NOT NULL
    ORDER BY p.entered, p.g`,
  automation_runs: `
    INSERT INTO automation_runs (id, account_id, automation_id, member_id, member_email, event_id, re_entry_policy,
      re_entry_until, created_at, status, ended_at, end_reason)
    SELECT r.id, r.account_id, r.automation_id, r.member_id, r.email, 'evt_' || to_hex(r.n),
      CASE WHEN r.re_entry = 'once' THEN 'once' END, CASE WHEN r.re_entry = 'once' THEN 'infinity'::timestamptz END,
      r.created_at, CASE WHEN r.reason IS NULL THEN 'in_progress'
        WHEN r.reason IN ('completed', 'path_cut', 'turned_off') THEN 'completed' ELSE 'exited_early' END,
      s.finished_at, r.reason
    FROM seeding.runs r JOIN seeding.steps s ON s.run_id = r.id AND s.position = r.k
    WHERE $1::timestamptz IS NOT NULL
    ORDER BY r.created_at, r.id`,
  automation_steps: `
    INSERT INTO automation_steps (id, account_id, automation_id, run_id, action_id, revision_id, followed, status, ready_at,
      attempts, error, created_at, updated_at, started_at, finished_at)
    SELECT seeding.v7(queued, n * 64 + position), account_id, automation_id, run_id, action_id, revision_id, followed, status,
      ready_at, attempts, CASE WHEN status = 'failed' THEN '451 4.7.1 Try again later' END, queued,
      coalesce(finished_at, queued), CASE WHEN attempts > 0 THEN finished_at - interval '20 milliseconds' END, finished_at
    FROM seeding.steps
    WHERE $1::timestamptz IS NOT NULL
    ORDER BY queued, n`,
  automation_emails: `
    INSERT INTO automation_emails (id, account_id, message_id, automation_id, run_id, step_id, action_id, revision_id,
      member_id, recipient_email, recipient_name, status, tracks_opens, tracks_clicks, error, created_at, updated_at, sent_at)
    SELECT step.id, s.account_id, '<' || step.id || '@localhost>', s.automation_id, s.run_id, step.id, s.action_id,
      s.revision_id, s.member_id, p.email, p.name, sent.status, false, false,
      CASE sent.status WHEN 'failed' THEN '451 4.7.1 Try again later' WHEN 'unknown' THEN 'no answer came' END,
      s.queued, s.finished_at, CASE WHEN sent.status = 'sent' THEN s.finished_at - interval '10 milliseconds' END
    FROM seeding.steps s
    JOIN seeding.members p ON p.account_id = s.account_id AND p.id = s.member_id
    CROSS JOIN LATERAL (SELECT seeding.v7(s.queued, s.n * 64 + s.position) AS id) step
    CROSS JOIN LATERAL (SELECT CASE WHEN s.status = 'failed' THEN 'failed'
      WHEN seeding.u(s.n * 64 + s.position, 51) < 0.0005 THEN 'unknown' ELSE 'sent' END AS status) sent
    WHERE s.type = 'send_email' AND s.status IN ('finished', 'failed') AND $1::timestamptz IS NOT NULL
    ORDER BY s.queued, s.n`,
}

export const COUNTERS = `
  UPDATE automation_action_revisions r SET sent_count = e.sent
  FROM (SELECT revision_id, count(*) AS sent FROM automation_emails WHERE status = 'sent' AND account_id = ANY ($1) GROUP BY 1) e
  WHERE r.id = e.revision_id`

/** What the table's own trigger has added is merged as workers do it, at once. */
export const MERGE_COUNTS = `
  WITH taken AS (DELETE FROM automation_run_count_changes RETURNING *)
  INSERT INTO automation_run_counts AS kept
    (account_id, automation_id, slot, without_steps, in_progress, completed, exited_early)
  SELECT account_id, automation_id, s.slot, sum(without_steps), sum(in_progress), sum(completed), sum(exited_early)
  FROM taken CROSS JOIN LATERAL (VALUES (taken.slot), ('-infinity'::timestamptz)) AS s(slot)
  GROUP BY 1, 2, 3 ORDER BY 2, 3
  ON CONFLICT (automation_id, slot) DO UPDATE SET without_steps = kept.without_steps + excluded.without_steps,
    in_progress = kept.in_progress + excluded.in_progress, completed = kept.completed + excluded.completed,
    exited_early = kept.exited_early + excluded.exited_early`
