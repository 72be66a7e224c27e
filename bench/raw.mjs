// What the parts can do by themselves on this machine, measured in the same run as the product.
import { randomUUID } from 'node:crypto'
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import { eventOf } from './events.mjs'

const STREAM = 'bench:raw'
const GROUP = 'bench'
const PIPELINE = 500
const ROWS_PER_STATEMENT = 500
const JOBS_AT_ONCE = 1_000
const WORKER_CONCURRENCY = 100

/** Events per second that one connection adds, pipelined. */
export async function measureXadd(redisUrl, count) {
  const redis = new Redis(redisUrl)
  const texts = Array.from({ length: count }, (_, n) => JSON.stringify(eventOf({ conversation: n, account: 1 })))
  const rate = await perSecond(count, async () => {
    for (let from = 0; from < count; from += PIPELINE) {
      const pipeline = redis.pipeline()
      for (const text of texts.slice(from, from + PIPELINE)) pipeline.xadd(STREAM, '*', 'event', text)
      await pipeline.exec()
    }
  })
  redis.disconnect()
  return rate
}

/** Events per second that one consumer reads, parses as JSON and acknowledges. Needs those of `measureXadd`. */
export async function measureXreadgroup(redisUrl, count) {
  const redis = new Redis(redisUrl)
  await redis.xgroup('CREATE', STREAM, GROUP, '0')
  let read = 0
  const rate = await perSecond(count, async () => {
    while (read < count) {
      const [[, entries]] = await redis.xreadgroup('GROUP', GROUP, 'a', 'COUNT', PIPELINE, 'STREAMS', STREAM, '>')
      for (const [, [, text]] of entries) JSON.parse(text)
      await redis.xack(STREAM, GROUP, ...entries.map(([id]) => id))
      read += entries.length
    }
  })
  await redis.del(STREAM)
  redis.disconnect()
  return rate
}

/** Rows per second that one connection inserts by unnest into a table as wide as that of pending executions, durably. */
export async function measureInsert(databaseUrl, count) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`
    CREATE TABLE bench_rows (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, account_id bigint NOT NULL, rule_id bigint NOT NULL,
      conversation_id bigint NOT NULL, episode_key text NOT NULL, due_at timestamptz NOT NULL, status smallint NOT NULL,
      claim_token uuid, created_at timestamptz NOT NULL DEFAULT now(), UNIQUE (rule_id, conversation_id, episode_key))`)
  await client.query('CREATE INDEX ON bench_rows (due_at, id) WHERE status = 0')
  const rate = await perSecond(count, async () => {
    for (let from = 0; from < count; from += ROWS_PER_STATEMENT) {
      const numbers = Array.from({ length: Math.min(ROWS_PER_STATEMENT, count - from) }, (_, n) => from + n)
      await client.query({
        name: 'bench-insert',
        text: `INSERT INTO bench_rows (account_id, rule_id, conversation_id, episode_key, due_at, status)
               SELECT 1, 1, c, k, now(), 0 FROM unnest($1::bigint[], $2::text[]) AS new (c, k)
               ON CONFLICT (rule_id, conversation_id, episode_key) DO NOTHING`,
        values: [numbers, numbers.map((n) => `status:${1_788_256_800_000_000 + n}`)],
      })
    }
  })
  await client.query('DROP TABLE bench_rows')
  await client.end()
  return rate
}

/**
 * Jobs per second with an id and a priority each: added in bulk, then worked off by a worker that does nothing.
 *
 * @returns {Promise<{added: number, worked: number}>}
 */
export async function measureQueue(redisUrl, count) {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null })
  const options = { prefix: '{bench}', connection }
  const queue = new Queue('noop', { ...options, defaultJobOptions: { removeOnComplete: true } })
  await queue.waitUntilReady()
  const added = await perSecond(count, async () => {
    for (let from = 0; from < count; from += JOBS_AT_ONCE) {
      const jobs = Array.from({ length: Math.min(JOBS_AT_ONCE, count - from) }, (_, n) => ({
        name: 'noop',
        data: { pending_execution_id: from + n, account_id: 1, claim_token: randomUUID() },
        opts: { jobId: `job-${from + n}`, priority: n + 2 },
      }))
      await queue.addBulk(jobs)
    }
  })
  let left = count
  let finished
  const allDone = new Promise((resolve) => {
    finished = resolve
  })
  const worker = new Worker(
    'noop',
    async () => {
      left -= 1
      if (left === 0) finished()
    },
    { ...options, concurrency: WORKER_CONCURRENCY, autorun: false },
  )
  await worker.waitUntilReady()
  const worked = await perSecond(count, async () => {
    void worker.run()
    await allDone
  })
  await worker.close()
  await queue.obliterate({ force: true })
  await queue.close()
  connection.disconnect()
  return { added, worked }
}

async function perSecond(count, work) {
  const began = performance.now()
  await work()
  return count / ((performance.now() - began) / 1_000)
}
