import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { applyMigrations } from '@dwell/database/migrate'
import { Client } from 'pg'
import { testServers } from './services'

export const MIGRATIONS_DIRECTORY = join(__dirname, '..', '..', '..', 'prisma', 'migrations')

const TEMPLATE_LOCK = 7_270_736_902

export interface TestDatabase {
  readonly url: string
  /** Ends connections that are still open and removes the database. */
  drop(): Promise<void>
}

/**
 * A migrated, empty database that nobody else uses: a copy of a template that is made once per server and set of
 * migrations. Copying takes some 50 ms, migrating would take ten times that.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const template = await ensureTemplate()
  const name = `dwell_test_${randomUUID().replaceAll('-', '')}`
  await asAdministrator((client) => client.query(`CREATE DATABASE "${name}" TEMPLATE "${template}"`))
  return { url: databaseUrl(name), drop: () => dropDatabase(name) }
}

/** An empty database without any table, for tests of the migrations themselves. */
export async function createBareDatabase(): Promise<TestDatabase> {
  const name = `dwell_bare_${randomUUID().replaceAll('-', '')}`
  await asAdministrator((client) => client.query(`CREATE DATABASE "${name}"`))
  return { url: databaseUrl(name), drop: () => dropDatabase(name) }
}

async function ensureTemplate(): Promise<string> {
  const name = `dwell_template_${fingerprint(MIGRATIONS_DIRECTORY)}`
  await asAdministrator(async (client) => {
    // Test files run in several processes: the first makes the template, the others wait for it.
    await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK])
    const { rowCount } = await client.query(`SELECT FROM pg_database WHERE datname = $1 AND datistemplate`, [name])
    if (rowCount) return
    await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`)
    await applyMigrations(databaseUrl(name), MIGRATIONS_DIRECTORY)
    // Marked only when it is complete, so that a half made one is made anew.
    await client.query(`ALTER DATABASE "${name}" WITH IS_TEMPLATE true`)
  })
  return name
}

function fingerprint(directory: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) {
    if (name.endsWith('.sql')) hash.update(name).update(readFileSync(join(directory, name)))
  }
  return hash.digest('hex').slice(0, 16)
}

async function dropDatabase(name: string): Promise<void> {
  await asAdministrator((client) => client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`))
}

function databaseUrl(name: string): string {
  const url = new URL(testServers().postgresUrl)
  url.pathname = `/${name}`
  return url.href
}

async function asAdministrator<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: databaseUrl('postgres') })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
