// A PostgreSQL server of our own, on the loopback address and a free port.
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../processes.mjs'
import { endLeftover } from './leftover.mjs'
import { postgresPrograms } from './postgres-programs.mjs'
import { canEnter, unprivilegedUser } from './unprivileged.mjs'

const USER = 'dwell'
const DATABASE = 'dwell'
const ATTEMPTS = 3

/** A server that is thrown away may forget everything in a power cut. */
const THROW_AWAY_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

/**
 * Starts a server. Its data lies in `directory` and is kept there; without one it goes with the processes.
 *
 * @param {ReturnType<typeof import('../processes.mjs').createProcesses>} processes
 * @param {{directory?: string, settings?: Record<string, string>, onLine?: (line: string) => void}} [options]
 * @returns {Promise<{url: string, port: number, directory: string, process: () => import('../processes.mjs').Running, restart: () => Promise<void>}>}
 */
export async function startPostgres(processes, { directory, settings = {}, onLine } = {}) {
  const user = unprivilegedUser()
  const programs = postgresPrograms(user)
  const home = directory ? persistentHome(directory, user) : throwAwayHome(processes, user)
  const data = join(home, 'data')
  const password = preparePassword(home, user)
  if (!existsSync(join(data, 'PG_VERSION'))) createCluster(programs, data, home, user, directory ? [] : ['--no-sync'])
  await endLeftover({ pidFile: join(data, 'postmaster.pid'), program: 'postgres', signal: 'SIGINT' })

  const allSettings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    lc_messages: 'C',
    ...(directory ? {} : THROW_AWAY_SETTINGS),
    ...settings,
  }
  const start = (port) =>
    processes.start({
      name: 'postgres',
      command: programs.postgres,
      args: [
        '-D',
        data,
        ...Object.entries({ port, ...allSettings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      // Neither PGDATA and its like nor the caller's locale may change what we start.
      env: { PATH: process.env.PATH, TZ: 'UTC' },
      cwd: home,
      ...(user ? { uid: user.uid, gid: user.gid } : {}),
      stage: 'service',
      stopSignal: 'SIGINT',
      readyLine: (line) => line.includes('database system is ready to accept connections'),
      ...(onLine ? { onLine } : {}),
    })

  let { running, port } = await startOnFreePort(start)
  return {
    url: `postgresql://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`,
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

/** Somebody else may take the port between our choice and its use. */
async function startOnFreePort(start) {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    try {
      return { running: await start(port), port }
    } catch (error) {
      if (attempt >= ATTEMPTS || !String(error).includes('Address already in use')) throw error
    }
  }
}

function throwAwayHome(processes, user) {
  const places = [undefined, '/tmp', '/var/tmp']
  for (const place of places) {
    const home = processes.temporaryDirectory(place)
    handOver(home, user)
    if (canEnter(user, home)) return home
    rmSync(home, { recursive: true, force: true })
  }
  throw new Error(
    `No temporary directory can be reached by the user ${user?.name}, who runs PostgreSQL: set TMPDIR to one that can.`,
  )
}

/** The wanted place, or where its owner cannot reach it, one below /var/lib that is noted there. */
function persistentHome(directory, user) {
  const note = join(directory, 'elsewhere')
  mkdirSync(directory, { recursive: true })
  const noted = existsSync(note) ? readFileSync(note, 'utf8').trim() : undefined
  if (noted && existsSync(noted)) return noted
  handOver(directory, user)
  if (canEnter(user, directory)) return directory
  const elsewhere = join('/var/lib/dwell', randomBytes(6).toString('hex'))
  mkdirSync(elsewhere, { recursive: true })
  chmodSync('/var/lib/dwell', 0o755)
  handOver(elsewhere, user)
  writeFileSync(note, `${elsewhere}\n`)
  return elsewhere
}

function handOver(path, user) {
  if (user) chownSync(path, user.uid, user.gid)
}

/** The password is made once and kept beside the data. */
function preparePassword(home, user) {
  const file = join(home, 'password')
  if (!existsSync(file)) {
    writeFileSync(file, randomBytes(18).toString('hex'), { mode: 0o600 })
    handOver(file, user)
  }
  return readFileSync(file, 'utf8')
}

function createCluster(programs, data, home, user, more) {
  const run = (provider) => {
    rmSync(data, { recursive: true, force: true })
    const args = [
      '-D',
      data,
      '-U',
      USER,
      '--pwfile',
      join(home, 'password'),
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      ...more,
      ...provider,
    ]
    const as = user ? { uid: user.uid, gid: user.gid } : {}
    return spawnSync(programs.initdb, args, {
      ...as,
      cwd: home,
      env: { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' },
      encoding: 'utf8',
    })
  }
  // The same order and letter case rules on every machine; before version 17 they have to come from the system.
  const first = run(['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'])
  if (first.status === 0) return
  const second = run(['--locale=C.UTF-8'])
  if (second.status === 0) return
  const third = run(['--locale=C'])
  if (third.status !== 0)
    throw new Error(`PostgreSQL could not create its data directory:\n${third.stderr || first.stderr || third.error}`)
}
