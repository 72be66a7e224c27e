// The web interface: its types out of docs/openapi.json, and its build.

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandFailed, ROOT, run } from './command.mjs'

const WEB = join(ROOT, 'apps', 'web')
const OPENAPI = join(ROOT, 'docs', 'openapi.json')
const TYPES = join(WEB, 'src', 'generated', 'openapi.d.ts')
const TYPES_MARK = join(WEB, 'src', 'generated', '.made-from')
const BUILT = join(WEB, 'dist')
const BUILT_MARK = join(BUILT, '.made-from')

/** The one page of the interface, built. */
export const webEntry = join(BUILT, 'index.html')

/** Writes the types of the API, unless they are made from the document as it is. */
export async function generateApiTypes() {
  const source = digest([OPENAPI])
  if (isMadeFrom(TYPES_MARK, source) && existsSync(TYPES)) return
  await runIn(WEB, [programOf('openapi-typescript', 'bin/cli.js'), OPENAPI, '--output', TYPES, '--root-types'])
  writeFileSync(TYPES_MARK, source)
}

/** Whether the pages stand there as their sources say. */
export function webIsBuilt() {
  return isMadeFrom(BUILT_MARK, digest(sources()))
}

/** Builds the pages. Their types are checked elsewhere (`npm run check`). */
export async function buildWeb() {
  const source = digest(sources())
  await runIn(WEB, [programOf('vite', 'bin/vite.js'), 'build', '--logLevel', 'warn'])
  writeFileSync(BUILT_MARK, source)
}

function sources() {
  const contracts = join(ROOT, 'packages', 'contracts', 'src')
  return [
    ...['index.html', 'package.json', 'tsconfig.json', 'vite.config.ts'].map((name) => join(WEB, name)),
    ...[join(WEB, 'src'), join(WEB, 'public'), contracts].flatMap(filesBelow),
    join(ROOT, 'package-lock.json'),
  ]
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile() && !file.endsWith('.test.ts'))
    .sort()
}

function isMadeFrom(mark, source) {
  return existsSync(mark) && readFileSync(mark, 'utf8') === source
}

function digest(files) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(file.slice(ROOT.length)).update(readFileSync(file))
  return hash.digest('hex')
}

/** A program of the workspace's own packages, or of those of the root. */
function programOf(name, path) {
  const file = [WEB, ROOT].map((folder) => join(folder, 'node_modules', name, path)).find((one) => existsSync(one))
  if (file === undefined) throw new Error(`${name} is not installed`)
  return file
}

async function runIn(cwd, args) {
  const { code, output } = await run(process.execPath, args, { cwd })
  if (code !== 0) throw new CommandFailed(args.join(' '), code, output)
}
