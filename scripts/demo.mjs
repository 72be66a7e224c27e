// npm run demo — the stories that delayed automations were made for, on real processes under the test clock, with e-mails
// through a real mail server.
// One table; the exit code is 0 only when everything came out as expected.
import { endOnce } from './ending.mjs'
import { prepare } from './install.mjs'
import { startMailSink } from './mail-sink.mjs'
import { createProcesses } from './processes.mjs'
import { hermeticEnvironment, randomToken, startProduct, startStores } from './product.mjs'
import { createProgress } from './progress.mjs'
import { table } from './table.mjs'

const progress = createProgress(process.stdout)
const { log } = progress
const processes = createProcesses({
  log,
  onUnexpectedExit: (one, { code, signal }) => void end(1, `${one.name} ended unexpectedly (${signal ?? code}).`),
})
const { end, isEnding } = endOnce({ stop: processes.stopAll, log })

try {
  await prepare(progress)
  const product = await progress.step('Starting Postgres, Redis, a mail server, console, ingest and worker', startAll)
  const began = performance.now()
  const rows = await playAll(product)
  log('')
  for (const line of table(['story', 'expected', 'got', ''], rows)) log(line)
  const wrong = rows.filter((row) => row.at(-1) !== 'ok').length
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  log(`\n${rows.length - wrong} of ${rows.length} as expected, played in ${seconds} s`)
  await end(wrong === 0 ? 0 : 1)
} catch (error) {
  if (!isEnding()) await end(1, error instanceof Error ? error.message : String(error))
}

async function startAll() {
  const [{ databaseUrl, redisUrl }, mailSink] = await Promise.all([
    startStores(processes, { log }),
    startMailSink(processes),
  ])
  const adminToken = randomToken()
  const environment = hermeticEnvironment({
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    DWELL_ADMIN_TOKEN: adminToken,
    DWELL_TEST_CLOCK: '1',
    DWELL_LOG_LEVEL: 'warn',
    SMTP_URL: mailSink.smtpUrl,
  })
  const { url } = await startProduct(processes, { environment, onLine: (name, text) => log(`${name}: ${text}`) })
  return { url, adminToken, redisUrl, mailUrl: mailSink.url }
}

/** A story that breaks down is a line of the table like any other. */
async function playAll(product) {
  // Only now: on a fresh checkout the packages that these use were not there before.
  const { connectOutside } = await import('./outside.mjs')
  const { STORIES } = await import('./demo/stories.mjs')
  const { WELCOME_STORIES } = await import('./demo/welcome-stories.mjs')
  const outside = connectOutside(product)
  const rows = []
  try {
    for (const { title, play } of [...STORIES, ...WELCOME_STORIES]) {
      const lines = await play(outside, product.mailUrl).catch((error) => [
        { expected: 'the story plays', got: error.message },
      ])
      lines.forEach(({ expected, got }, index) => {
        rows.push([index === 0 ? title : '', expected, got, expected === got ? 'ok' : 'DIFFERS'])
      })
    }
  } finally {
    outside.close()
  }
  return rows
}
