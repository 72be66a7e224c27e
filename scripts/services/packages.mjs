// Programs that a package manager can bring, where we may use one.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const NO_START_FILE = '/usr/sbin/policy-rc.d'

/** The first of these programs that is on the PATH or in a usual place; undefined when none is. */
export function findProgram(names) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
  return names.flatMap((name) => folders.filter(Boolean).map((folder) => join(folder, name))).find(existsSync)
}

/** @param {string} name of the Debian package @returns {Promise<boolean>} false where it cannot be installed this way */
export async function installWithApt(name, log) {
  if (
    process.platform !== 'linux' ||
    process.getuid?.() !== 0 ||
    spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status !== 0
  )
    return false
  log(`Installing the package ${name}`)
  const install = ['-y', '-q', '-o', 'DPkg::Lock::Timeout=120', 'install', '--no-install-recommends', name]
  return withoutDaemon(async () => {
    if ((await apt(install, log)) === 0) return true
    // The lists of packages may be missing or out of date, as in a fresh container.
    await apt(['-q', '-o', 'DPkg::Lock::Timeout=120', 'update'], log)
    return (await apt(install, log)) === 0
  })
}

/** @param {string} name of the formula @returns {Promise<boolean>} */
export async function installWithBrew(name, log) {
  if (process.platform !== 'darwin' || spawnSync('brew', ['--version'], { stdio: 'ignore' }).status !== 0) return false
  log(`Installing the formula ${name}`)
  return (await run('brew', ['install', name], log, process.env)) === 0
}

/** A package may start a server of its own, for the whole machine; we only want the program. */
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
