import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { waitFor } from '@dwell/testing/wait-for'
import { Redis } from 'ioredis'

interface Started {
  readonly pids: readonly number[]
  readonly directories: readonly string[]
  readonly databaseUrl: string
  readonly redisUrl: string
}

const owners: ChildProcess[] = []
let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'dwell-leftovers-'))
})
afterEach(async () => {
  for (const owner of owners.splice(0)) await end(owner, 'SIGTERM')
  rmSync(home, { recursive: true, force: true })
})

async function startOwner(directory?: string): Promise<{ owner: ChildProcess; started: Started }> {
  const args = [join(__dirname, 'owner.mjs'), ...(directory ? [directory] : [])]
  const owner = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  owners.push(owner)
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: owner.stdout }).once('line', resolve)
    owner.once('exit', (code) => reject(new Error(`the owner ended with ${code}`)))
  })
  return { owner, started: JSON.parse(line) }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await exited
}

/** An ended process whose parent has not asked for it yet counts as ended. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

const keeperOf = (owner: ChildProcess): number[] =>
  process.platform === 'linux'
    ? readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .filter((name) => {
          try {
            const parent = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1]
            return Number(parent) === owner.pid && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('keeper.mjs')
          } catch {
            return false
          }
        })
        .map(Number)
    : []

describe('servers that a script has started', () => {
  test('end with it in good order, and nothing of them stays', async () => {
    const { owner, started } = await startOwner()
    expect(started.pids.every(isAlive)).toBe(true)
    await end(owner, 'SIGTERM')
    expect(started.pids.filter(isAlive)).toEqual([])
    expect(started.directories.filter((directory) => existsSync(directory))).toEqual([])
  }, 60_000)

  test('end although the script was killed without warning', async () => {
    const { owner, started } = await startOwner()
    await end(owner, 'SIGKILL')
    await waitFor('the servers to end', () => !started.pids.some(isAlive), { limitMs: 30_000 })
    await waitFor('their data to go', () => !started.directories.some((directory) => existsSync(directory)))
  }, 60_000)

  test('keep their data where it is to be kept', async () => {
    const first = await startOwner(home)
    const writer = new Redis(first.started.redisUrl)
    await writer.set('kept', 'yes')
    writer.disconnect()
    await end(first.owner, 'SIGTERM')

    const second = await startOwner(home)
    const reader = new Redis(second.started.redisUrl)
    expect(await reader.get('kept')).toBe('yes')
    reader.disconnect()
    // The password is part of the data: programs that know the URL but for its port still get in.
    expect(new URL(second.started.databaseUrl).password).toBe(new URL(first.started.databaseUrl).password)
  }, 60_000)

  test('that outlived everything that could end them do not keep the next start from the data', async () => {
    const first = await startOwner(home)
    for (const pid of keeperOf(first.owner)) process.kill(pid, 'SIGKILL')
    await end(first.owner, 'SIGKILL')
    const orphans = first.started.pids.filter(isAlive)
    expect(orphans).toHaveLength(process.platform === 'linux' ? 2 : orphans.length)

    const second = await startOwner(home)
    expect(orphans.filter(isAlive)).toEqual([])
    const reader = new Redis(second.started.redisUrl)
    expect(await reader.ping()).toBe('PONG')
    reader.disconnect()
  }, 60_000)
})
