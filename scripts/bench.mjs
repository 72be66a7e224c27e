// npm run bench — what the product does per second, beside what its parts can do, measured in one run on one machine.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from './command.mjs'
import { endOnce } from './ending.mjs'
import { prepare } from './install.mjs'
import { createProcesses } from './processes.mjs'
import { createProgress } from './progress.mjs'
import { table } from './table.mjs'

const USAGE = `npm run bench -- [options]
  --only ingest|worker   one half only
  --events N             events to take, 50000
  --rows N               rows to fire, 20000
  --lateness SECONDS     how long rows become due one by one, 15
  --save                 writes bench/results/<date>.md`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    events: { type: 'string', default: '50000' },
    rows: { type: 'string', default: '20000' },
    lateness: { type: 'string', default: '15' },
    save: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
if (values.help || (values.only !== undefined && values.only !== 'ingest' && values.only !== 'worker')) {
  console.log(USAGE)
  process.exit(values.help ? 0 : 2)
}
const options = {
  only: values.only,
  events: Number(values.events),
  rows: Number(values.rows),
  latenessSeconds: Number(values.lateness),
}

const progress = createProgress(process.stdout)
const { log } = progress
const processes = createProcesses({
  log,
  onUnexpectedExit: (one, { code, signal }) => void end(1, `${one.name} ended unexpectedly (${signal ?? code}).`),
})
const { end, isEnding } = endOnce({ stop: processes.stopAll, log })

try {
  await prepare(progress)
  const { runBench } = await import('../bench/run.mjs')
  const { markdown, reportRows } = await import('../bench/report.mjs')
  const result = await runBench(processes, progress, options)
  const rows = reportRows(result)
  log('')
  for (const line of result.machine) log(line)
  for (const line of table(['', '', 'beside its parts'], rows)) log(line)
  if (values.save) {
    const date = new Date().toISOString().slice(0, 10)
    const file = join(ROOT, 'bench', 'results', `${date}.md`)
    mkdirSync(join(ROOT, 'bench', 'results'), { recursive: true })
    writeFileSync(file, markdown(date, result.machine, rows, options))
    log(`saved: ${file}`)
  }
  await end(0)
} catch (error) {
  if (!isEnding()) await end(1, error instanceof Error ? error.stack : String(error))
}
