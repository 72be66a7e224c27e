// npm run bench — what the product does per second, beside what its parts can do, measured in one run on one machine.
// npm run bench -- analytics — how fast automations are read on the data of a large site.
// npm run bench -- steps — how late steps of automations are.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
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
  --save                 writes bench/results/<date>.md
npm run bench -- analytics [options]
  --scale N,N            sizes of the data, 1,2
  --seconds N            how long each question is asked, 4
  --only TEXT            questions that contain it
  --data DIR             keeps the filled databases there, and uses them again
  --save                 writes bench/results/analytics-<date>.md
npm run bench -- steps [options]
  --steps N              waits of members that end, 2000
  --seconds N            within so long, 60
  --save                 writes bench/results/steps-<date>.md`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    events: { type: 'string', default: '50000' },
    rows: { type: 'string', default: '20000' },
    lateness: { type: 'string', default: '15' },
    scale: { type: 'string', default: '1,2' },
    seconds: { type: 'string' },
    steps: { type: 'string', default: '2000' },
    data: { type: 'string' },
    save: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
const MEASUREMENTS = { analytics: measureAnalytics, steps: measureSteps }
const [what = 'product'] = positionals
const isHalf = values.only === undefined || values.only === 'ingest' || values.only === 'worker'
if (values.help || !(what in MEASUREMENTS || (what === 'product' && isHalf))) {
  console.log(USAGE)
  process.exit(values.help ? 0 : 2)
}

const progress = createProgress(process.stdout)
const { log } = progress
const processes = createProcesses({
  log,
  onUnexpectedExit: (one, { code, signal }) => {
    // What was started for a part of the measurement may end with it.
    if (code !== 0) void end(1, `${one.name} ended unexpectedly (${signal ?? code}).`)
  },
})
const { end, isEnding } = endOnce({ stop: processes.stopAll, log })

try {
  await prepare(progress)
  const { machine, lines, text, name } = await (MEASUREMENTS[what] ?? measureProduct)()
  log('')
  for (const line of [...machine, ...lines]) log(line)
  if (values.save) {
    const folder = join(ROOT, 'bench', 'results')
    const file = join(folder, `${name}.md`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, text)
    log(`saved: ${file}`)
  }
  await end(0)
} catch (error) {
  if (!isEnding()) await end(1, error instanceof Error ? error.stack : String(error))
}

async function measureProduct() {
  const { runBench } = await import('../bench/run.mjs')
  const { markdown, reportRows } = await import('../bench/report.mjs')
  const options = {
    only: values.only,
    events: Number(values.events),
    rows: Number(values.rows),
    latenessSeconds: Number(values.lateness),
  }
  const result = await runBench(processes, progress, options)
  const rows = reportRows(result)
  return {
    machine: result.machine,
    lines: table(['', '', 'beside its parts'], rows),
    text: markdown(today(), result.machine, rows, options),
    name: today(),
  }
}

async function measureAnalytics() {
  const { runAnalytics } = await import('../bench/analytics/run.mjs')
  const { analyticsTables, analyticsMarkdown } = await import('../bench/analytics/report.mjs')
  const result = await runAnalytics(processes, progress, {
    scales: values.scale.split(',').map(Number),
    seconds: Number(values.seconds ?? 4),
    ...(values.only === undefined ? {} : { only: values.only }),
    ...(values.data === undefined ? {} : { data: resolve(values.data) }),
  })
  const tables = analyticsTables(result)
  return {
    machine: result.machine,
    lines: tables.flatMap(({ title, head, rows }) => ['', title, ...table(head, rows)]),
    text: analyticsMarkdown(today(), result.machine, tables),
    name: `analytics-${today()}`,
  }
}

async function measureSteps() {
  const { runSteps } = await import('../bench/steps.mjs')
  const options = { steps: Number(values.steps), seconds: Number(values.seconds ?? 60) }
  const { machine, rows } = await runSteps(processes, progress, options)
  return {
    machine,
    lines: table(['', ''], rows),
    text: [
      `# Lateness of steps, ${today()}`,
      '',
      ...machine.map((line) => `- ${line}`),
      `- ${options.steps} waits that end within ${options.seconds} s, each followed by an e-mail`,
      '',
      '| | |',
      '|---|---:|',
      ...rows.map((row) => `| ${row.join(' | ')} |`),
      '',
    ].join('\n'),
    name: `steps-${today()}`,
  }
}

function today() {
  return new Date().toISOString().slice(0, 10)
}
