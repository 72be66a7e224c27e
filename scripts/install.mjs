// What a fresh checkout needs before anything else: packages, the generated client, the build.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandFailed, ROOT, run, runProgram } from './command.mjs'
import { buildWeb, generateApiTypes, webIsBuilt } from './web.mjs'

const OLDEST_NODE = [20, 19]
const LOCK = join(ROOT, 'package-lock.json')
const INSTALLED = join(ROOT, 'node_modules', '.package-lock.json')
/** Which lock file was installed: a checkout changes times, not contents. */
const INSTALLED_MARK = join(ROOT, 'node_modules', '.dwell-lock')
const CLIENT = join(ROOT, 'packages', 'database', 'src', 'generated')
const CLIENT_MARK = join(CLIENT, '.made-from')

/**
 * Installs and builds whatever is missing or out of date.
 *
 * @param {ReturnType<typeof import('./progress.mjs').createProgress>} progress
 * @param {{withBuild?: boolean}} [options]
 */
export async function prepare(progress, { withBuild = true } = {}) {
  requireNode()
  if (!packagesAreInstalled()) await progress.step('Installing packages', installPackages)
  if (!clientIsGenerated()) await progress.step('Generating the database client', generateClient)
  await generateApiTypes()
  if (!withBuild) return
  await progress.step('Building', build)
  if (!webIsBuilt()) await progress.step('Building the web interface', buildWeb)
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST_NODE
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return
  throw new Error(`Node ${process.versions.node} is too old: install Node ${OLDEST_NODE.join('.')} or newer.`)
}

function packagesAreInstalled() {
  if (!existsSync(INSTALLED)) return false
  if (existsSync(INSTALLED_MARK)) return readFileSync(INSTALLED_MARK, 'utf8') === digest([LOCK])
  return statSync(INSTALLED).mtimeMs >= statSync(LOCK).mtimeMs
}

async function installPackages() {
  // Nothing here needs an install script, and some would download from places that cannot be reached everywhere.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js') ? process.env.npm_execpath : undefined
  const { code, output } = npm ? await run(process.execPath, [npm, ...args]) : await run('npm', args)
  if (code !== 0) throw new CommandFailed('npm ci', code, output)
  writeFileSync(INSTALLED_MARK, digest([LOCK]))
}

function clientIsGenerated() {
  return existsSync(CLIENT_MARK) && readFileSync(CLIENT_MARK, 'utf8') === clientSource()
}

/** Writes the Prisma client into packages/database/src/generated. */
export async function generateClient() {
  // Generating needs no engine; naming one that exists keeps the program from downloading it.
  await runProgram('prisma', ['generate'], { env: { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath } })
  writeFileSync(CLIENT_MARK, clientSource())
}

function clientSource() {
  const folder = join(ROOT, 'prisma', 'schema')
  const files = readdirSync(folder).sort()
  return digest([...files.map((name) => join(folder, name)), join(ROOT, 'node_modules', 'prisma', 'package.json')])
}

/** The servers; the web interface is built by `buildWeb`. */
export async function build() {
  await runProgram('tsc', ['-b'])
}

function digest(files) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(file.slice(ROOT.length)).update(readFileSync(file))
  return hash.digest('hex')
}
