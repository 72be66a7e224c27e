// What a statement costs, by EXPLAIN.

/** @param {string} iso */
export function micros(iso) {
  return Date.parse(iso) * 1_000
}

/**
 * Runs a statement and takes it back. Buffers are the pages it touched, wherever they came from; of several runs the
 * fastest counts, so that pages from the disk and freshly compiled plans do not.
 *
 * @param {import('pg').Client} client
 * @param {{text: string, values: unknown[]}} statement
 * @returns {Promise<{plan: string, buffers: number, ms: number, claimed: number}>}
 */
export async function explained(client, { text, values }) {
  const runs = []
  for (let run = 0; run < 5; run++) {
    await client.query('BEGIN')
    const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values)
    await client.query('ROLLBACK')
    const [{ Plan: plan, 'Execution Time': ms }] = rows[0]['QUERY PLAN']
    runs.push({ ms, buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], claimed: plan['Actual Rows'] })
  }
  await client.query('BEGIN')
  const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, SUMMARY OFF) ${text}`, values)
  await client.query('ROLLBACK')
  const fastest = runs.reduce((best, one) => (one.ms < best.ms ? one : best))
  return { ...fastest, plan: rows.map((row) => row['QUERY PLAN']).join('\n') }
}
