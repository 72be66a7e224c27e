// Which Redis to use: the one on the PATH, else one that can be installed here, else a container.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const SERVERS = ['redis-server', 'valkey-server']
const IMAGE = 'redis:7'
const NO_START_FILE = '/usr/sbin/policy-rc.d'

/**
 * @param {(text: string) => void} log
 * @returns {Promise<{kind: 'program', path: string} | {kind: 'container', image: string}>}
 */
export async function redisProgram(log) {
  const path = findOnPath()
  if (path) return { kind: 'program', path }
  for (const install of [installWithApt, installWithBrew]) {
    if (await install(log)) {
      const installed = findOnPath()
      if (installed) return { kind: 'program', path: installed }
    }
  }
  if (spawnSync('docker', ['info'], { stdio: 'ignore', timeout: 10_000 }).status === 0)
    return { kind: 'container', image: IMAGE }
  throw new Error(
    'No Redis was found: set REDIS_URL to one (version 7 or newer), or install the package redis-server and run this again.',
  )
}

function findOnPath() {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
  return SERVERS.flatMap((name) => folders.filter(Boolean).map((folder) => join(folder, name))).find((file) =>
    existsSync(file),
  )
}

async function installWithApt(log) {
  if (
    process.platform !== 'linux' ||
    process.getuid?.() !== 0 ||
    spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status !== 0
  )
    return false
  log('Redis is missing: installing the package redis-server')
  const install = ['-y', '-q', '-o', 'DPkg::Lock::Timeout=120', 'install', '--no-install-recommends', 'redis-server']
  return withoutDaemon(async () => {
    if ((await apt(install, log)) === 0) return true
    // The lists of packages may be missing or out of date, as in a fresh container.
    await apt(['-q', '-o', 'DPkg::Lock::Timeout=120', 'update'], log)
    return (await apt(install, log)) === 0
  })
}

/** The package would start a server of its own, for the whole machine; we only want the program. */
async function withoutDaemon(install) {
  const ours = !existsSync(NO_START_FILE)
  if (ours) {
    writeFileSync(NO_START_FILE, '#!/bin/sh\nexit 101\n')
    chmodSync(NO_START_FILE, 0o755)
  }
  try {
    return await install()
  } finally {
    if (ours) rmSync(NO_START_FILE, { force: true })
  }
}

function apt(args, log) {
  return run('apt-get', args, log, { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' })
}

async function installWithBrew(log) {
  if (process.platform !== 'darwin' || spawnSync('brew', ['--version'], { stdio: 'ignore' }).status !== 0) return false
  log('Redis is missing: installing the formula redis')
  return (await run('brew', ['install', 'redis'], log, process.env)) === 0
}

function run(command, args, log, env) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        for (const line of String(chunk).split('\n')) if (/^(E:|W:|Setting up|Error)/.test(line)) log(line)
      })
    }
    child.once('error', () => resolve(-1))
    child.once('exit', resolve)
  })
}
