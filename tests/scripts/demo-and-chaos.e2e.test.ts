import { spawn } from 'node:child_process'
import { join } from 'node:path'

const ROOT = join(__dirname, '..', '..')
const LIMIT_MS = 180_000

/** Runs a script of ours to its end. */
async function runScript(name: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(ROOT, 'scripts', name), ...args], { cwd: ROOT })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output }
}

test(
  'the demo plays every story as expected, in well under a minute',
  async () => {
    const { code, output } = await runScript('demo.mjs')
    const [, same, all, seconds] = /(\d+) of (\d+) as expected, played in ([\d.]+) s/.exec(output) ?? []
    expect({ code, same, wrong: output.match(/DIFFERS/g) }).toEqual({ code: 0, same: all, wrong: null })
    for (const story of ['1', '2', '3', '4', '5', '6', '7']) expect(output).toMatch(new RegExp(`^${story} `, 'm'))
    expect(Number(seconds)).toBeLessThan(60)
  },
  LIMIT_MS,
)

test(
  'a few kills while events flow lose nothing and repeat nothing',
  async () => {
    const { code, output } = await runScript(
      'chaos.mjs',
      ...['--seed', '7', '--kills', '3', '--events', '2000', '--conversations', '500'],
    )
    expect(output).toContain('everything as expected')
    expect(code).toBe(0)
  },
  LIMIT_MS,
)

test(
  'with a mail server on a bad day, a worker that is killed and members who leave, nobody gets a mail twice or after leaving',
  async () => {
    const { code, output } = await runScript(
      'chaos.mjs',
      ...['--automations', '--seed', '7', '--kills', '3', '--members', '150'],
    )
    expect(output).toContain('everything as expected')
    expect(code).toBe(0)
  },
  LIMIT_MS,
)
