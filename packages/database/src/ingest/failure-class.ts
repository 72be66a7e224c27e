/**
 * What a batch that failed calls for:
 * - `retry`: it lost a race for locks; the same again, at once.
 * - `pause`: the database is away, full, or not as it should be. No event is to blame: wait and try the same again.
 * - `event`: one of the events cannot be taken; find it, and let the rest go on.
 */
export type FailureClass = 'retry' | 'pause' | 'event'

/** Thrown where judging itself failed: a fault of the product that some event brought to light. */
export class JudgingFailed extends Error {
  override readonly name = 'JudgingFailed'

  constructor(cause: unknown) {
    super(`Judging the events failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** Runs what judges; a failure is the doing of an event. */
export function judging<T>(judge: () => T): T {
  try {
    return judge()
  } catch (error) {
    throw new JudgingFailed(error)
  }
}

const BY_CODE: Readonly<Record<string, FailureClass>> = {
  '40001': 'retry', // serialization_failure
  '40P01': 'retry', // deadlock_detected
}

/** By the first two characters of the SQLSTATE. What is not named here is taken for a fault of the installation. */
const BY_CLASS: Readonly<Record<string, FailureClass>> = {
  '08': 'pause', // connection exception
  '21': 'event', // cardinality violation
  '22': 'event', // data exception
  '23': 'event', // integrity constraint violation
  '25': 'pause', // invalid transaction state: a standby that only reads
  '28': 'pause', // invalid authorization
  '3D': 'pause', // no such database
  '40': 'pause', // transaction rollback, its outcome unknown
  '42': 'pause', // missing table or privilege: migrations have not run
  '44': 'event', // with check option violation
  '53': 'pause', // insufficient resources
  '54': 'event', // program limit exceeded
  '55': 'pause', // object not in prerequisite state, lock not available
  '57': 'pause', // operator intervention, shutdown, statement time-out
  '58': 'pause', // system error
  XX: 'pause', // internal error
}

/** Never by the text of an error: by its SQLSTATE, else by where it comes from. */
export function failureClassOf(error: unknown): FailureClass {
  if (error instanceof JudgingFailed) return 'event'
  const state = sqlState(error)
  if (state !== null) return BY_CODE[state] ?? BY_CLASS[state.slice(0, 2)] ?? 'pause'
  // A result that cannot be read is the doing of a value; everything else without a SQLSTATE is a broken connection.
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError ? 'event' : 'pause'
}

function sqlState(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null
  // Node's own codes (ECONNRESET, …) have another length.
  return typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : null
}
