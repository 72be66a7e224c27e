// Before the first integration or end-to-end test: Postgres and Redis, where nobody has started them for us.
import { createProcesses } from './processes.mjs'
import { startTestServers } from './test-servers.mjs'

export default async function setUp() {
  if (globalThis.dwellTestServers) return
  const log = (text) => process.stderr.write(`${text}\n`)
  const processes = createProcesses({
    log,
    onUnexpectedExit: (one, end) => log(`${one.name} ended in the middle of the tests: ${JSON.stringify(end)}`),
  })
  globalThis.dwellTestServers = processes
  try {
    Object.assign(process.env, await startTestServers(processes, log))
  } catch (error) {
    await processes.stopAll()
    throw error
  }
}
