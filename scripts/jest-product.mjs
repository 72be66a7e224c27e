// Before the first test of the web interface: the whole product under the test clock, a mail server, and a browser.
// Where DWELL_TEST_INSTANCE holds what `npm run serve:test` said when it was ready, that product is used; tests of mails want the
// address of its mail sink beside it, as `mail_url`.
import { existsSync } from 'node:fs'
import { startMailSink } from './mail-sink.mjs'
import { createProcesses } from './processes.mjs'
import { hermeticEnvironment, randomToken, startProduct, startStores } from './product.mjs'
import { chromiumProgram } from './services/chromium-program.mjs'
import { webEntry } from './web.mjs'

export default async function setUp() {
  if (globalThis.dwellProduct) return
  if (!existsSync(webEntry)) throw new Error('The web interface is not built: run `npm run build` first.')
  const log = (text) => process.stderr.write(`${text}\n`)
  const processes = createProcesses({
    log,
    onUnexpectedExit: (one, end) => log(`${one.name} ended in the middle of the tests: ${JSON.stringify(end)}`),
  })
  globalThis.dwellProduct = processes
  try {
    process.env.DWELL_TEST_CHROMIUM = await chromiumProgram(log)
    if (process.env.DWELL_TEST_INSTANCE) return
    const stores = await startStores(processes, { log })
    const mail = await startMailSink(processes)
    const adminToken = randomToken()
    const { url } = await startProduct(processes, {
      environment: hermeticEnvironment({
        DATABASE_URL: stores.databaseUrl,
        REDIS_URL: stores.redisUrl,
        DWELL_ADMIN_TOKEN: adminToken,
        DWELL_TEST_CLOCK: '1',
        DWELL_ALLOW_PRIVATE_WEBHOOKS: '1',
        DWELL_LOG_LEVEL: 'warn',
        SMTP_URL: mail.smtpUrl,
      }),
      onLine: (name, line) => log(`${name.padEnd(8)} ${line}`),
    })
    const instance = { url, admin_token: adminToken, redis_url: stores.redisUrl, mail_url: mail.url }
    process.env.DWELL_TEST_INSTANCE = JSON.stringify(instance)
  } catch (error) {
    await processes.stopAll()
    throw error
  }
}
