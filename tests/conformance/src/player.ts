import { playCall, playRule } from './call-step'
import type { Case, Step } from './case-file'
import { type Check, checkOf } from './check-step'
import { playEvents, playRaw } from './event-step'
import type { HookScript } from './hook-receiver'
import type { MailScript } from './mail-catcher'
import { mismatch } from './matching'
import { Scene, type World } from './scene'

export interface Patience {
  /** For so long something may take to become true. */
  readonly forMs: number
  /** So long after it became true it must still be true. */
  readonly settledAfterMs: number
}

const DEFAULT_PATIENCE: Patience = { forMs: 10_000, settledAfterMs: 150 }
const LOOK_AGAIN_MS = 20

/** Plays one case from its beginning to its end. Returns what went wrong, in one line; null when nothing did. */
export async function playCase(world: World, played: Case, patience = DEFAULT_PATIENCE): Promise<string | null> {
  let scene: Scene | undefined
  let wrong: string | null = null
  try {
    scene = await Scene.begin(world)
    wrong = await playSteps(scene, played.steps ?? [], patience)
  } catch (error) {
    wrong = `before its first step: ${messageOf(error)}`
  }
  try {
    await scene?.end()
  } catch (error) {
    wrong ??= `after its last step: ${messageOf(error)}`
  }
  return wrong
}

async function playSteps(scene: Scene, steps: readonly Step[], patience: Patience): Promise<string | null> {
  for (let position = 0; position < steps.length; position++) {
    const checks: { check: Check; name: string }[] = []
    for (let step = steps[position]; step; step = steps[++position]) {
      const check = checkOf(scene, step)
      if (!check) break
      checks.push({ check, name: nameOf(step, position) })
    }
    // Neighbouring checks settle together: nothing happens between them that could disturb the earlier ones.
    const unmet = await untilMet(checks, patience)
    if (unmet !== null) return unmet
    const step = steps[position]
    if (!step) return null
    const wrong = await playStep(scene, step).catch(messageOf)
    if (wrong !== null) return `${nameOf(step, position)}: ${wrong}`
  }
  return null
}

async function untilMet(
  checks: readonly { check: Check; name: string }[],
  { forMs, settledAfterMs }: Patience,
): Promise<string | null> {
  const look = ({ check }: { check: Check }) => check().catch(messageOf)
  for (const one of checks) {
    const until = performance.now() + forMs
    for (let wrong = await look(one); wrong !== null; wrong = await look(one)) {
      if (performance.now() >= until) return `${one.name}: ${wrong}`
      await pause(LOOK_AGAIN_MS)
    }
  }
  if (checks.length > 0) await pause(settledAfterMs)
  for (const one of checks) {
    const wrong = await look(one)
    if (wrong !== null) return `${one.name}: held for a moment only: ${wrong}`
  }
  return null
}

async function playStep(scene: Scene, step: Step): Promise<string | null> {
  switch (step.verb) {
    case 'clock':
      await scene.setClock(String(step.argument))
      return null
    case 'rule':
      return playRule(scene, step)
    case 'call':
      return playCall(scene, step)
    case 'event':
    case 'events':
      await playEvents(scene, step)
      return null
    case 'raw':
      await playRaw(scene, step)
      return null
    case 'sweep':
      return playSweep(scene, step)
    case 'smtp':
      scene.world.mail.script.add(scene.references.resolve(step.argument) as MailScript)
      return null
    case 'webhook':
      scene.world.hooks.script.add(scene.references.resolve(step.argument) as HookScript)
      return null
    default:
      return null
  }
}

/** At an instant, at the clock's time (`true`), or with a body of its own. */
async function playSweep(scene: Scene, { argument, expect }: Step): Promise<string | null> {
  if (typeof argument === 'string') await scene.setClock(argument)
  const body = typeof argument === 'object' && argument !== null ? scene.references.resolve(argument) : {}
  const answer = (await scene.world.api.must('POST', '/sweeps', body)) as { payload?: unknown } | undefined
  return expect === undefined ? null : mismatch(scene.references.resolve(expect), answer?.payload ?? answer, 'summary')
}

function nameOf(step: Step, position: number): string {
  return `step ${position + 1} (${step.verb})`
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
