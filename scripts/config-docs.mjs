// docs/config.md and .env.example, from the settings that the processes read.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ROOT } from './command.mjs'

const INTRODUCTION = `<!-- Made by \`npm run generate\` from packages/runtime/src/config.ts. Do not edit. -->

# Configuration

Every process is configured by its environment alone. An empty variable counts as not set. A bad value stops the process
with one report of all faults. A variable marked *secret* may be left out in favour of \`<VARIABLE>_FILE\`, the name of a
file that holds the value. Durations are written \`250ms\`, \`30s\`, \`5m\`, \`1h\` or \`3d\`; switches are \`1\` or \`0\`.
`

const EXAMPLE_INTRODUCTION = `# Made by \`npm run generate\` from packages/runtime/src/config.ts. Do not edit; copy it.
# Every variable is described in docs/config.md. What is commented out shows its default, or an example.
`

/** @returns {Map<string, string>} contents by path; needs the build */
export function configDocuments() {
  const require = createRequire(import.meta.url)
  const { settingsByProcess } = require(join(ROOT, 'packages/runtime/dist/config.js'))
  const settings = mergeByVariable(settingsByProcess)
  return new Map([
    ['docs/config.md', markdown(settings, settingsByProcess)],
    ['.env.example', example(settings)],
  ])
}

/** Each variable once, with the processes that read it. */
function mergeByVariable(settingsByProcess) {
  const merged = new Map()
  for (const [process, settings] of Object.entries(settingsByProcess)) {
    for (const setting of Object.values(settings)) {
      const known = merged.get(setting.variable) ?? { ...setting, processes: [] }
      known.processes.push(process)
      merged.set(setting.variable, known)
    }
  }
  return [...merged.values()]
}

function markdown(settings, settingsByProcess) {
  const processes = Object.keys(settingsByProcess)
  const groups = new Map()
  for (const setting of settings) {
    const readers = setting.processes.filter((name) => name !== 'migrate')
    const title = readers.length < processes.length - 1 ? `Only ${readers.join(' and ')}` : 'All processes'
    groups.set(title, [...(groups.get(title) ?? []), setting])
  }
  const sections = [...groups].map(([title, members]) => {
    const rows = members.map((setting) => `| \`${setting.variable}\` | ${valueColumn(setting)} | ${about(setting)} |`)
    return [`## ${title}`, '', '| variable | default | meaning |', '|---|---|---|', ...rows].join('\n')
  })
  const migrate = Object.values(settingsByProcess.migrate).map((setting) => `\`${setting.variable}\``)
  const closing = `The migration job reads ${migrate.join(', ')}. Processes: ${processes.join(', ')}.`
  return `${[INTRODUCTION, ...sections.map((section) => `${section}\n`), closing].join('\n')}\n`
}

function valueColumn(setting) {
  if (setting.required) return '*required*'
  return setting.default === undefined ? '' : `\`${setting.default}\``
}

function about(setting) {
  const sample = setting.example ? ` Example: \`${setting.example}\`` : ''
  return `${setting.about}${sample}${setting.secret ? ' *Secret.*' : ''}`.replaceAll('|', '\\|')
}

function example(settings) {
  const entries = settings.map((setting) => {
    const value = setting.default ?? setting.example ?? ''
    const line = `${setting.variable}=${/[\s#<>]/.test(value) ? JSON.stringify(value) : value}`
    return `\n# ${setting.about.replaceAll('`', '')}\n${setting.required ? line : `#${line}`}\n`
  })
  return EXAMPLE_INTRODUCTION + entries.join('')
}
