const DEADLOCK = '40P01'
const MAX_ATTEMPTS = 5

/**
 * Runs a statement that stands for itself again where Postgres ended it to break a circle of waiting transactions: nothing
 * was changed, and by then the other has what it wanted. All writers lock rows in one order, so this is rare; edits by the
 * administration lock an account's rows in the order they lie in.
 */
export async function retryDeadlock<T>(statement: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await statement()
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !isDeadlock(error)) throw error
    }
  }
}

function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === DEADLOCK
}
