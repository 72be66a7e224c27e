import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { Redis } from 'ioredis'
import { waitFor } from './wait-for'

export interface OwnRedis {
  readonly url: string
  readonly port: number
  /** SIGKILL: nothing is written any more. */
  kill(): Promise<void>
  /** On the same port and data, after it was killed. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** A Redis server of the test's own, for tests that kill it or need another kind of server (cluster, sentinel). */
export async function startOwnRedis(
  options: {
    readonly args?: readonly string[]
    readonly port?: number
    /** A configuration file and mode that come before everything else, as for a sentinel. */
    readonly program?: readonly string[]
  } = {},
): Promise<OwnRedis> {
  const directory = mkdtempSync(join(tmpdir(), 'dwell-own-redis-'))
  const port = options.port ?? (await freePort())
  const store = options.program ? [] : ['--save', '', '--appendonly', 'yes']
  const own = [...(options.program ?? []), '--port', String(port), '--bind', '127.0.0.1', '--dir', directory, ...store]
  const url = `redis://127.0.0.1:${port}`
  let child = await start()

  async function start(): Promise<ChildProcess> {
    const started = spawn(redisProgram(), [...own, ...(options.args ?? [])], { stdio: 'ignore' })
    await waitFor(`Redis on port ${port}`, () => answersPing(url))
    return started
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await exited
  }

  return {
    url,
    port,
    kill: () => end('SIGKILL'),
    async restart() {
      child = await start()
    },
    async stop() {
      await end('SIGTERM')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** A port that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}

function redisProgram(): string {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
  for (const name of ['redis-server', 'valkey-server']) {
    const found = folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
    if (found) return found
  }
  throw new Error('This test starts a Redis of its own and needs redis-server on the PATH')
}

async function answersPing(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.ping()) === 'PONG'
  } finally {
    client.disconnect()
  }
}
