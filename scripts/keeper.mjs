// Outlives the program that started it, for one purpose: when that program is gone, however it went (even by SIGKILL),
// what it had started ends too and its temporary directories go. It reads one JSON object per line from standard input:
//   {"watch": {"pid", "signal", "graceMs", "stage"}} | {"unwatch": pid} | {"remove": directory} | {"forget": directory}
// The end of standard input is the end of that program. Started by processes.mjs.
import { readFileSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** Applications end before the stores that they use. */
const STAGES = ['application', 'service']

const watched = new Map()
const directories = new Set()

// Signals go to everybody in the terminal; the keeper goes by its input alone.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})

const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  const message = JSON.parse(line)
  if (message.watch) watched.set(message.watch.pid, message.watch)
  if (message.unwatch) watched.delete(message.unwatch)
  if (message.remove) directories.add(message.remove)
  if (message.forget) directories.delete(message.forget)
})
lines.on('close', async () => {
  for (const stage of STAGES) {
    await Promise.all([...watched.values()].filter((one) => one.stage === stage).map(end))
  }
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

async function end({ pid, signal, graceMs }) {
  send(pid, signal)
  for (const until = Date.now() + graceMs; alive(pid) && Date.now() < until; ) await pause(50)
  // The whole process group: a child of a child must not stay either.
  if (alive(pid)) send(-pid, 'SIGKILL')
}

function send(pid, signal) {
  try {
    process.kill(pid, signal)
  } catch {
    // It is gone already.
  }
}

/** A process that has ended counts as gone, even where nobody has asked how it ended. */
function alive(pid) {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
