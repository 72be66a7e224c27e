import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Case, readCases } from './case-file'
import { playCase } from './player'
import { openStage } from './stage'

const ROOT = join(__dirname, '..', '..', '..')
const DEFAULT_FILE = join(ROOT, 'tests', 'cases', 'rules.json')

const USAGE = `npm run conformance -- [FILE.json …] [options]
  FILE.json          cases to play; tests/cases/rules.json unless given
  --only ID,ID       only these cases
  --area AREA,AREA   only cases of these areas
  --at '{"url": …, "admin_token": …, "redis_url": …}'
                     plays against an instance that runs already, under the test clock
  --smtp-port N      with --at: the port to which that instance sends its mail
  --verbose          a line for every case, with its time`

/**
 * Plays the cases and prints one line per failing one, then the totals.
 * Returns the exit code: 0 all passed, 1 some failed, 2 nothing could be played.
 */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        only: { type: 'string' },
        area: { type: 'string' },
        at: { type: 'string' },
        'smtp-port': { type: 'string' },
        verbose: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    })
    if (values.help) {
      console.log(USAGE)
      return 0
    }
    const cases = chosen(readCases(positionals.length > 0 ? positionals : [DEFAULT_FILE]), values)
    const stage = await openStage(
      values.at === undefined
        ? { project: ROOT }
        : { at: JSON.parse(values.at), smtpPort: Number(values['smtp-port'] ?? 0) },
    )
    const totals = { passed: 0, failed: 0, notPlayable: 0 }
    let complaint: string | null = null
    try {
      for (const one of cases) {
        if (!one.steps) {
          totals.notPlayable += 1
          continue
        }
        const begun = performance.now()
        const wrong = await playCase(stage.world, one)
        totals[wrong === null ? 'passed' : 'failed'] += 1
        if (wrong !== null) console.log(`FAIL ${one.id} [${one.area}] ${wrong.replaceAll('\n', ' ')}`)
        else if (values.verbose) console.log(`ok   ${one.id} ${Math.round(performance.now() - begun)} ms`)
      }
    } finally {
      complaint = await stage.close()
    }
    if (complaint !== null) console.log(`FAIL ${complaint}`)
    console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.notPlayable} not playable`)
    return totals.failed > 0 || complaint !== null ? 1 : 0
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 2
  }
}

/** Throws where a wish names nothing: a misspelt id must not look like success. */
function chosen(cases: readonly Case[], { only, area }: { only?: string; area?: string }): Case[] {
  const ids = only?.split(',')
  const areas = area?.split(',')
  for (const id of ids ?? []) if (!cases.some((one) => one.id === id)) throw new Error(`There is no case ${id}`)
  for (const name of areas ?? [])
    if (!cases.some((one) => one.area === name)) throw new Error(`There is no area ${name}`)
  return cases.filter((one) => (!ids || ids.includes(one.id)) && (!areas || areas.includes(one.area)))
}
