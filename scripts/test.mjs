// npm test — everything, on a machine that has nothing but Node: installs, builds, checks, starts Postgres and Redis, runs
// all tests, the conformance cases among the end-to-end ones. The very last line is `N passed, N failed`, summed over all of it.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChecks } from './check.mjs'
import { PROGRAMS, run } from './command.mjs'
import { endOnce } from './ending.mjs'
import { prepare } from './install.mjs'
import { createProcesses } from './processes.mjs'
import { createProgress } from './progress.mjs'
import { startTestServers } from './test-servers.mjs'

const progress = createProgress(process.stdout)
const { log } = progress
const processes = createProcesses({
  log,
  onUnexpectedExit: (one, { code, signal }) => log(`${one.name} ended unexpectedly (${signal ?? code}).`),
})
const running = new AbortController()
const { end, isEnding } = endOnce({
  log,
  stop: async () => {
    running.abort()
    await processes.stopAll()
  },
})

const parts = []

try {
  const began = performance.now()
  await prepare(progress)
  await part('check', () => runChecks(log))
  const servers = await progress.step('Starting Postgres and Redis', () => startTestServers(processes, log))
  await part('unit', () => jest('unit', ['--maxWorkers=2']))
  await part('integration', () => jest('integration', ['--maxWorkers=2'], servers))
  await part('end to end', () => jest('e2e', ['--runInBand'], servers))
  await part('web', () => jest('web', ['--runInBand']))
  report(performance.now() - began)
  await end(parts.some(({ failed }) => failed > 0) ? 1 : 0)
} catch (error) {
  if (!isEnding()) {
    log(error instanceof Error ? error.message : String(error))
    log(`${sum('passed')} passed, ${sum('failed') + 1} failed`)
    await end(1)
  }
}

/** A part that breaks down is one failure; the others still run. */
async function part(title, work) {
  log(`\n== ${title}`)
  const began = performance.now()
  const totals = await work().catch((error) => {
    log(error instanceof Error ? error.message : String(error))
    return { passed: 0, failed: 1 }
  })
  parts.push({ title, ...totals, seconds: (performance.now() - began) / 1000 })
}

/** Runs one kind of test; its own output is shown as it comes. */
async function jest(kind, args, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'dwell-jest-'))
  const file = join(folder, 'results.json')
  try {
    const { code } = await run(
      process.execPath,
      [PROGRAMS.jest, '--selectProjects', kind, '--ci', '--passWithNoTests', '--json', `--outputFile=${file}`, ...args],
      { env, showErrors: process.stdout, signal: running.signal },
    )
    if (!existsSync(file)) throw new Error(`jest ended with ${code} before it had a result`)
    const results = JSON.parse(readFileSync(file, 'utf8'))
    // A test that is left out proves nothing, so it counts as one that fails.
    const leftOut = results.numPendingTests + results.numTodoTests
    if (leftOut > 0) log(`${leftOut} tests are skipped`)
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites + leftOut
    return { passed: results.numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function report(milliseconds) {
  log('')
  for (const { title, passed, failed, seconds } of parts) {
    log(
      `${title.padEnd(12)} ${String(passed).padStart(5)} passed ${String(failed).padStart(4)} failed ${seconds.toFixed(1).padStart(7)} s`,
    )
  }
  log(`${'all'.padEnd(12)} ${(milliseconds / 60_000).toFixed(1)} minutes`)
  log(`${sum('passed')} passed, ${sum('failed')} failed`)
}

function sum(key) {
  return parts.reduce((total, part) => total + part[key], 0)
}
