import type { PoolClient, QueryConfig, QueryResultRow } from 'pg'
import { createPool, inTransaction, type Pool, type PoolOptions } from '../pool'

/** Postgres ended a statement that took longer than its request may take. */
export class StatisticsTimeoutError extends Error {
  readonly code = 'statistics_timeout'

  constructor(cause: unknown) {
    super('the statistics took longer than they may', { cause })
  }
}

/** Where statistics are read. */
export interface StatisticsSource {
  /** Made by `createStatisticsPool`. */
  readonly pool: Pool
}

/**
 * One process per statement, since readers share few cores with those who write; no compiled expressions, which take longer
 * to make than our statements to run; no table read as a whole where an index can do, whatever the planner takes for rare;
 * nothing is written.
 */
const SETTINGS = {
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  enable_seqscan: 'off',
  default_transaction_read_only: 'on',
}

/**
 * Connections of their own, so that slow readings keep nobody waiting but each other. `statementTimeoutMs`: how long one of
 * their statements may take.
 */
export function createStatisticsPool(options: PoolOptions & { readonly statementTimeoutMs: number }): Pool {
  return createPool({ ...options, settings: SETTINGS })
}

/**
 * Reads in one snapshot: whatever changes meanwhile, the statements of `work` see the same runs.
 *
 * @throws StatisticsTimeoutError
 */
export function inSnapshot<T>({ pool }: StatisticsSource, work: (client: PoolClient) => Promise<T>): Promise<T> {
  return timeLimited(inTransaction(pool, work, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'))
}

/**
 * Reads with one statement, which sees one moment by itself: a third of the round trips.
 *
 * @throws StatisticsTimeoutError
 */
export async function readAtOnce<Row extends QueryResultRow>(
  { pool }: StatisticsSource,
  statement: QueryConfig,
): Promise<Row[]> {
  return (await timeLimited(pool.query<Row>(statement))).rows
}

const QUERY_CANCELED = '57014'

async function timeLimited<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === QUERY_CANCELED)
      throw new StatisticsTimeoutError(error)
    throw error
  }
}
