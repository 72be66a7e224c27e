// npm run test:web — the tests of the web interface alone: a real Chromium against the real processes under the test clock.
// What is given goes on to jest, e.g. `npm run test:web -- tests/web/rule-form.web.test.ts`. Screenshots: reports/screens.
import { spawn } from 'node:child_process'
import { PROGRAMS, ROOT } from './command.mjs'
import { prepare } from './install.mjs'
import { createProgress } from './progress.mjs'

await prepare(createProgress(process.stdout))
const args = [PROGRAMS.jest, '--selectProjects', 'web', '--runInBand', '--', ...process.argv.slice(2)]
const jest = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' })
jest.once('exit', (code) => {
  process.exitCode = code ?? 1
})
