// Which Redis to use: the one on the PATH, else one that can be installed here, else a container.
import { spawnSync } from 'node:child_process'
import { findProgram, installWithApt, installWithBrew } from './packages.mjs'

const SERVERS = ['redis-server', 'valkey-server']
const IMAGE = 'redis:7'

/**
 * @param {(text: string) => void} log
 * @returns {Promise<{kind: 'program', path: string} | {kind: 'container', image: string}>}
 */
export async function redisProgram(log) {
  const path = findProgram(SERVERS)
  if (path) return { kind: 'program', path }
  log('Redis is missing')
  if ((await installWithApt('redis-server', log)) || (await installWithBrew('redis', log))) {
    const installed = findProgram(SERVERS)
    if (installed) return { kind: 'program', path: installed }
  }
  if (spawnSync('docker', ['info'], { stdio: 'ignore', timeout: 10_000 }).status === 0)
    return { kind: 'container', image: IMAGE }
  throw new Error(
    'No Redis was found: set REDIS_URL to one (version 7 or newer), or install the package redis-server and run this again.',
  )
}
