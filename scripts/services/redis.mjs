// A Redis server of our own, on the loopback address and a free port: append-only file, no eviction.
import { mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../processes.mjs'
import { endLeftover } from './leftover.mjs'
import { redisProgram } from './redis-program.mjs'

const ATTEMPTS = 3

/**
 * Starts a server. Its data lies in `directory` and is kept there; without one it goes with the processes.
 *
 * @param {ReturnType<typeof import('../processes.mjs').createProcesses>} processes
 * @param {{directory?: string, databases?: number, log: (text: string) => void, onLine?: (line: string) => void}} options
 * @returns {Promise<{url: string, port: number, directory: string, process: () => import('../processes.mjs').Running, restart: () => Promise<void>}>}
 */
export async function startRedis(processes, { directory, databases = 16, log, onLine }) {
  const program = await redisProgram(log)
  const home = directory ?? processes.temporaryDirectory()
  mkdirSync(home, { recursive: true })
  const pidFile = join(home, 'redis.pid')
  await endLeftover({ pidFile, program: 'redis-server', signal: 'SIGTERM' })

  const start = (port) =>
    processes.start({
      name: 'redis',
      ...commandFor(program, { home, port, pidFile, databases }),
      cwd: home,
      stage: 'service',
      readyProbe: () => answersPing(port),
      ...(onLine ? { onLine } : {}),
    })

  let { running, port } = await startOnFreePort(start)
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    directory: home,
    process: () => running,
    /** Starts it again on the same port and data, after it was killed. */
    async restart() {
      await running.stop()
      running = await start(port)
    },
  }
}

function commandFor(program, { home, port, pidFile, databases }) {
  const settings = [
    '--appendonly',
    'yes',
    '--maxmemory-policy',
    'noeviction',
    '--save',
    '',
    '--daemonize',
    'no',
    '--databases',
    String(databases),
  ]
  if (program.kind === 'program') {
    const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', home, '--pidfile', pidFile]
    return { command: program.path, args: [...own, ...settings] }
  }
  const mounts = ['-p', `127.0.0.1:${port}:6379`, '-v', `${home}:/data`]
  return {
    command: 'docker',
    args: ['run', '--rm', '--name', `dwell-redis-${port}`, ...mounts, program.image, 'redis-server', ...settings],
  }
}

/** Somebody else may take the port between our choice and its use. */
async function startOnFreePort(start) {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    try {
      return { running: await start(port), port }
    } catch (error) {
      if (attempt >= ATTEMPTS || !/in use|already allocated/i.test(String(error))) throw error
    }
  }
}

/** True when it answers PONG, i.e. listens and has loaded its file. */
function answersPing(port) {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    let answer = ''
    socket.setTimeout(1_000, () => socket.destroy())
    socket.on('connect', () => socket.write('PING\r\n'))
    socket.on('data', (chunk) => {
      answer += chunk
      socket.end()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer.startsWith('+PONG')))
  })
}
