import { PrismaPg } from '@prisma/adapter-pg'
import type { Pool } from 'pg'
import { PrismaClient } from './generated/client'

export type Database = PrismaClient

/** The Prisma client on a pool that it does not own: closing the client leaves the pool open. */
export function createPrismaClient(pool: Pool): PrismaClient {
  return new PrismaClient({
    adapter: new PrismaPg(pool, { disposeExternalPool: false }),
    // Without the source around the call: that belongs on a developer's screen, not in a log.
    errorFormat: 'minimal',
  })
}
