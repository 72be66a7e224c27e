// What the data set is computed with: a schema of its own, gone when the rows stand.
import { ACCOUNTS, DAYS, NEEDLES, TIERS } from './plan.mjs'

/** How members enter over the day, by the hour of their zone; and ten days on which a campaign brought many within an hour. */
const HOURS = [3, 2, 1, 1, 1, 2, 4, 7, 10, 11, 11, 10, 10, 9, 9, 9, 10, 11, 12, 13, 13, 11, 8, 5]
const CAMPAIGNS = 10
const CAMPAIGN_SHARE = 0.02
const CAMPAIGN_HOUR = 10

/**
 * `u` is a number from 0 to 1 that depends on its arguments alone; `v7` an id as the product makes them. Both are inlined.
 */
export const FUNCTIONS = `
  CREATE SCHEMA seeding;
  CREATE FUNCTION seeding.u(n bigint, salt bigint) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT (hashint8extended($1, $2) & 9007199254740991)::float8 / 9007199254740992 $$;
  CREATE FUNCTION seeding.hexadecimal(micros bigint, random bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT lpad(to_hex($1 / 1000), 12, '0') || '7' || lpad(to_hex($1 % 1000 * 4096 / 1000), 3, '0')
      || to_hex(8 | ($2 & 3)) || lpad(to_hex(($2 >> 4) & 1152921504606846975), 15, '0') $$;
  CREATE FUNCTION seeding.v7(at timestamptz, n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT seeding.hexadecimal(dwell_micros($1), hashint8extended($2, 99))::uuid $$;`

/**
 * One row per member: \`entered\` is when they first came, \`known_until\` the instant up to which anything happens to them.
 * $1 until, $2 first names, $3 their keys, $4 last names, $5 their keys, $6 domains, $7 the scale.
 */
export const MEMBERS = `
  CREATE UNLOGGED TABLE seeding.members AS
  WITH hours AS MATERIALIZED (
    SELECT array_agg(share ORDER BY hour) AS bounds FROM (
      SELECT hour, sum(weight) OVER (ORDER BY hour) / sum(weight) OVER ()::float8 AS share
      FROM unnest(ARRAY[${HOURS.join(', ')}]) WITH ORDINALITY AS h(weight, hour)) cumulated
    WHERE hour < ${HOURS.length}
  ), drawn AS (
    SELECT a.id AS account_id, m, a.id * 100000000 + m AS g, a.zone, a.entering, a.id = ${ACCOUNTS[0]?.id} AS largest
    FROM (VALUES ${ACCOUNTS.map(({ id, timezone, members }) => `(${id}::bigint, '${timezone}', ${members}, ${enteringOf(id)})`).join(', ')})
      AS a(id, zone, members, entering),
      generate_series(0, round(a.members * $7::float8)::bigint - 1) AS m
  ), placed AS (
    SELECT d.*, seeding.u(g, 1) AS day, seeding.u(g, 2) AS hour, seeding.u(g, 3) AS moment,
      seeding.u(g, 4) < ${CAMPAIGN_SHARE} AS campaign, m >= entering * $7::float8 AS imported
    FROM drawn d
  ), local AS (
    SELECT p.*, (($1::timestamptz AT TIME ZONE 'UTC')::date - ${DAYS}
        + CASE WHEN campaign THEN floor(day * ${CAMPAIGNS})::int * ${Math.floor(DAYS / CAMPAIGNS)} + 20
          ELSE floor(power(day, 0.75) * ${DAYS})::int END)::timestamp
      + make_interval(hours => CASE WHEN campaign THEN ${CAMPAIGN_HOUR} ELSE width_bucket(hour, hours.bounds) END,
          secs => moment * 3599) AS at
    FROM placed p CROSS JOIN hours
  ), entered AS (
    SELECT l.*, at AT TIME ZONE zone - CASE WHEN at AT TIME ZONE zone < $1 THEN interval '0' ELSE interval '1 day' END AS entered
    FROM local l
  ), found AS (
    SELECT e.*, largest AND NOT imported AND m % 9 < 5 AND m < ${(NEEDLES.most.members * 9) / 5} AS most,
      largest AND NOT imported AND m % ceil(${searchEvery('thousands')} * $7::float8)::bigint = 11 AS named,
      largest AND NOT imported AND m % ceil(${searchEvery('three')} * $7::float8)::bigint = 7 AS rare,
      largest AND NOT imported AND m % ${NEEDLES.share.every} = 13 AS shared
    FROM entered e
  ), fated AS (
    SELECT f.*, NOT (most OR named OR rare OR shared) AND seeding.u(g, 5) < CASE WHEN largest THEN 0.0675 ELSE 0.03 END AS gone,
      1 + floor(power(seeding.u(g, 6), 1.5) * cardinality($2::text[]))::int AS first,
      1 + floor(power(seeding.u(g, 7), 1.5) * cardinality($4::text[]))::int AS last,
      1 + floor(seeding.u(g, 8) * cardinality($6::text[]))::int AS domain
    FROM found f
  ), called AS (
    SELECT f.*, ($2::text[])[first] || ' ' || last_name AS name, ($3::text[])[first] || ' ' || last_key AS name_key,
      CASE WHEN most THEN '${NEEDLES.most.text}' WHEN largest AND imported THEN '${NEEDLES.elsewhere.text}'
        WHEN largest AND entered < $1::timestamptz - interval '${DAYS - 30} days' THEN '${NEEDLES.oldest.text}'
        ELSE ($6::text[])[domain] END AS host
    FROM fated f CROSS JOIN LATERAL (SELECT
      CASE WHEN rare THEN '${NEEDLES.three.text}' WHEN named THEN '${capital(NEEDLES.thousands.text)}'
        WHEN shared THEN '${capital(NEEDLES.share.text)}' ELSE ($4::text[])[last] END AS last_name,
      CASE WHEN rare THEN upper('${NEEDLES.three.text}') WHEN named THEN upper('${NEEDLES.thousands.text}')
        WHEN shared THEN upper('${NEEDLES.share.text}') ELSE ($5::text[])[last] END AS last_key) l
  )
  SELECT account_id, m, g, substr(md5(g::text), 1, 24) AS id, entered, imported, gone,
    CASE WHEN gone THEN entered + ($1 - entered) * (0.05 + 0.9 * seeding.u(g, 9)) ELSE $1 END AS known_until,
    CASE WHEN NOT gone THEN name END AS name, CASE WHEN NOT gone THEN email END AS email,
    CASE WHEN gone THEN '' ELSE name_key || E'\\n' || upper(email) END AS search_text
  FROM called CROSS JOIN LATERAL (
    SELECT concat_ws('.', nullif(trim(BOTH '.' FROM lower(regexp_replace(name_key, '[^A-Z]+', '.', 'g'))), ''), m)
      || '@' || host AS email) e`

/** The members below this number enter the free automation; the others were imported. */
function enteringOf(id) {
  return ACCOUNTS.find((account) => account.id === id)?.automations[0]?.distinct ?? 0
}

/** Every how many members of those who enter the largest automation one is found. */
function searchEvery(needle) {
  return enteringOf(ACCOUNTS[0]?.id) / NEEDLES[needle].members
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1)
}

/**
 * One row per run: \`k\` is the number of its steps, \`reason\` why it ended. \`bounds\` of the automations are the seconds after
 * entry at which each of their steps has surely finished. $1 until.
 */
export const RUNS = `
  CREATE UNLOGGED TABLE seeding.runs AS
  WITH drawn AS (
    SELECT t.*, r, t.ordinal * 1000000000 + r AS n,
      CASE WHEN r < t.distinct_members THEN r * t.stride + t.first ELSE (r - t.distinct_members) * t.again END AS m
    FROM seeding.automations t, generate_series(0, t.runs - 1) AS r
  ), entered AS (
    SELECT d.ordinal, d.account_id, d.automation_id, d.scope, d.re_entry, d.n, d.m, d.length, d.bounds, d.off_at, d.exits,
      p.id AS member_id, p.email, p.gone, p.known_until,
      p.entered + (p.known_until - p.entered) * CASE
        WHEN d.r >= d.distinct_members THEN 0.02 + 0.95 * seeding.u(d.n, 21)
        WHEN d.scope = 'free' THEN 0
        ELSE 0.01 + 0.95 * power(seeding.u(d.n, 21), 2) END AS at
    FROM drawn d JOIN seeding.members p ON p.account_id = d.account_id AND p.m = d.m
  ), timed AS (
    SELECT e.*, 1 + floor(ln(1 - seeding.u(n, 22)) / ln(1 - exits))::int AS exit_at,
      1 + width_bucket(extract(epoch FROM $1 - at)::float8, bounds) AS reached,
      CASE WHEN at < off_at THEN 1 + width_bucket(extract(epoch FROM off_at - at)::float8, bounds) ELSE 1000 END AS off_during,
      CASE WHEN gone THEN 1 + width_bucket(extract(epoch FROM known_until - at)::float8, bounds) ELSE 1000 END AS gone_during
    FROM entered e
  ), ended AS (
    SELECT t.*, least(exit_at, gone_during) AS left_at FROM timed t
  )
  SELECT account_id, automation_id, n, m, member_id, email, at, date_trunc('milliseconds', at) AS created_at,
    seeding.v7(at, n) AS id, scope, re_entry, length, off_at,
    least(left_at, reached, off_during, length)::int - CASE WHEN cut THEN 1 ELSE 0 END AS k,
    CASE WHEN off_during <= least(left_at, length) THEN 'automation_disabled'
      WHEN reached <= least(left_at, length) THEN NULL
      WHEN left_at <= length THEN CASE WHEN gone_during <= exit_at THEN 'member_unsubscribed' ELSE 'exit' END
      WHEN cut THEN 'path_cut'
      WHEN seeding.u(n, 24) < 0.002 THEN 'turned_off'
      ELSE 'completed' END AS reason
  FROM ended CROSS JOIN LATERAL (
    SELECT least(left_at, reached, off_during) > length AND length > 1 AND seeding.u(n, 23) < 0.004 AS cut) c`

/** Exactly as many steps as there shall be: some who came to the end leave one action before it. $1 steps. */
export const TRIM = `
  WITH spare AS (SELECT sum(k) - $1 AS steps FROM seeding.runs), chosen AS (
    SELECT id FROM seeding.runs WHERE reason = 'completed' AND k = length AND k > 2
    ORDER BY hashint8extended(n, 31), n LIMIT (SELECT greatest(steps, 0) FROM spare)
  )
  UPDATE seeding.runs r SET k = k - 1, reason = 'exit' FROM chosen c WHERE c.id = r.id`

/** Why somebody left depends on the action: a mail may fail, and is where consent is asked. */
export const REASONS = `
  UPDATE seeding.runs r SET reason = CASE
    WHEN p.type = 'send_email' AND seeding.u(n, 25) < 0.06 THEN 'failed'
    WHEN seeding.u(n, 25) < CASE WHEN p.type = 'send_email' THEN 0.55 ELSE 0.2 END THEN 'member_unsubscribed'
    WHEN r.scope = 'selected_paid' AND seeding.u(n, 26) < 0.4 THEN 'member_tier_changed'
    ELSE 'member_status_changed' END
  FROM seeding.path p
  WHERE p.automation_id = r.automation_id AND p.position = r.k AND r.reason = 'exit'`

/** One row per step, with its times. $1 until. */
export const STEPS = `
  CREATE UNLOGGED TABLE seeding.steps AS
  SELECT r.id AS run_id, r.n, r.account_id, r.automation_id, r.member_id, p.position, p.type, p.action_id,
    CASE WHEN queued >= p.edited_at THEN p.second_revision_id ELSE p.first_revision_id END AS revision_id,
    p.position < r.length AS followed, status, queued, queued + make_interval(hours => p.wait_hours) AS ready_at,
    CASE status WHEN 'pending' THEN NULL WHEN 'automation_disabled' THEN r.off_at
      WHEN 'failed' THEN least(done + interval '90 minutes', $1) ELSE done END AS finished_at,
    CASE status WHEN 'pending' THEN 0 WHEN 'automation_disabled' THEN 0 WHEN 'failed' THEN 10 ELSE 1 END AS attempts
  FROM seeding.runs r
  JOIN seeding.path p ON p.automation_id = r.automation_id AND p.position <= r.k
  CROSS JOIN LATERAL (SELECT
    CASE WHEN p.position = 1 THEN r.at
      ELSE r.at + make_interval(hours => p.hours_before, secs => p.position - 1 + 0.9 * seeding.u(r.n * 64 + p.position - 1, 41)) END AS queued,
    r.at + make_interval(hours => p.hours_before + p.wait_hours, secs => p.position + 0.9 * seeding.u(r.n * 64 + p.position, 41)) AS done,
    CASE WHEN p.position < r.k OR r.reason IN ('completed', 'path_cut', 'turned_off') THEN 'finished'
      ELSE coalesce(r.reason, 'pending') END AS status) s`

/** What is known of members after all of it. */
export const FATES = `
  CREATE UNLOGGED TABLE seeding.fates AS
  SELECT account_id, m, count(*) AS events, max(at) FILTER (WHERE scope = 'free') AS signed_up,
    max(at) FILTER (WHERE scope <> 'free') AS subscribed, bool_or(scope = 'selected_paid') AS gold,
    bool_or(reason = 'member_unsubscribed') AS unsubscribed
  FROM seeding.runs GROUP BY account_id, m`

export const TIER_IDS = `CASE WHEN f.subscribed IS NULL THEN '{}'::text[] WHEN f.gold THEN ARRAY['${TIERS.gold}'] ELSE ARRAY['${TIERS.plus}'] END`
