// Every direct dependency of every workspace stands in docs/dependencies.md with its licence, and nothing else does.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './command.mjs'

const DOCUMENT = 'docs/dependencies.md'

const noted = readNotes(readFileSync(join(ROOT, DOCUMENT), 'utf8'))
const used = usedLicences()
const faults = []
for (const [name, licence] of used) {
  const note = noted.get(name)
  if (note === undefined) faults.push(`${name} (${licence}) is not in ${DOCUMENT}`)
  else if (!note.split(', ').includes(licence))
    faults.push(`${name}: the package says ${licence}, ${DOCUMENT} says ${note}`)
}
for (const name of noted.keys()) {
  if (!used.has(name)) faults.push(`${name} is in ${DOCUMENT}, but no workspace depends on it`)
}
if (faults.length > 0) {
  console.error(faults.join('\n'))
  process.exitCode = 1
}

/** Licence by package, from table rows such as: | `a`, `b` | why | MIT | */
function readNotes(text) {
  const rows = text.split('\n').flatMap((line) => {
    const [, names, , licence] = line.split('|').map((cell) => cell.trim())
    return names?.startsWith('`') ? [{ names, licence }] : []
  })
  return new Map(
    rows.flatMap(({ names, licence }) => [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => [name, licence])),
  )
}

/** Licence by package, of what the workspaces depend on, as the installed packages say. */
function usedLicences() {
  const folders = ['packages', 'apps', 'examples'].flatMap((parent) =>
    readdirSync(join(ROOT, parent)).map((name) => join(ROOT, parent, name)),
  )
  const licences = new Map()
  for (const folder of [ROOT, ...folders]) {
    if (!existsSync(join(folder, 'package.json'))) continue
    const { dependencies, devDependencies } = readJson(join(folder, 'package.json'))
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      if (!name.startsWith('@dwell/')) licences.set(name, licenceOf(name, [folder, ROOT]))
    }
  }
  return licences
}

function licenceOf(name, folders) {
  const manifest = folders
    .map((folder) => join(folder, 'node_modules', name, 'package.json'))
    .find((file) => existsSync(file))
  return manifest ? readJson(manifest).license : 'not installed'
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
