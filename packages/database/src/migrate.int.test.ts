import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBareDatabase, MIGRATIONS_DIRECTORY, type TestDatabase } from '@dwell/testing/database'
import { Client } from 'pg'
import { applyMigrations, diffSchema } from './migrate'

const SCHEMA_DIRECTORY = join(MIGRATIONS_DIRECTORY, '..', 'schema')

let database: TestDatabase
let scratch: string

beforeEach(async () => {
  database = await createBareDatabase()
  scratch = mkdtempSync(join(tmpdir(), 'dwell-migrations-'))
})
afterEach(async () => {
  await database.drop()
  rmSync(scratch, { recursive: true })
})

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** A directory of migrations of its own: the lock file and one migration per text. */
function migrations(scripts: Record<string, string>): string {
  const directory = join(scratch, 'migrations')
  mkdirSync(directory, { recursive: true })
  cpSync(join(MIGRATIONS_DIRECTORY, 'migration_lock.toml'), join(directory, 'migration_lock.toml'))
  for (const [name, sql] of Object.entries(scripts)) {
    mkdirSync(join(directory, name), { recursive: true })
    writeFileSync(join(directory, name, 'migration.sql'), sql)
  }
  return directory
}

describe('the migrations', () => {
  test('make exactly what the schema says', async () => {
    const difference = await diffSchema({
      databaseUrl: database.url,
      migrationsDirectory: MIGRATIONS_DIRECTORY,
      schemaDirectory: SCHEMA_DIRECTORY,
    })
    expect(difference).toBe('')
  })

  test('a table that only the schema knows shows as a difference', async () => {
    const schemaDirectory = join(scratch, 'schema')
    cpSync(SCHEMA_DIRECTORY, schemaDirectory, { recursive: true })
    writeFileSync(join(schemaDirectory, 'extra.prisma'), 'model Extra {\n  id BigInt @id\n  @@map("extras")\n}\n')
    const difference = await diffSchema({
      databaseUrl: database.url,
      migrationsDirectory: MIGRATIONS_DIRECTORY,
      schemaDirectory,
    })
    expect(difference).toContain('CREATE TABLE "extras"')
    expect(difference.match(/^(CREATE|ALTER|DROP)/gm)).toEqual(['CREATE'])
  })

  test('comparing leaves no database behind', async () => {
    const count = `SELECT count(*)::int AS n FROM pg_database WHERE datname LIKE 'dwell_shadow_%'`
    await diffSchema({
      databaseUrl: database.url,
      migrationsDirectory: MIGRATIONS_DIRECTORY,
      schemaDirectory: SCHEMA_DIRECTORY,
    })
    expect(await query(count)).toEqual([{ n: 0 }])
  })
})

describe('applying migrations', () => {
  test('an empty database gets all of them, in order; the second time there is nothing to do', async () => {
    const applied = await applyMigrations(database.url, MIGRATIONS_DIRECTORY)
    expect(applied.length).toBeGreaterThan(0)
    expect(applied).toEqual([...applied].sort())
    expect(await applyMigrations(database.url, MIGRATIONS_DIRECTORY)).toEqual([])
    const kept = await query('SELECT migration_name FROM _prisma_migrations ORDER BY migration_name')
    expect(kept.map((row) => row.migration_name)).toEqual(applied)
  })

  test('several processes at once apply each exactly once', async () => {
    const directory = migrations({
      '1_first': 'CREATE TABLE first (id int)',
      '2_second': 'CREATE TABLE second (id int)',
    })
    const applied = await Promise.all([1, 2, 3].map(() => applyMigrations(database.url, directory)))
    expect(applied.flat().sort()).toEqual(['1_first', '2_second'])
    expect(await query('SELECT count(*)::int AS n FROM _prisma_migrations')).toEqual([{ n: 2 }])
  })

  test('a database that does not exist yet is made', async () => {
    await database.drop()
    expect(await applyMigrations(database.url, migrations({ '1_first': 'CREATE TABLE first (id int)' }))).toEqual([
      '1_first',
    ])
    expect(await query('SELECT count(*)::int AS n FROM first')).toEqual([{ n: 0 }])
  })

  test('semicolons in comments, texts and function bodies are not the end of a statement', async () => {
    const sql = `-- One; two; it's three
      CREATE TABLE first (note text DEFAULT 'a;b');
      CREATE FUNCTION twice(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN n := n * 2; RETURN n; END; $$;
      INSERT INTO first DEFAULT VALUES;`
    await applyMigrations(database.url, migrations({ '1_first': sql }))
    expect(await query('SELECT note, twice(4) FROM first')).toEqual([{ note: 'a;b', twice: 8 }])
  })

  test('a migration that fails leaves nothing of itself, says why, and blocks those behind it', async () => {
    const directory = migrations({
      '1_broken': 'CREATE TABLE first (id int); SELECT nonsense;',
      '2_second': 'CREATE TABLE second (id int)',
    })
    await expect(applyMigrations(database.url, directory)).rejects.toThrow(/nonsense/)
    await expect(applyMigrations(database.url, directory)).rejects.toThrow(/1_broken/)
    expect(await query(`SELECT to_regclass('first') AS first, to_regclass('second') AS second`)).toEqual([
      { first: null, second: null },
    ])
  })

  test('an index may be built without locking the table', async () => {
    await applyMigrations(
      database.url,
      migrations({
        '1_table': 'CREATE TABLE first (id int)',
        '2_index': 'CREATE INDEX CONCURRENTLY first_id ON first (id)',
      }),
    )
    expect(await query(`SELECT to_regclass('first_id')::text AS name`)).toEqual([{ name: 'first_id' }])
  })

  test('a server that is not there is an error that names it', async () => {
    await expect(applyMigrations('postgresql://u:p@127.0.0.1:1/x', MIGRATIONS_DIRECTORY)).rejects.toThrow('127.0.0.1:1')
  })
})
