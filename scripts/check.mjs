// npm run check — everything that can be said about the code without running it. What CI does, and nothing else.

import { isMain, PROGRAMS, run } from './command.mjs'
import { prepare } from './install.mjs'
import { createProgress } from './progress.mjs'

/** @type {[string, string[], Record<string, string>?][]} */
const CHECKS = [
  ['lint and format', [PROGRAMS.biome, 'ci', '--error-on-warnings', '.']],
  ['types of the packages', [PROGRAMS.tsc, '-b']],
  ['types of the web interface', [PROGRAMS.tsc, '-p', 'apps/web']],
  ['types of the tests', [PROGRAMS.tsc, '-p', 'tsconfig.tests.json']],
  ['types of the web tests', [PROGRAMS.tsc, '-p', 'tests/web']],
  ['types of the scripts', [PROGRAMS.tsc, '-p', 'tsconfig.scripts.json']],
  ['dead code and dependencies', [PROGRAMS.knip]],
  ['boundaries between packages', [PROGRAMS.turbo, 'boundaries']],
  ['database schema', [PROGRAMS.prisma, 'validate'], { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath }],
  ['generated files', ['scripts/generate.mjs', '--check']],
  ['notes on dependencies', ['scripts/dependency-notes.mjs']],
]

/**
 * Runs every check, also after one has failed. Needs `prepare`.
 *
 * @param {(text: string) => void} log
 * @returns {Promise<{passed: number, failed: number}>}
 */
export async function runChecks(log) {
  const totals = { passed: 0, failed: 0 }
  for (const [title, args, env] of CHECKS) {
    const began = performance.now()
    const { code, output } = await run(process.execPath, args, env ? { env } : {})
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    if (code === 0) totals.passed += 1
    else totals.failed += 1
    log(`${code === 0 ? 'ok    ' : 'FAILED'} ${title} (${seconds} s)`)
    if (code !== 0) log(output.trimEnd())
  }
  return totals
}

if (isMain(import.meta.url)) {
  const progress = createProgress(process.stdout)
  try {
    await prepare(progress, { withBuild: false })
    const { failed } = await runChecks(progress.log)
    process.exitCode = failed === 0 ? 0 : 1
  } catch (error) {
    progress.log(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  }
}
