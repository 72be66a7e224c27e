import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Client } from 'pg'
import { type MigrationList, NO_FILTER, type SchemasContainer, withSchemaEngine } from './migrate-engine'

/** Only one process migrates a database at a time; another key than the one that Prisma's own binary takes. */
const MIGRATION_LOCK = 7_270_736_901

/**
 * Applies the migrations that the database does not have yet, in order, each once, and answers their names. Creates
 * the database where it is missing. Keeps Prisma's own table `_prisma_migrations`, so that `prisma migrate deploy` may
 * be used instead. Several processes may do this at once: one works, the others wait and find nothing left to do.
 *
 * @param databaseUrl of a role that may create tables (and the database, where it is missing)
 * @param migrationsDirectory e.g. `prisma/migrations`
 */
export async function applyMigrations(databaseUrl: string, migrationsDirectory: string): Promise<string[]> {
  await createDatabaseIfMissing(databaseUrl)
  const migrationsList = await readMigrations(migrationsDirectory)
  const lock = new Client({ connectionString: databaseUrl })
  await lock.connect()
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK])
    return await withSchemaEngine(databaseUrl, async (engine) => {
      const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: NO_FILTER })
      return appliedMigrationNames
    })
  } finally {
    await lock.end()
  }
}

/**
 * The SQL that leads from what the migrations make to what the schema files say; empty when they agree. The migrations
 * are applied to a database that is made for the purpose on the same server and dropped afterwards. CHECKs, partial
 * indexes, functions and storage settings are not part of Prisma's schema and take no part in this.
 */
export async function diffSchema(options: {
  readonly databaseUrl: string
  readonly migrationsDirectory: string
  readonly schemaDirectory: string
}): Promise<string> {
  const from = { tag: 'migrations' as const, ...(await readMigrations(options.migrationsDirectory)) }
  const to = { tag: 'schemaDatamodel' as const, ...(await readSchema(options.schemaDirectory)) }
  return withSchemaEngine(options.databaseUrl, async (engine) => {
    const { stdout } = await engine.diff({ from, to, script: true, exitCode: null, filters: NO_FILTER })
    const sql = stdout ?? ''
    return sql.split('\n').every((line) => line.trim() === '' || line.startsWith('--')) ? '' : sql
  })
}

async function readMigrations(directory: string): Promise<MigrationList> {
  const baseDir = resolve(directory)
  const lockfile = join(baseDir, 'migration_lock.toml')
  const entries = await readdir(baseDir, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return {
    baseDir,
    lockfile: { path: 'migration_lock.toml', content: existsSync(lockfile) ? await readFile(lockfile, 'utf8') : null },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.sort().map(async (name) => ({
        path: name,
        migrationFile: {
          path: 'migration.sql',
          content: { tag: 'ok' as const, value: await readFile(join(baseDir, name, 'migration.sql'), 'utf8') },
        },
      })),
    ),
  }
}

async function readSchema(directory: string): Promise<SchemasContainer> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.prisma')).sort()
  const files = names.map(async (name) => {
    const path = resolve(directory, name)
    return { path, content: await readFile(path, 'utf8') }
  })
  return { files: await Promise.all(files) }
}

async function createDatabaseIfMissing(databaseUrl: string): Promise<void> {
  const name = decodeURIComponent(new URL(databaseUrl).pathname.slice(1))
  const client = new Client({ connectionString: databaseUrl })
  try {
    await client.connect()
    return
  } catch (error) {
    if ((error as { code?: unknown }).code !== INVALID_CATALOG_NAME) throw error
  } finally {
    await client.end().catch(() => {})
  }
  const maintenance = new URL(databaseUrl)
  maintenance.pathname = '/postgres'
  const admin = new Client({ connectionString: maintenance.href })
  await admin.connect()
  try {
    await admin.query(`CREATE DATABASE ${admin.escapeIdentifier(name)}`)
  } catch (error) {
    // Another process was faster.
    if (!TAKEN.includes(String((error as { code?: unknown }).code))) throw error
  } finally {
    await admin.end()
  }
}

const INVALID_CATALOG_NAME = '3D000'
/** duplicate_database, and unique_violation where two create it at the same instant. */
const TAKEN = ['42P04', '23505']
