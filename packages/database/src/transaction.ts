import { Prisma } from './generated/client'
import type { Database } from './prisma-client'

/** The Prisma client inside a transaction. */
export type Transaction = Prisma.TransactionClient

/** Either will do: a read, or a statement that stands for itself. */
export type DatabaseOrTransaction = Database | Transaction

const MAX_ATTEMPTS = 5
/** A change waits for the batches of ingest that hold its account, and those for their rows. */
const LIMITS = { maxWait: 5_000, timeout: 120_000 }

/**
 * One transaction of the administration. Lock order is account before rows; where a worker took its locks the other way
 * round Postgres ends one of the two, and this one begins anew.
 */
export async function transact<T>(database: Database, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.$transaction(work, LIMITS)
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !isWriteConflict(error)) throw error
    }
  }
}

export function isUniqueViolation(error: unknown): boolean {
  return isKnown(error) && (error.code === 'P2002' || causeOf(error) === 'UniqueConstraintViolation')
}

/** The row that is referred to is gone: its account was erased meanwhile. */
export function isReferenceViolation(error: unknown): boolean {
  return isKnown(error) && (error.code === 'P2003' || causeOf(error) === 'ForeignKeyConstraintViolation')
}

/** A deadlock or a serialisation failure: nothing was changed, the same again may succeed. */
function isWriteConflict(error: unknown): boolean {
  return isKnown(error) && (error.code === 'P2034' || causeOf(error) === 'TransactionWriteConflict')
}

function isKnown(error: unknown): error is Prisma.PrismaClientKnownRequestError {
  return error instanceof Prisma.PrismaClientKnownRequestError
}

function causeOf(error: Prisma.PrismaClientKnownRequestError): string | undefined {
  const adapterError = error.meta?.driverAdapterError as { cause?: { kind?: string } } | undefined
  return adapterError?.cause?.kind
}
