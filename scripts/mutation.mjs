// npm run mutation — changes packages/domain a few thousand times and counts how often its unit tests notice. Options go to
// Stryker, e.g. `npm run mutation -- --mutate "packages/domain/src/rules/episode.ts"`. Report: reports/mutation/mutation.html.
import { spawn } from 'node:child_process'
import { ROOT } from './command.mjs'
import { prepare } from './install.mjs'
import { createProgress } from './progress.mjs'

await prepare(createProgress(process.stdout), { withBuild: false })
const program = 'node_modules/@stryker-mutator/core/bin/stryker.js'
const stryker = spawn(process.execPath, [program, 'run', ...process.argv.slice(2)], { cwd: ROOT, stdio: 'inherit' })
stryker.once('exit', (code) => {
  process.exitCode = code ?? 1
})
