import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Case, readCases } from './src/case-file'
import { PLAYED } from './src/played'
import { playCase } from './src/player'
import { openStage, type Stage } from './src/stage'

const ROOT = join(__dirname, '..', '..')
const CASES = join(ROOT, 'tests', 'cases')
/** Cheap ones: what is changed below is looked at once, not waited for. */
const IDS = ['AP-02', 'AP-20', 'CS-01']
const START_LIMIT_MS = 300_000
const PLAY_LIMIT_MS = 60_000

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ project: ROOT })
}, START_LIMIT_MS)
afterAll(async () => {
  // Stopping cleanly, with nothing left behind, is part of the contract.
  expect(await stage.close()).toBeNull()
}, START_LIMIT_MS)

describe('cases', () => {
  const playable = Object.entries(PLAYED).flatMap(([file, areas]) =>
    readCases([join(CASES, file)]).filter(({ area, steps }) => steps && areas.includes(area)),
  )

  test.each(playable.map((one): [string, string, Case] => [one.id, one.then, one]))(
    '%s: %s',
    async (_id, _then, one) => {
      expect(await playCase(stage.world, one)).toBeNull()
    },
    PLAY_LIMIT_MS,
  )
})

describe('the player', () => {
  const all: { id: string }[] = JSON.parse(readFileSync(join(CASES, 'rules.json'), 'utf8'))
  const cases = all.filter(({ id }) => IDS.includes(id))

  test(
    'ends with 0 where every case passes, and its last line is the totals',
    async () => {
      expect(await runPlayer(cases)).toEqual({ code: 0, lines: ['3 passed, 0 failed, 0 not playable'] })
    },
    PLAY_LIMIT_MS,
  )

  test(
    'reports exactly the case of which one expectation was changed, and ends with 1',
    async () => {
      const changed = JSON.parse(JSON.stringify(cases).replace('"enqueued":2', '"enqueued":3'))
      expect(await runPlayer(changed)).toEqual({
        code: 1,
        lines: [
          expect.stringMatching(/^FAIL CS-01 \[sweep\] step \d+ \(sweep\): summary\.enqueued: expected 3, got 2$/),
          '2 passed, 1 failed, 0 not playable',
        ],
      })
    },
    PLAY_LIMIT_MS,
  )

  test(
    'a case that nobody can play is counted as such',
    async () => {
      const { lines } = await runPlayer(all.filter(({ id }) => id === 'CS-03'))
      expect(lines).toEqual(['0 passed, 0 failed, 1 not playable'])
    },
    PLAY_LIMIT_MS,
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
