import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { openQueue } from '@dwell/queues/queue-connection'
import { createLogger } from '@dwell/runtime/logger'
import { closeRedis, connectRedis } from '@dwell/runtime/redis'
import { parseRedisUrl } from '@dwell/runtime/redis-url'
import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'

const MAIN = join(__dirname, '..', 'dist', 'main.js')
const TOKEN = 'admin-token-of-the-process-test'
const stores = useStores()
const logger = createLogger({ process: 'test', level: 'error', format: 'text' })

interface Running {
  readonly child: ChildProcess
  readonly lines: string[]
}

function start(environment: Record<string, string>): Running {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    let rest = ''
    stream?.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n')
      rest = parts.pop() ?? ''
      lines.push(...parts)
    })
  }
  return { child, lines }
}

const good = (): Record<string, string> => ({
  DATABASE_URL: stores.databaseUrl,
  REDIS_URL: stores.redisUrl,
  DWELL_ADMIN_TOKEN: TOKEN,
  CONSOLE_PORT: '0',
  DWELL_BIND_ADDRESS: '127.0.0.1',
})

async function listening({ child, lines }: Running): Promise<string> {
  for (;;) {
    const line = lines.find((text) => text.includes('"console.listening"'))
    if (line !== undefined) return `http://127.0.0.1:${JSON.parse(line).address.port}`
    if (child.exitCode !== null) throw new Error(lines.join('\n'))
    await Promise.race([once(child.stdout ?? child, 'data'), once(child, 'exit')])
  }
}

test('the process serves, and on SIGTERM answers what is under way, takes no more and ends with 0', async () => {
  const redis = connectRedis(parseRedisUrl(stores.redisUrl), { purpose: 'producing', name: 'test', logger })
  const queue = openQueue('sweep', redis)
  const running = start(good())
  try {
    const url = await listening(running)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
    const created = await fetch(`${url}/api/v1/accounts`, { method: 'POST', headers, body: '{"name":"x"}' })
    expect(created.status).toBe(201)
    // No worker runs: this one waits for a sweep that nobody makes.
    const waiting = fetch(`${url}/api/v1/sweeps`, { method: 'POST', headers })
    await waitFor('the sweep to be asked for', async () => (await queue.count()) === 1)
    const began = performance.now()
    running.child.kill('SIGTERM')
    expect(await (await waiting).json()).toMatchObject({ status: 503, code: 'unavailable' })
    expect(await once(running.child, 'exit')).toEqual([0, null])
    expect(performance.now() - began).toBeLessThan(5_000)
    await expect(fetch(`${url}/livez`)).rejects.toThrow()
    expect(running.lines.filter((line) => line.includes('shutdown.lingered'))).toEqual([])
  } finally {
    running.child.kill('SIGKILL')
    await queue.close()
    await closeRedis(redis)
  }
}, 60_000)

test('without anything under way it ends at once, and with 0', async () => {
  const running = start(good())
  try {
    const url = await listening(running)
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    running.child.kill('SIGTERM')
    expect(await once(running.child, 'exit')).toEqual([0, null])
  } finally {
    running.child.kill('SIGKILL')
  }
}, 30_000)

test('a faulty environment ends the process with one report of all faults, and without the secrets', async () => {
  const { child, lines } = start({ ...good(), DATABASE_URL: 'mysql://root:hush@db/x', CONSOLE_PORT: 'many' })
  expect(await once(child, 'exit')).toEqual([1, null])
  const report = lines.join('\n')
  expect(report).toContain('DATABASE_URL')
  expect(report).toContain('CONSOLE_PORT')
  expect(report).not.toContain('hush')
}, 30_000)
