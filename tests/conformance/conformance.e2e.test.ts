import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Case, readCases } from './src/case-file'
import { playCase } from './src/player'
import { openStage, type Stage } from './src/stage'

const ROOT = join(__dirname, '..', '..')

/** What is played here: files of tests/cases, area by area. */
const PLAYED: Readonly<Record<string, readonly string[]>> = {
  'rules.json': ['episodes', 'arming', 'claim', 'sweep', 'guards', 'loops', 'lifecycle', 'pause', 'api'],
}
/** Cases of those areas that are not expected to pass yet, each with its reason. */
const NOT_YET: Readonly<Record<string, string>> = {}

const START_LIMIT_MS = 300_000
const CASE_LIMIT_MS = 60_000

const fileOf = (name: string) => join(ROOT, 'tests', 'cases', name)
const playable = Object.entries(PLAYED).flatMap(([file, areas]) =>
  readCases([fileOf(file)]).filter(({ area, id, steps }) => steps && areas.includes(area) && !(id in NOT_YET)),
)

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ project: ROOT })
}, START_LIMIT_MS)
afterAll(async () => {
  // Stopping cleanly, with nothing left behind, is part of the contract.
  expect(await stage.close()).toBeNull()
}, START_LIMIT_MS)

describe('cases', () => {
  test.each(playable.map((one): [string, string, Case] => [one.id, one.then, one]))(
    '%s: %s',
    async (_id, _then, one) => {
      expect(await playCase(stage.world, one)).toBeNull()
    },
    CASE_LIMIT_MS,
  )
})

describe('the player itself', () => {
  test(
    'reports exactly the case of which an expectation was changed, and ends with 1',
    async () => {
      // Cheap ones: what is changed is looked at once, not waited for.
      const ids = ['AP-02', 'AP-20', 'CS-01']
      const cases = (JSON.parse(readFileSync(fileOf('rules.json'), 'utf8')) as { id: string }[]).filter(({ id }) =>
        ids.includes(id),
      )
      const untouched = await runPlayer(cases)
      expect(untouched).toEqual({ code: 0, lines: ['3 passed, 0 failed, 0 not playable'] })

      const changed = JSON.parse(JSON.stringify(cases).replace('"enqueued":2', '"enqueued":3'))
      const played = await runPlayer(changed)
      expect(played.lines).toEqual([
        expect.stringMatching(/^FAIL CS-01 \[sweep\] step \d+ \(sweep\): summary\.enqueued: expected 3, got 2$/),
        '2 passed, 1 failed, 0 not playable',
      ])
      expect(played.code).toBe(1)
    },
    CASE_LIMIT_MS,
  )
})

/** `npm run conformance` on a file of these cases, against the instance that runs already. */
async function runPlayer(cases: unknown): Promise<{ code: number | null; lines: string[] }> {
  const directory = mkdtempSync(join(tmpdir(), 'dwell-cases-'))
  try {
    const file = join(directory, 'cases.json')
    writeFileSync(file, JSON.stringify(cases))
    const args = [join(ROOT, 'scripts', 'conformance.mjs'), file, '--at', JSON.stringify(stage.instance)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return { code, lines: output.split('\n').filter((line) => line !== '') }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
