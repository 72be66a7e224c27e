// Runs one command to its end.
import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The root of the checkout. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Whether a module is the one that Node was started with. */
export function isMain(url) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(url)
}

/** A program of node_modules, as arguments for Node: no shell, no PATH. */
export const PROGRAMS = {
  biome: 'node_modules/@biomejs/biome/bin/biome',
  jest: 'node_modules/jest/bin/jest.js',
  knip: 'node_modules/knip/bin/knip.js',
  prisma: 'node_modules/prisma/build/index.js',
  tsc: 'node_modules/typescript/bin/tsc',
  turbo: 'node_modules/turbo/bin/turbo',
}

/** Tools that report home or ask for updates are told not to; their output is read by us first, so it is plain. */
const QUIET = {
  TURBO_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
  CHECKPOINT_DISABLE: '1',
  NO_UPDATE_NOTIFIER: '1',
  NO_COLOR: '1',
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{env?: Record<string, string | undefined>, cwd?: string, show?: NodeJS.WritableStream, showErrors?: NodeJS.WritableStream, signal?: AbortSignal}} [options]
 *   `show` gets everything it writes as it is written, `showErrors` only what goes to standard error
 * @returns {Promise<{code: number | null, output: string}>} never rejects because of the command's failure
 */
export function run(command, args, { env, cwd = ROOT, show, showErrors = show, signal } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...QUIET, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal ? { signal } : {}),
    })
    let output = ''
    const pass = (shown) => (chunk) => {
      output += chunk
      shown?.write(chunk)
    }
    child.stdout.on('data', pass(show))
    child.stderr.on('data', pass(showErrors))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}

/** As `run`, for a program of node_modules; a failure is an error that carries the output. */
export async function runProgram(name, args, options) {
  const { code, output } = await run(process.execPath, [PROGRAMS[name], ...args], options)
  if (code !== 0) throw new CommandFailed(`${name} ${args.join(' ')}`, code, output)
  return output
}

export class CommandFailed extends Error {
  constructor(what, code, output) {
    super(`${what} ended with ${code}:\n${lastLines(output, 40)}`)
    this.name = 'CommandFailed'
    this.output = output
  }
}

function lastLines(text, count) {
  return text.trimEnd().split('\n').slice(-count).join('\n')
}
