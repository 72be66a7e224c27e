// A server that outlived the program which started it (both that program and its keeper were killed) still holds its
// data. It is ended before a new one takes its place; a stale note of a process that is long gone is removed.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'

const PATIENCE_MS = 30_000

/**
 * @param {{pidFile: string, program: string, signal: NodeJS.Signals}} options the first line of the file is a process id;
 *   `program` is part of the command line of the right process, since ids are given out again
 */
export async function endLeftover({ pidFile, program, signal }) {
  if (!existsSync(pidFile)) return
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
  if (pid > 0 && commandOf(pid).includes(program)) {
    process.kill(pid, signal)
    for (const until = Date.now() + PATIENCE_MS; commandOf(pid).includes(program); ) {
      if (Date.now() > until)
        throw new Error(`The process ${pid} (${program}) of an earlier start does not end: end it by hand.`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  rmSync(pidFile, { force: true })
}

/** The command line of a process, empty when there is none (or it has ended and nobody has asked how). */
export function commandOf(pid) {
  if (process.platform === 'linux') {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    } catch {
      return ''
    }
  }
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? ''
}
