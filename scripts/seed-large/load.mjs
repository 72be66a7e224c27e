// Writes the large data set into a migrated database: computed by the database itself, in sets, in one transaction.
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import pg from 'pg'
import { DOMAINS, FIRST_NAMES, LAST_NAMES } from './names.mjs'
import { ACCOUNTS, DAYS, SIZES, TIERS } from './plan.mjs'
import { COUNTERS, INSERTS, MERGE_COUNTS } from './rows.mjs'
import { FATES, FUNCTIONS, MEMBERS, REASONS, RUNS, STEPS, TRIM } from './schema.mjs'

const require = createRequire(import.meta.url)
const COUNTS = ['automation_run_counts', 'automation_run_count_changes']
const DAY_MS = 86_400_000
/** What one connection may use: the rows are sorted by the times they would have been written at. */
const SETTINGS = { work_mem: '512MB', maintenance_work_mem: '1GB', max_parallel_maintenance_workers: '2', jit: 'off' }

/**
 * @param {string} databaseUrl
 * @param {{scale: number, until: Date, step: <T>(text: string, work: () => Promise<T>) => Promise<T>}} options
 */
export async function loadLargeData(databaseUrl, { scale, until, step }) {
  const { createPool } = require('@dwell/database/pool')
  const pool = createPool({ connectionString: databaseUrl, max: 1, applicationName: 'dwell-seed-large' })
  const client = await pool.connect()
  try {
    for (const [name, value] of Object.entries(SETTINGS)) await client.query(`SET ${name} = '${value}'`)
    await client.query('BEGIN')
    await refuseIfThere(client)
    await client.query(FUNCTIONS)
    await writeAutomations(client, scale, until)
    await step('Inventing members', () => inventMembers(client, scale, until))
    await step('Inventing runs and steps', () => inventRuns(client, scale, until))
    const restore = await setAside(client)
    for (const [table, insert] of Object.entries(INSERTS)) {
      await step(`Writing ${table}`, () => client.query(insert, [until]))
    }
    await client.query(COUNTERS, [ACCOUNTS.map(({ id }) => id)])
    await client.query('DROP SCHEMA seeding CASCADE')
    await step('Building indexes', restore)
    await step('Counting runs', () => client.query(MERGE_COUNTS))
    await checkSearchTexts(client)
    await client.query('COMMIT')
    await step('Collecting statistics', () =>
      client.query(`VACUUM (ANALYZE) ${[...Object.keys(INSERTS), ...COUNTS].join(', ')}`),
    )
    return await summary(client)
  } finally {
    client.release(true)
    await pool.end()
  }
}

async function refuseIfThere(client) {
  const ids = ACCOUNTS.map(({ id }) => id)
  const { rowCount } = await client.query('SELECT FROM accounts WHERE id = ANY ($1)', [ids])
  if (rowCount > 0)
    throw new Error(`The database holds accounts ${ids.join(', ')} already: they are not written twice.`)
}

async function writeAutomations(client, scale, until) {
  const began = new Date(until.getTime() - (DAYS + 1) * DAY_MS)
  await client.query(`CREATE TABLE seeding.automations (ordinal bigint, account_id bigint, automation_id uuid, scope text,
    re_entry text, runs bigint, distinct_members bigint, stride bigint, first bigint, again bigint, length int,
    exits float8, bounds float8[], off_at timestamptz)`)
  await client.query(`CREATE TABLE seeding.path (automation_id uuid, position int, type text, action_id uuid,
    first_revision_id uuid, second_revision_id uuid, edited_at timestamptz, wait_hours int, hours_before int)`)
  let ordinal = 0
  for (const account of ACCOUNTS) {
    await client.query(
      `INSERT INTO accounts (id, name, features, settings, created_at, updated_at) VALUES ($1, $2, '{}', $3, $4, $4)`,
      [account.id, account.name, JSON.stringify({ timezone: account.timezone }), began],
    )
    for (const plan of account.automations) {
      ordinal += 1
      await writeAutomation(client, { account, plan, ordinal, scale, until, began })
    }
  }
  await client.query(
    `SELECT setval(pg_get_serial_sequence('accounts', 'id'), greatest((SELECT max(id) FROM accounts), nextval(pg_get_serial_sequence('accounts', 'id'))))`,
  )
}

async function writeAutomation(client, { account, plan, ordinal, scale, until, began }) {
  const name = `${account.id}/${plan.name}`
  const id = uuidOf(name)
  // Turned off for a moment once: whoever waits then leaves.
  const offAt = new Date(until.getTime() - (60 + 31 * ordinal) * DAY_MS)
  await client.query(
    `INSERT INTO automations (id, account_id, name, description, status, trigger_tier_scope, trigger_tier_ids, re_entry, version,
       created_at, updated_at) VALUES ($1, $2, $3, '', 'active', $4, $5, $6, 4, $7, $8)`,
    [
      id,
      account.id,
      plan.name,
      plan.scope,
      plan.scope === 'selected_paid' ? [TIERS.gold] : [],
      plan.reEntry,
      began,
      offAt,
    ],
  )
  let hours = 0
  const bounds = []
  for (const [index, content] of plan.path.entries()) {
    const action = uuidOf(`${name}/${index}`)
    const wait = typeof content === 'number' ? content : null
    await client.query(
      `INSERT INTO automation_actions (id, account_id, automation_id, type, position, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
      [action, account.id, id, wait === null ? 'send_email' : 'wait', index, began],
    )
    // Mails were edited once.
    const edits = wait === null ? [began, new Date(until.getTime() - (DAYS / 2) * DAY_MS)] : [began]
    const revisions = edits.map((_, edit) => uuidOf(`${name}/${index}/${edit}`))
    for (const [edit, at] of edits.entries())
      await writeRevision(client, account.id, action, revisions[edit], content, edit, at)
    await client.query(`INSERT INTO seeding.path VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, [
      id,
      index + 1,
      wait === null ? 'send_email' : 'wait',
      action,
      revisions[0],
      revisions.at(-1),
      edits.at(-1),
      wait ?? 0,
      hours,
    ])
    hours += wait ?? 0
    bounds.push(hours * 3_600 + index + 2)
  }
  await client.query(
    `INSERT INTO seeding.automations VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      ordinal,
      account.id,
      id,
      plan.scope,
      plan.reEntry,
      Math.round(plan.runs * scale),
      Math.round(plan.distinct * scale),
      plan.stride,
      plan.offset,
      plan.again,
      plan.path.length,
      plan.exits,
      bounds,
      offAt,
    ],
  )
}

async function writeRevision(client, accountId, action, id, content, edit, at) {
  const email =
    typeof content === 'number'
      ? [content, null, null, null]
      : [null, content, `Dear {{ member.first_name }},\n\n${content}: ${edit + 1}.`, 'markdown']
  await client.query(
    `INSERT INTO automation_action_revisions (id, account_id, action_id, created_at, wait_hours, email_subject, email_body, email_format)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [id, accountId, action, at, ...email],
  )
}

async function inventMembers(client, scale, until) {
  const { searchKey } = require('@dwell/domain/automations/search-key')
  const keys = (names) => names.map(searchKey)
  // Parameters are not possible where a table is made; nothing of it comes from outside.
  await client.query(
    filledIn(MEMBERS, [until, FIRST_NAMES, keys(FIRST_NAMES), LAST_NAMES, keys(LAST_NAMES), DOMAINS, scale]),
  )
  await client.query('CREATE UNIQUE INDEX ON seeding.members (account_id, m); ANALYZE seeding.members')
}

async function inventRuns(client, scale, until) {
  await client.query(filledIn(RUNS, [until]))
  await client.query(filledIn(TRIM, [Math.round(SIZES.steps * scale)]))
  await client.query(REASONS)
  await client.query('ANALYZE seeding.runs, seeding.path')
  await client.query(filledIn(STEPS, [until]))
  await client.query(FATES)
  await client.query('ANALYZE seeding.steps, seeding.fates')
  const { rows } = await client.query('SELECT count(*)::int AS steps FROM seeding.steps')
  if (rows[0].steps !== Math.round(SIZES.steps * scale))
    throw new Error(`${rows[0].steps} steps were made; the plan has to be adjusted`)
}

function filledIn(sql, values) {
  return sql.replace(/\$(\d)/g, (_, number) => literal(values[Number(number) - 1]))
}

function literal(value) {
  if (Array.isArray(value)) return `ARRAY[${value.map(literal).join(', ')}]`
  if (value instanceof Date) return `'${value.toISOString()}'`
  return typeof value === 'number' ? String(value) : pg.escapeLiteral(value)
}

/** Indexes are built faster at once than row by row. Answers what brings them back. */
async function setAside(client) {
  const { rows: indexes } = await client.query(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
     FROM pg_index i WHERE i.indrelid = ANY ($1::text[]::regclass[])
       AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)
     ORDER BY i.indrelid, i.indexrelid`,
    [Object.keys(INSERTS)],
  )
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`)
  return async () => {
    for (const { definition } of indexes) await client.query(definition)
  }
}

/** The database has put together what the product would have: looked at for some members of each account. */
async function checkSearchTexts(client) {
  const { memberSearchText } = require('@dwell/domain/automations/search-key')
  for (const { id } of ACCOUNTS) {
    const { rows } = await client.query(
      'SELECT id, name, email, gone, search_text FROM members WHERE account_id = $1 ORDER BY id LIMIT 500',
      [id],
    )
    const wrong = rows.find((one) => one.search_text !== (one.gone ? '' : memberSearchText(one)))
    if (wrong) throw new Error(`member ${wrong.id} would be found by ${JSON.stringify(wrong.search_text)}`)
  }
}

async function summary(client) {
  const { rows } = await client.query(
    `SELECT c.relname AS table, pg_table_size(c.oid) AS heap_bytes, pg_indexes_size(c.oid) AS index_bytes
     FROM pg_class c WHERE c.oid = ANY ($1::text[]::regclass[]) ORDER BY array_position($1, c.relname::text)`,
    [[...Object.keys(INSERTS), COUNTS[0]]],
  )
  const accounts = ACCOUNTS.map(({ id }) => id)
  const tables = []
  for (const row of rows) {
    const counted = await client.query(`SELECT count(*) AS rows FROM ${row.table} WHERE account_id = ANY ($1)`, [
      accounts,
    ])
    tables.push({
      table: row.table,
      rows: counted.rows[0].rows,
      heapBytes: row.heap_bytes,
      indexBytes: row.index_bytes,
    })
  }
  return tables
}

/** The same for the same name. */
function uuidOf(name) {
  const hex = createHash('sha256').update(`seed-large ${name}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
