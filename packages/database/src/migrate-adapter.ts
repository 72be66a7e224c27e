import { randomUUID } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import { ColumnTypeEnum } from '@prisma/driver-adapter-utils'
import { Client, type QueryResult } from 'pg'

/** Object ids of Postgres' internal one-letter type, and of one that no catalogue column has, to stand in for it. */
const LETTER_TYPE = 18
const BYTEA_TYPE = 17

type Connection = Awaited<ReturnType<PrismaPg['connect']>>

/**
 * Prisma's adapter for Postgres, made fit for reviewed migrations. The original cuts a script at every semicolon, also
 * inside comments, texts and function bodies; and it drops its shadow database while it still holds connections to it.
 */
export class MigrationAdapter extends PrismaPg {
  private readonly opened: Connection[] = []
  /** Why the last script failed; the engine itself only passes on that it did. */
  failure: Error | undefined

  constructor(private readonly databaseUrl: string) {
    // One session, since a migration may rely on what an earlier statement set.
    super({ connectionString: databaseUrl, max: 1 })
  }

  override async connect(): Promise<Connection> {
    return this.keep(await super.connect())
  }

  override async connectToShadowDb(): Promise<Connection> {
    const name = `dwell_shadow_${randomUUID().replaceAll('-', '')}`
    await runOnce(this.databaseUrl, `CREATE DATABASE "${name}"`)
    const url = new URL(this.databaseUrl)
    url.pathname = `/${name}`
    const connection = this.keep(await new PrismaPg({ connectionString: url.href, max: 1 }).connect())
    const release = connection.dispose.bind(connection)
    connection.dispose = async () => {
      await release()
      await runOnce(this.databaseUrl, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`)
    }
    return connection
  }

  /** Ends every connection that the engine has left open, and drops its shadow databases. */
  async close(): Promise<void> {
    await Promise.all(this.opened.splice(0).map((connection) => connection.dispose()))
  }

  private keep(connection: Connection): Connection {
    // Postgres itself takes a script apart, and runs it as one transaction.
    connection.executeScript = async (script) => {
      try {
        await connection.underlyingDriver().query(script)
      } catch (error) {
        this.failure = error instanceof Error ? error : new Error(String(error))
        throw error
      }
    }
    readLetters(connection)
    const dispose = connection.dispose.bind(connection)
    let disposed: Promise<void> | undefined
    connection.dispose = () => {
      disposed ??= dispose()
      return disposed
    }
    this.opened.push(connection)
    return connection
  }
}

/** Passes one-letter columns through the adapter under another type, and tells the engine the true one. */
function readLetters(connection: Connection): void {
  const pool = connection.underlyingDriver()
  const query: (...args: unknown[]) => Promise<QueryResult> = pool.query.bind(pool)
  const renamed = async (...args: unknown[]) => {
    const result = await query(...args)
    for (const field of result.fields ?? []) if (field.dataTypeID === LETTER_TYPE) field.dataTypeID = BYTEA_TYPE
    return result
  }
  Object.assign(pool, { query: renamed })
  const queryRaw = connection.queryRaw.bind(connection)
  connection.queryRaw = async (statement) => {
    const result = await queryRaw(statement)
    const { Bytes, Character } = ColumnTypeEnum
    return { ...result, columnTypes: result.columnTypes.map((type) => (type === Bytes ? Character : type)) }
  }
}

async function runOnce(databaseUrl: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
