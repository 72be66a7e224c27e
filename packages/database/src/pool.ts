import { Pool, type PoolClient, types } from 'pg'

export type { Pool } from 'pg'

/** What runs a statement: the pool, or one connection of it inside a transaction. */
export type Queryable = Pool | PoolClient

export interface PoolOptions {
  readonly connectionString: string
  /** Connections held at most. */
  readonly max: number
  /** Shown in pg_stat_activity. */
  readonly applicationName: string
  /** How long a caller waits for a connection; pg itself would wait for ever. */
  readonly connectTimeoutMs?: number
  /** After this time Postgres ends a statement. Left out: no limit. */
  readonly statementTimeoutMs?: number
  /** Of the server, for every connection: `{ jit: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>
  /** An idle connection broke. The pool replaces it; nobody needs to act. */
  readonly onError?: (error: Error) => void
}

const DEFAULT_CONNECT_TIMEOUT_MS = 5_000
/** A process that was cut off in the middle of a transaction must not hold its locks for long. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000
const IDLE_TIMEOUT_MS = 30_000

const INT8 = 20
const INT8_ARRAY = 1016
const TIMESTAMPTZ = 1184

/**
 * The pool that hot SQL and Prisma share. `int8` is read as a number (ids, counts and µs are safe integers; anything else
 * is an error, never a rounded value), `timestamptz` as text: a `Date` would lose the microseconds. Prisma reads its own
 * results with its own parsers.
 */
export function createPool(options: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: options.connectionString,
    max: options.max,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    // Prisma's adapter sends timestamps without an offset.
    options: Object.entries({ timezone: 'UTC', ...options.settings })
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    ...(options.statementTimeoutMs === undefined ? {} : { statement_timeout: options.statementTimeoutMs }),
    types: { getTypeParser: parserOf },
  })
  // Without listeners the loss of a connection would end the process, idle or in the middle of a transaction; there the
  // statement under way rejects as well, so nobody misses it.
  pool.on('error', (error) => options.onError?.(error))
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Runs `work` in one transaction on one connection: committed when it resolves, rolled back when it rejects. */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  begin: `BEGIN${string}` = 'BEGIN',
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query(begin)
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      broken = rollbackError
    })
    throw error
  } finally {
    // A connection whose transaction could not be ended must not go back to the pool.
    client.release(broken)
  }
}

type TypeParser = (text: string) => unknown

const OWN_PARSERS: ReadonlyMap<number, TypeParser> = new Map<number, TypeParser>([
  [INT8, parseInt8],
  [INT8_ARRAY, parseInt8Array],
  [TIMESTAMPTZ, (text) => text],
])

/** All our results come as text; a binary one would be asked for by its query. */
function parserOf(oid: number, format?: string): TypeParser {
  const own = format === 'binary' ? undefined : OWN_PARSERS.get(oid)
  return own ?? types.getTypeParser(oid, format === 'binary' ? 'binary' : 'text')
}

function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 ${text} is beyond what a number holds exactly`)
  return value
}

function parseInt8Array(text: string): (number | null)[] {
  if (text === '{}') return []
  return text
    .slice(1, -1)
    .split(',')
    .map((element) => (element === 'NULL' ? null : parseInt8(element)))
}
