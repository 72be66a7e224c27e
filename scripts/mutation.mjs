// npm run mutation — changes packages/domain a few thousand times and counts how often its unit tests notice. Options go to
// Stryker, e.g. `npm run mutation -- --mutate "packages/domain/src/rules/episode.ts"`. Report: reports/mutation/mutation.html.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './command.mjs'
import { prepare } from './install.mjs'
import { createProgress } from './progress.mjs'

await prepare(createProgress(process.stdout), { withBuild: false })
const program = 'node_modules/@stryker-mutator/core/bin/stryker.js'
// Outside: the copies hold tests, which jest would find.
const folder = mkdtempSync(join(tmpdir(), 'dwell-mutation-'))
const args = [program, 'run', '--tempDirName', folder, ...process.argv.slice(2)]
const stryker = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' })
stryker.once('exit', (code) => {
  rmSync(folder, { recursive: true, force: true })
  process.exitCode = code ?? 1
})
