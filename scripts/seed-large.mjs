// npm run seed-large — the data of a large site: members, runs and steps of 18 months, always the same ones.
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from './command.mjs'
import { endOnce } from './ending.mjs'
import { prepare } from './install.mjs'
import { createProcesses } from './processes.mjs'
import { migrate } from './product.mjs'
import { createProgress } from './progress.mjs'
import { table } from './table.mjs'

const USAGE = `npm run seed-large -- [options]
  Writes into DATABASE_URL, or into a Postgres of its own whose data stay.
  --scale N         how many times 1,000,000 members, 1,000,000 runs and 3,000,000 steps, 1
  --until INSTANT   where the 18 months end, the last midnight (UTC); the same instant makes the same rows
  --directory DIR   of the own Postgres, .dwell/large`

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    until: { type: 'string' },
    directory: { type: 'string', default: join(ROOT, '.dwell', 'large') },
    help: { type: 'boolean' },
  },
})
const scale = Number(values.scale)
const until = values.until ? new Date(values.until) : new Date(new Date().setUTCHours(0, 0, 0, 0))
if (values.help || !(scale > 0 && scale <= 20) || Number.isNaN(until.getTime())) {
  console.log(USAGE)
  process.exit(values.help ? 0 : 2)
}

const progress = createProgress(process.stdout)
const { log, step } = progress
const processes = createProcesses({
  log,
  onUnexpectedExit: (one, { code, signal }) => void end(1, `${one.name} ended unexpectedly (${signal ?? code}).`),
})
const { end, isEnding } = endOnce({ stop: processes.stopAll, log })

try {
  await prepare(progress)
  const given = process.env.DATABASE_URL
  const directory = resolve(values.directory)
  if (!given) mkdirSync(directory, { recursive: true })
  const databaseUrl = given || (await ownDatabase(directory))
  await migrate(databaseUrl)
  const { loadLargeData } = await import('./seed-large/load.mjs')
  const began = performance.now()
  const tables = await loadLargeData(databaseUrl, { scale, until, step })
  const seconds = Math.round((performance.now() - began) / 1_000)
  log('')
  const megabytes = (bytes) => `${Math.round(bytes / 2 ** 20).toLocaleString('en-US')} MB`
  const rows = tables.map((one) => [
    one.table,
    one.rows.toLocaleString('en-US'),
    megabytes(one.heapBytes),
    megabytes(one.indexBytes),
  ])
  for (const line of table(['table', 'rows', 'heap', 'indexes'], rows)) log(line)
  log(`\n18 months until ${until.toISOString()}, written in ${seconds} s`)
  if (!given) log(`the data stay in ${directory}`)
  await end(0)
} catch (error) {
  if (!isEnding()) await end(1, error instanceof Error ? error.stack : String(error))
}

async function ownDatabase(directory) {
  const { startPostgres } = await import('./services/postgres.mjs')
  const postgres = await startPostgres(processes, {
    directory: join(directory, 'postgres'),
    settings: { max_wal_size: '8GB', shared_buffers: '512MB', checkpoint_timeout: '15min' },
  })
  return postgres.url
}
