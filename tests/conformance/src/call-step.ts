import type { Answer } from './api'
import type { Step } from './case-file'
import { mismatch, shown } from './matching'
import { idOf } from './references'
import type { Scene } from './scene'

/** Reading is repeated for a while: what it shows may follow an event by a moment. */
const READ_AGAIN_MS = 3_000
const PAUSE_MS = 50

interface Expectation {
  readonly status?: unknown
  readonly body?: unknown
  readonly errors?: readonly string[]
  readonly headers?: unknown
}

/** `call`: any request. Returns what is wrong with its answer. */
export async function playCall(scene: Scene, step: Step): Promise<string | null> {
  const [method, path, body] = step.argument as [string, string, unknown?]
  const expectation = scene.references.resolve(step.expect ?? {}) as Expectation
  const until = performance.now() + (method === 'GET' ? READ_AGAIN_MS : 0)
  for (;;) {
    const sent = body === undefined ? undefined : scene.references.resolve(body)
    const answer = await scene.world.api.request(method, scene.pathOf(path), sent, scene.optionsOf(step))
    if (method === 'POST' && path === '//accounts' && answer.status < 300) scene.madeAccount(idOf(answer.body))
    if (step.as) scene.references.keep(step.as, answer.body)
    const wrong = wrongWith(answer, expectation)
    if (wrong === null) return null
    if (performance.now() >= until) return `${method} ${path}: ${wrong}`
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

/** `rule`: a new rule; its name is left to us where the case does not care. */
export function playRule(scene: Scene, step: Step): Promise<string | null> {
  const rule = { name: step.as ?? 'rule', ...(step.argument as object) }
  return playCall(scene, {
    ...step,
    verb: 'call',
    argument: ['POST', '/automation_rules', rule],
    expect: { status: 201, ...step.expect },
  })
}

function wrongWith(answer: Answer, { status = '2xx', body, errors = [], headers }: Expectation): string | null {
  const allowed = Array.isArray(status) ? status : [status]
  if (!allowed.some((one) => isStatus(one, answer.status))) {
    return `expected status ${allowed.join(' or ')}, got ${answer.status}: ${shown(answer.body)}`
  }
  if (body !== undefined) {
    const wrong = mismatch(body, answer.body)
    if (wrong !== null) return wrong
  }
  const faults = (answer.body as { errors?: { pointer?: unknown }[] } | undefined)?.errors ?? []
  for (const pointer of errors) {
    if (!faults.some((fault) => isAtOrBelow(String(fault.pointer), pointer))) {
      return `expected an error at or below ${pointer}, got ${shown(answer.body)}`
    }
  }
  return headers === undefined ? null : mismatch(headers, answer.headers, 'headers')
}

/** A fault may be told as precisely as the product can: of a condition, or of a key of it. */
function isAtOrBelow(actual: string, pointer: string): boolean {
  return actual === pointer || actual.startsWith(`${pointer}/`)
}

/** 201, "201" or a class of them, "2xx". */
function isStatus(allowed: unknown, status: number): boolean {
  const text = String(allowed)
  return text.endsWith('xx') ? text[0] === String(status)[0] : text === String(status)
}
