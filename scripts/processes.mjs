// Starting, watching and ending processes: the same way for start, serve:test, test, demo and chaos.
import { spawn } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const KEPT_LINES = 40

/**
 * @typedef {object} ProcessOptions
 * @property {string} name unique among the running ones; stands before its lines
 * @property {string} command
 * @property {string[]} [args]
 * @property {Record<string, string | undefined>} [env] the whole environment
 * @property {string} [cwd]
 * @property {number} [uid]
 * @property {number} [gid]
 * @property {'application' | 'service'} [stage] services end after all applications
 * @property {NodeJS.Signals} [stopSignal] SIGTERM unless given
 * @property {number} [graceMs] after this time without an end comes SIGKILL
 * @property {(line: string) => void} [onLine] every line that it writes
 * @property {(line: string) => boolean} [readyLine] with it, `start` waits for such a line
 * @property {(signal: AbortSignal) => Promise<boolean>} [readyProbe] with it, `start` asks until it answers true
 * @property {number} [readyWithinMs]
 *
 * @typedef {object} Running
 * @property {string} name
 * @property {number} pid
 * @property {Promise<{code: number | null, signal: string | null}>} exited
 * @property {() => boolean} isRunning
 * @property {() => string[]} lastLines
 * @property {() => Promise<void>} stop ends it in good order and waits
 * @property {(signal?: NodeJS.Signals) => Promise<void>} kill ends it the hard way and waits; not reported as unexpected
 */

/**
 * A set of processes that end together. Each runs in a process group of its own, so a signal to the terminal or to our
 * group reaches only us and we end the others in order: applications first, then the services they use.
 *
 * @param {{log: (text: string) => void, onUnexpectedExit?: (process: Running, end: {code: number | null, signal: string | null}) => void}} options
 */
export function createProcesses({ log, onUnexpectedExit }) {
  /** @type {Map<number, Running & {stage: string}>} */
  const running = new Map()
  const directories = new Set()
  let keeper
  let stopping

  function tellKeeper(message) {
    keeper ??= startKeeper()
    if (keeper.stdin.writable) keeper.stdin.write(`${JSON.stringify(message)}\n`)
  }

  /** @param {ProcessOptions} options @returns {Promise<Running>} */
  async function start(options) {
    if (stopping) throw new Error(`${options.name} is not started: everything is about to end`)
    const { name, command, args = [], stage = 'application', stopSignal = 'SIGTERM', graceMs = 30_000 } = options
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.gid }),
    })
    const exited = new Promise((resolve) => {
      child.once('error', (error) => resolve({ code: null, signal: null, error }))
      child.once('exit', (code, signal) => {
        // Its last words may still be on the way; a child of its own may keep the line open for ever.
        const end = { code, signal }
        const timer = setTimeout(() => resolve(end), 200)
        child.once('close', () => {
          clearTimeout(timer)
          resolve(end)
        })
      })
    })
    const lines = []
    const listeners = new Set()
    const onLine = (line) => {
      lines.push(line)
      if (lines.length > KEPT_LINES) lines.shift()
      options.onLine?.(line)
      for (const listener of listeners) listener(line)
    }
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', onLine)

    const { pid } = child
    if (pid === undefined) {
      const { error } = await exited
      throw new Error(`${name} cannot be started: ${error?.message ?? command}`)
    }
    // Until it is ready, an end is an answer to our caller and no surprise.
    let expected = true
    const endWith = async (signal, withinMs) => {
      expected = true
      if (!running.has(pid)) return
      sendSignal(pid, signal)
      if (await settlesWithin(exited, withinMs)) return
      log(`${name} did not end within ${withinMs / 1000} s and is killed`)
      sendSignal(-pid, 'SIGKILL')
      await exited
    }
    const one = {
      name,
      stage,
      pid,
      exited,
      isRunning: () => running.has(pid),
      lastLines: () => [...lines],
      stop: () => endWith(stopSignal, graceMs),
      kill: (signal = 'SIGKILL') => endWith(signal, graceMs),
    }
    running.set(pid, one)
    tellKeeper({ watch: { pid, signal: stopSignal, graceMs, stage } })
    void exited.then((end) => {
      running.delete(pid)
      tellKeeper({ unwatch: pid })
      if (!expected && !stopping) onUnexpectedExit?.(one, end)
    })

    await waitUntilReady(one, options, listeners)
    expected = false
    if (!one.isRunning()) throw new Error(`${name} ended at once`)
    return one
  }

  /** A directory that goes when everything ends, below `parent` or the system's own place. */
  function temporaryDirectory(parent = tmpdir()) {
    const directory = mkdtempSync(join(realpathSync(parent), 'dwell-'))
    directories.add(directory)
    tellKeeper({ remove: directory })
    return directory
  }

  async function endAll() {
    for (const stage of ['application', 'service']) {
      await Promise.all([...running.values()].filter((one) => one.stage === stage).map((one) => one.stop()))
    }
    for (const directory of directories) rmSync(directory, { recursive: true, force: true })
    if (keeper) {
      const gone = new Promise((resolve) => keeper.once('exit', resolve))
      for (const directory of directories) tellKeeper({ forget: directory })
      keeper.stdin.end()
      await gone
    }
  }

  /** Ends everything in order and waits for it. Every call answers the same promise. */
  function stopAll() {
    stopping ??= endAll()
    return stopping
  }

  return { start, stopAll, temporaryDirectory, isStopping: () => stopping !== undefined }
}

async function waitUntilReady(one, options, listeners) {
  const { readyLine, readyProbe, readyWithinMs = 60_000 } = options
  if (!readyLine && !readyProbe) return
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), readyWithinMs)
  const over = new Promise((resolve) => controller.signal.addEventListener('abort', () => resolve('timeout')))
  const ready = readyLine
    ? new Promise((resolve) => {
        for (const line of one.lastLines()) if (readyLine(line)) resolve('ready')
        listeners.add((line) => readyLine(line) && resolve('ready'))
      })
    : probe(readyProbe, controller.signal)
  const outcome = await Promise.race([ready, over, one.exited.then(() => 'ended')])
  clearTimeout(timer)
  controller.abort()
  listeners.clear()
  if (outcome === 'ready') return
  await one.kill()
  const what = outcome === 'ended' ? 'ended before it was ready' : `was not ready within ${readyWithinMs / 1000} s`
  throw new Error(
    [
      `${one.name} ${what}. Its last lines:`,
      ...one
        .lastLines()
        .slice(-15)
        .map((line) => `  ${line}`),
    ].join('\n'),
  )
}

async function probe(ask, signal) {
  while (!signal.aborted) {
    if (await ask(signal).catch(() => false)) return 'ready'
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return 'timeout'
}

function startKeeper() {
  const child = spawn(process.execPath, [fileURLToPath(new URL('keeper.mjs', import.meta.url))], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  child.stdin.on('error', () => {})
  return child
}

function sendSignal(pid, signal) {
  try {
    process.kill(pid, signal)
  } catch {
    // It is gone already.
  }
}

async function settlesWithin(promise, ms) {
  let timer
  const limit = new Promise((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const settled = await Promise.race([promise.then(() => true), limit])
  clearTimeout(timer)
  return settled
}

/** True when the URL answers 200. */
export function answersOk(url) {
  return async (signal) => (await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(3_000)]) })).ok
}

const handedOut = new Set()

/** A port of the loopback address that nobody listens on; never the same twice from one program. */
export async function freePort() {
  for (;;) {
    const port = await new Promise((resolve, reject) => {
      const server = createServer()
      server.once('error', reject)
      server.listen(0, '127.0.0.1', () => {
        const address = server.address()
        server.close(() => resolve(typeof address === 'object' ? address?.port : undefined))
      })
    })
    if (handedOut.has(port)) continue
    handedOut.add(port)
    return port
  }
}

/** Whether somebody could listen on this port of the loopback address right now. */
export function portIsFree(port) {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
