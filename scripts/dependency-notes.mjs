// Every direct dependency of every workspace stands in docs/dependencies.md with its licence, and nothing else does.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './command.mjs'

const DOCUMENT = 'docs/dependencies.md'

const noted = readNotes(readFileSync(join(ROOT, DOCUMENT), 'utf8'))
const used = new Set(
  manifests().flatMap(({ dependencies, devDependencies }) => Object.keys({ ...dependencies, ...devDependencies })),
)
const faults = []
for (const name of used) {
  if (name.startsWith('@dwell/')) continue
  const licence = JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')).license
  if (!noted.has(name)) faults.push(`${name} (${licence}) is not in ${DOCUMENT}`)
  else if (!noted.get(name).split(', ').includes(licence))
    faults.push(`${name} has the licence ${licence}, ${DOCUMENT} says ${noted.get(name)}`)
}
for (const name of noted.keys())
  if (!used.has(name)) faults.push(`${name} is in ${DOCUMENT}, but no workspace depends on it`)
if (faults.length > 0) {
  console.error(faults.join('\n'))
  process.exitCode = 1
}

/** Licence by package, from table rows such as: | `a`, `b` | why | MIT | */
function readNotes(text) {
  const rows = text.split('\n').flatMap((line) => {
    const [, names, , licence] = line.split('|').map((cell) => cell.trim())
    return names?.startsWith('`') ? [[names, licence]] : []
  })
  return new Map(
    rows.flatMap(([names, licence]) => [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => [name, licence])),
  )
}

function manifests() {
  const folders = ['packages', 'apps', 'examples'].flatMap((parent) =>
    readdirSync(join(ROOT, parent)).map((name) => join(ROOT, parent, name)),
  )
  return [ROOT, ...folders]
    .map((folder) => join(folder, 'package.json'))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')))
}
