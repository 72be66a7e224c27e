// npm run chaos — kills ingest, worker and Redis (kill -9) at random moments while events flow and come due, and then looks
// from outside whether every row ended as it must and every action stands on the stream exactly once.
// npm run chaos -- --automations — kills worker and ingest while members walk along e-mails, with a mail server on a bad day
// and members who leave, and then looks into the mailboxes.
import { parseArgs } from 'node:util'
import { endOnce } from './ending.mjs'
import { prepare } from './install.mjs'
import { createProcesses } from './processes.mjs'
import { createProgress } from './progress.mjs'
import { table } from './table.mjs'

const SHOWN_PROBLEMS = 20
const USAGE = `npm run chaos -- [options]
  --seed N             the same seed makes the same conversations and the same plan of kills; random unless given
  --kills N            20
  --events N           20000, with at least 4 per conversation
  --conversations N    5000
  --ingest N           processes of ingest, 1
  --workers N          processes of worker, 1
npm run chaos -- --automations [options]
  --seed N
  --kills N            8
  --members N          10000, who sign up twice each
  --workers N          1`

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    automations: { type: 'boolean' },
    kills: { type: 'string' },
    members: { type: 'string', default: '10000' },
    events: { type: 'string', default: '20000' },
    conversations: { type: 'string', default: '5000' },
    ingest: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
    help: { type: 'boolean' },
  },
})
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}
const options = {
  seed: Number(values.seed ?? Math.floor(Math.random() * 1_000_000_000)),
  kills: Number(values.kills ?? (values.automations ? 8 : 20)),
  events: Number(values.events),
  conversations: Number(values.conversations),
  ingest: Number(values.ingest),
  workers: Number(values.workers),
  members: Number(values.members),
}

const progress = createProgress(process.stdout)
const { log } = progress
const unexpectedExits = []
const processes = createProcesses({
  log,
  onUnexpectedExit: (one, { code, signal }) => {
    unexpectedExits.push(`${one.name} (${signal ?? code})`)
    log(
      [`${one.name} ended by itself (${signal ?? code}). Its last lines:`, ...one.lastLines().slice(-10)].join('\n  '),
    )
  },
})
const { end, isEnding } = endOnce({ stop: processes.stopAll, log })

try {
  log(`seed ${options.seed}`)
  await prepare(progress)
  const { runChaos } = await import('./chaos/run.mjs')
  const { runAutomationChaos } = await import('./chaos/automations/run.mjs')
  const began = performance.now()
  const run = values.automations ? runAutomationChaos : runChaos
  const { problems, counts } = await run({ processes, log, unexpectedExits }, options)
  log('')
  for (const line of table(['', 'expected', 'got'], counts)) log(line)
  for (const problem of problems.slice(0, SHOWN_PROBLEMS)) log(problem)
  if (problems.length > SHOWN_PROBLEMS) log(`… and ${problems.length - SHOWN_PROBLEMS} more`)
  const seconds = Math.round((performance.now() - began) / 1000)
  log(
    `\nseed ${options.seed}: ${problems.length === 0 ? 'everything as expected' : `${problems.length} problems`}, ${seconds} s`,
  )
  await end(problems.length === 0 ? 0 : 1)
} catch (error) {
  if (!isEnding()) await end(1, `seed ${options.seed}: ${error instanceof Error ? error.stack : String(error)}`)
}
