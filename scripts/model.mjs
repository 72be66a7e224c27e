// npm run model — plays random histories against the product and against the model of tests/model, and compares rows and
// actions. With --planted it proves that a fault would be found.

import { PLANTED_FAULTS } from '../tests/model/planted-faults.mjs'
import { loadFromSources } from '../tests/model/sources.mjs'
import { run } from './command.mjs'
import { endOnce } from './ending.mjs'
import { prepare } from './install.mjs'
import { createProcesses } from './processes.mjs'
import { createProgress } from './progress.mjs'
import { table } from './table.mjs'
import { startTestServers } from './test-servers.mjs'

/** A fault that is not found by then is not found. */
const HISTORIES_PER_FAULT = 4_000

const args = process.argv.slice(2)
const progress = createProgress(process.stdout)
const { log } = progress
const processes = createProcesses({
  log,
  onUnexpectedExit: (one, { code, signal }) => log(`${one.name} ended unexpectedly (${signal ?? code}).`),
})
const { end, isEnding } = endOnce({ stop: processes.stopAll, log })

try {
  await prepare(progress, { withBuild: false })
  Object.assign(process.env, await startTestServers(processes, log))
  await end(args.includes('--planted') ? await findPlantedFaults() : await playHistories())
} catch (error) {
  if (!isEnding()) await end(2, error instanceof Error ? error.stack : String(error))
}

async function playHistories() {
  const named = args.indexOf('--fault')
  const fault = named === -1 ? null : PLANTED_FAULTS.find(({ name }) => name === args[named + 1])
  if (fault === undefined) throw new Error(`There is no planted fault ${JSON.stringify(args[named + 1])}`)
  const { main } = loadFromSources('tests/model/main.ts', fault)
  return main(args, log)
}

/** Each in a process of its own, with the fault in its memory. */
async function findPlantedFaults() {
  const rows = []
  for (const { name } of PLANTED_FAULTS) {
    const options = ['--fault', name, '--histories', String(HISTORIES_PER_FAULT), '--seed', '1']
    const { code, output } = await run(process.execPath, ['scripts/model.mjs', ...options])
    const found = code === 1 ? /history (\d+) of/.exec(output)?.[1] : undefined
    rows.push([name, found === undefined ? `NOT FOUND (${code})` : `after ${found}`])
    log(rows.at(-1).join(': '))
    if (found === undefined) log(output.split('\n').slice(-15).join('\n'))
  }
  log('')
  for (const line of table(['planted fault', 'found'], rows)) log(line)
  return rows.every(([, found]) => found.startsWith('after')) ? 0 : 1
}
