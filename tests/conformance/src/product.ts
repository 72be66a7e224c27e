import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** What `npm run serve:test` says when it is ready. */
export interface Instance {
  readonly url: string
  readonly admin_token: string
  readonly redis_url: string
}

export interface RunningProduct {
  readonly instance: Instance
  /** Resolves with a complaint when something was left behind. */
  stop(): Promise<string | null>
}

const READY_LIMIT_MS = 900_000
const STOP_LIMIT_MS = 30_000

/** Starts the product of a project by its own command, in a process group that is ours to end. */
export async function startProduct(project: string, smtpUrl: string): Promise<RunningProduct> {
  const child = spawn('npm', ['run', '-s', 'serve:test'], {
    cwd: project,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SMTP_URL: smtpUrl },
  })
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? code}`))
  })
  const { pid } = child
  const stop = async () => (pid === undefined ? null : stopGroup(pid))

  const ready = new Promise<Instance>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('ready {')) resolve(JSON.parse(line.slice('ready '.length)))
    })
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`it was not ready within ${READY_LIMIT_MS / 60_000} minutes`), READY_LIMIT_MS)
  })
  const outcome = await Promise.race([ready, exited, late])
  clearTimeout(timer)
  if (typeof outcome !== 'string') return { instance: outcome, stop }
  await stop()
  throw new Error(`npm run serve:test: ${outcome}`)
}

async function stopGroup(pid: number): Promise<string | null> {
  signalGroup(pid, 'SIGTERM')
  for (const until = performance.now() + STOP_LIMIT_MS; signalGroup(pid, 0); ) {
    if (performance.now() > until) {
      signalGroup(pid, 'SIGKILL')
      return `npm run serve:test left processes behind ${STOP_LIMIT_MS / 1_000} s after SIGTERM`
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return null
}

/** False when nobody of the group is left. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal)
    return true
  } catch {
    return false
  }
}
