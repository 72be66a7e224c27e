// What is asked: every filter and order of the run list at its beginning and far behind, statistics of several spans in
// several zones, searches that match few, many and most.
import { createRequire } from 'node:module'
import { ACCOUNTS, NEEDLES } from '../../scripts/seed-large/plan.mjs'

const require = createRequire(import.meta.url)
const PAGE = 50
/** Pages behind this one, where a list is as long. */
const FAR_PAGE = 10_000
/** Different pages that a question is asked for, so that not one page alone is warm. */
const PLACES = 20
const ORDERS = ['created_at desc', 'created_at asc']
const STATUSES = [null, 'in_progress', 'completed', 'exited_early']
const DAY_MS = 86_400_000

/** Milliseconds at the 95th percentile. `growth`: what twice the data may cost. */
export const TARGETS = {
  list: { p95: 25, growth: 1.5 },
  recent: { p95: 120, growth: 1.5 },
  history: { p95: 400, growth: null },
  search: { p95: 150, growth: 1.5 },
}

/**
 * @typedef {{group: keyof typeof TARGETS, name: string, paths: string[]}} Question
 * @param {{readers: ReturnType<typeof import('./readers.mjs').connectReaders>, pool: import('pg').Pool, key: Buffer, automationId: string, accountId: number}} target
 * @returns {Promise<Question[]>}
 */
export async function questionsOf({ readers, pool, key, automationId, accountId }) {
  const base = `/accounts/${accountId}/automations/${automationId}`
  const runs = (parameters) => `${base}/runs/?${new URLSearchParams(parameters)}`
  const stats = (parameters) => `${base}/performance-stats/?${new URLSearchParams(parameters)}`
  const recent = { date_from: dayBefore(89), date_to: dayBefore(1) }
  /** @type {Question[]} */
  const questions = []

  for (const order of ORDERS) {
    for (const status of STATUSES) {
      const parameters = { order, ...(status === null ? {} : { status }) }
      questions.push(...(await pagesOf(parameters, `${order}${status === null ? '' : `, ${status}`}`)))
    }
    for (const status of [null, 'completed']) {
      const parameters = { order, ...(status === null ? {} : { status }), ...recent, timezone: 'Australia/Lord_Howe' }
      questions.push(...(await pagesOf(parameters, `${order}, 89 days${status === null ? '' : `, ${status}`}`)))
    }
  }
  for (const timezone of ['UTC', ...ACCOUNTS.map((account) => account.timezone)]) {
    questions.push({
      group: 'recent',
      name: `90 days, ${timezone}`,
      paths: [stats({ date_from: dayBefore(90), date_to: dayBefore(1), timezone })],
    })
  }
  questions.push({
    group: 'recent',
    name: 'one day, by hours',
    paths: [stats({ date_from: dayBefore(7), date_to: dayBefore(7), timezone: 'Asia/Kathmandu' })],
  })
  for (const timezone of ['UTC', ...ACCOUNTS.map((account) => account.timezone)]) {
    questions.push({ group: 'history', name: `all time, ${timezone}`, paths: [stats({ timezone })] })
  }
  for (const order of ORDERS) {
    for (const [name, text] of SEARCHES)
      questions.push(...(await searchesOf({ order, search: text }, `${name}, ${order}`)))
  }
  return questions

  /** The first page of a list, and pages far behind, reached by cursors of the console's own making. */
  async function pagesOf(parameters, name) {
    const first = { group: /** @type {const} */ ('list'), name: `first page, ${name}`, paths: [runs(parameters)] }
    const cursor = (await readers.get(runs(parameters))).meta.pagination.next_cursor
    if (cursor === null) return [first]
    const places = await placesOf(parameters)
    const paths = places.map((place) => runs({ ...parameters, cursor: movedTo(cursor, place) }))
    const page = Math.round((places[0]?.row ?? 0) / PAGE).toLocaleString('en-US')
    return [first, { group: /** @type {const} */ ('list'), name: `page ${page}, ${name}`, paths }]
  }

  /** Rows far behind: from the 10,000th page on, or the last fifth of a list that is shorter. */
  async function placesOf({ order, status, date_from: from, date_to: to }) {
    const narrowed = `automation_id = $1 AND ($2::text IS NULL OR status = $2)
      AND ($3::date IS NULL OR created_at >= $3) AND ($4::date IS NULL OR created_at < $4::date + 1)`
    const values = [automationId, status ?? null, from ?? null, to ?? null]
    const counted = await pool.query(`SELECT count(*) AS rows FROM automation_runs WHERE ${narrowed}`, values)
    const rows = Number(counted.rows[0].rows)
    const firstRow = rows > (FAR_PAGE + PLACES) * PAGE ? FAR_PAGE * PAGE : Math.floor(rows * 0.8)
    const step = Math.max(1, Math.floor((rows - firstRow - PAGE) / PLACES))
    const direction = order === 'created_at desc' ? 'DESC' : 'ASC'
    const found = await pool.query(
      `SELECT row, id, at FROM (
         SELECT row_number() OVER (ORDER BY created_at ${direction}, id ${direction}) AS row, id,
           (extract(epoch FROM created_at) * 1000)::bigint AS at
         FROM automation_runs WHERE ${narrowed}) numbered
       WHERE row >= $5 AND (row - $5) % $6 = 0 ORDER BY row LIMIT ${PLACES}`,
      [...values, firstRow, step],
    )
    return found.rows.map((one) => ({ row: Number(one.row), id: one.id, at: Number(one.at) }))
  }

  /** A cursor that was given out, for another place of the same list. */
  function movedTo(cursor, { at, id }) {
    const { openToken, sealToken } = require('@dwell/domain/cursors/signed-token')
    const written = JSON.parse(openToken(key, 'run-cursor', cursor))
    return sealToken(key, 'run-cursor', JSON.stringify({ ...written, at, id }))
  }

  async function searchesOf(parameters, name) {
    const paths = [runs(parameters)]
    let page = await readers.get(paths[0])
    while (paths.length < 6 && page.meta.pagination.next_cursor !== null) {
      paths.push(runs({ ...parameters, cursor: page.meta.pagination.next_cursor }))
      page = await readers.get(paths.at(-1))
    }
    const [first, ...others] = paths
    const group = /** @type {const} */ ('search')
    return [
      { group, name: `${name}: first page`, paths: [String(first)] },
      ...(others.length > 0 ? [{ group, name: `${name}: continued`, paths: others }] : []),
    ]
  }
}

/** What is looked for; more than the three that are asked for, since others are harder. */
const SEARCHES = [
  ['3 members', NEEDLES.three.text],
  ['3,000 members', NEEDLES.thousands.text],
  ['300,000 members', NEEDLES.most.text],
  [`1 of ${NEEDLES.share.every} members`, NEEDLES.share.text],
  ['the oldest only', NEEDLES.oldest.text],
  ['none who entered', NEEDLES.elsewhere.text],
  ['nobody', 'no such name'],
  ['one letter', 'q'],
  ['two letters', 'øz'],
]

function dayBefore(days) {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
}
