import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(__dirname, '..', '..')
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8')

/** Names of all metrics in the sources of the processes. */
function metricsInCode(): Set<string> {
  const folders = ['apps/ingest/src', 'apps/worker/src', 'apps/console/src', 'packages/runtime/src']
  const texts = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => read(folder, name)),
  )
  return new Set(texts.join('\n').match(/dwell_[a-z_]+/g))
}

const withoutSuffix = (name: string) => name.replace(/_(count|sum|bucket)$/, '')

test.each([
  ['the runbook', read('docs', 'runbook.md')],
  ['the alarms of the chart', read('docker', 'helm', 'templates', 'prometheus-rule.yaml')],
  ['the scaling of the chart', read('docker', 'helm', 'templates', 'scaled-objects.yaml')],
])('every metric that %s names is one that a process has', (_what, text) => {
  const known = metricsInCode()
  const named = new Set(text.match(/dwell_[a-z_]+/g))
  expect(named.size).toBeGreaterThan(0)
  expect([...named].filter((name) => !known.has(withoutSuffix(name)))).toEqual([])
})

test('every alarm of the chart is explained in the runbook', () => {
  const alarms = read('docker', 'helm', 'templates', 'prometheus-rule.yaml').matchAll(/- alert: (\w+)/g)
  const runbook = read('docs', 'runbook.md')
  const names = [...alarms].map(([, name]) => name ?? '')
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter((name) => !runbook.includes(name))).toEqual([])
})
