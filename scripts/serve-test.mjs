// npm run serve:test — the whole product on empty stores and free ports, under the test clock, for programs that play
// against it from outside. One line `ready {…}` on standard output; everything else goes to standard error.
import { endOnce } from './ending.mjs'
import { prepare } from './install.mjs'
import { createProcesses } from './processes.mjs'
import { hermeticEnvironment, randomToken, startProduct, startStores } from './product.mjs'
import { createProgress } from './progress.mjs'

const progress = createProgress(process.stderr)
const { log } = progress
const processes = createProcesses({
  log,
  onUnexpectedExit: (one, { code, signal }) => void end(1, `${one.name} ended unexpectedly (${signal ?? code}).`),
})
const { end, isEnding } = endOnce({ stop: processes.stopAll, log, withParent: true })

try {
  await prepare(progress)
  const stores = await startStores(processes, { log })
  const adminToken = randomToken()
  const { url } = await startProduct(processes, {
    environment: hermeticEnvironment({
      DATABASE_URL: stores.databaseUrl,
      REDIS_URL: stores.redisUrl,
      DWELL_ADMIN_TOKEN: adminToken,
      DWELL_TEST_CLOCK: '1',
      DWELL_ALLOW_PRIVATE_WEBHOOKS: '1',
      DWELL_LOG_LEVEL: process.env.DWELL_LOG_LEVEL ?? 'info',
      SMTP_URL: process.env.SMTP_URL,
    }),
    onLine: (name, line) => log(`${name.padEnd(8)} ${line}`),
  })
  const ready = { url, admin_token: adminToken, redis_url: stores.redisUrl, database_url: stores.databaseUrl }
  process.stdout.write(`ready ${JSON.stringify(ready)}\n`)
} catch (error) {
  if (!isEnding()) await end(1, error instanceof Error ? error.message : String(error))
}
