import type { PoolClient } from 'pg'
import { inTransaction, type Pool } from '../pool'

/** Postgres ended a statement that took longer than its request may take. */
export class StatisticsTimeoutError extends Error {
  readonly code = 'statistics_timeout'

  constructor(cause: unknown) {
    super('the statistics took longer than they may', { cause })
  }
}

/** Where statistics are read, and how long one of their statements may take. */
export interface StatisticsSource {
  readonly pool: Pool
  readonly timeoutMs: number
}

const QUERY_CANCELED = '57014'

/**
 * Reads in one snapshot: whatever changes meanwhile, the statements of `work` see the same runs. A statement that exceeds
 * the limit is ended by the server. One process per statement: readers share few cores with those who write.
 *
 * @throws StatisticsTimeoutError
 */
export async function inSnapshot<T>(
  { pool, timeoutMs }: StatisticsSource,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const limits = `SET LOCAL statement_timeout = ${Math.ceil(timeoutMs)}; SET LOCAL max_parallel_workers_per_gather = 0`
  try {
    return await inTransaction(pool, async (client) => {
      await client.query(`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; ${limits}`)
      return work(client)
    })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === QUERY_CANCELED)
      throw new StatisticsTimeoutError(error)
    throw error
  }
}
