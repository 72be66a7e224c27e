// npm run generate                      makes everything that is made from something else
// npm run generate -- --check          says what of it is out of date, changes nothing of it, fails if anything is
// npm run generate -- migration NAME   writes the SQL that leads from the migrations to the schema; to be reviewed by hand
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ROOT, run } from './command.mjs'
import { configDocuments } from './config-docs.mjs'
import { build, generateClient } from './install.mjs'
import { createProcesses } from './processes.mjs'
import { startPostgres } from './services/postgres.mjs'
import { generateApiTypes } from './web.mjs'

/** Prints the OpenAPI document of the console. */
const OPENAPI_PRINTER = join(ROOT, 'apps/console/dist/openapi-cli.js')

const [command, name] = process.argv.slice(2)
try {
  if (command === 'migration') await writeMigration(name)
  else if (command === '--check') await check()
  else await generate()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function generate() {
  await generateClient()
  await build()
  for (const [path, content] of await documents()) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true })
    writeFileSync(join(ROOT, path), content)
    console.log(`wrote ${path}`)
  }
  await generateApiTypes()
}

async function check() {
  const stale = [...(await documents())].filter(
    ([path, content]) => !existsSync(join(ROOT, path)) || readFileSync(join(ROOT, path), 'utf8') !== content,
  )
  if (stale.length === 0) return
  throw new Error(`Out of date, run \`npm run generate\`: ${stale.map(([path]) => path).join(', ')}`)
}

async function documents() {
  const all = configDocuments()
  if (existsSync(OPENAPI_PRINTER)) {
    const { code, output } = await run(process.execPath, [OPENAPI_PRINTER])
    if (code !== 0) throw new Error(`The OpenAPI document could not be made:\n${output}`)
    all.set('docs/openapi.json', output)
  }
  return all
}

async function writeMigration(title) {
  if (!/^[a-z0-9_]+$/.test(title ?? ''))
    throw new Error('Name the migration in snake_case: npm run generate -- migration add_something')
  await build()
  const require = createRequire(import.meta.url)
  const { diffSchema } = require(join(ROOT, 'packages/database/dist/migrate.js'))
  const processes = createProcesses({ log: console.error })
  try {
    const { url } = await startPostgres(processes)
    const sql = await diffSchema({
      databaseUrl: url.replace(/[^/]+$/, 'postgres'),
      migrationsDirectory: join(ROOT, 'prisma/migrations'),
      schemaDirectory: join(ROOT, 'prisma/schema'),
    })
    if (sql === '') {
      console.log('Migrations and schema agree: there is nothing to migrate.')
      return
    }
    const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
    const folder = join('prisma/migrations', `${stamp}_${title}`)
    mkdirSync(join(ROOT, folder))
    writeFileSync(join(ROOT, folder, 'migration.sql'), sql)
    console.log(`wrote ${folder}/migration.sql: review it, add what Prisma does not know (CHECKs, partial indexes).`)
  } finally {
    await processes.stopAll()
  }
}
