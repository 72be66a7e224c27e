import { compareTogether, type Difference } from './comparison'
import { type History, historyOf } from './history'
import type { Step } from './interpreter'
import { type Plan, planFor } from './plan'
import type { Product } from './product'
import type { Slot } from './timeline'

interface Found {
  timeline: readonly Slot[]
  plan: Plan
}

/** Candidates that are tried side by side; and how many are looked at before one counts as the smallest. */
const AT_ONCE = 80
const LOOKS = 800

/** A small history that still tells product and model apart, and where it does. */
export async function shrink(product: Product, found: Found): Promise<{ history: History; difference: Difference }> {
  let small = found
  for (let before = ''; before !== JSON.stringify(small); ) {
    before = JSON.stringify(small)
    small = await shrinkPlan(product, small)
    small = await shrinkTimeline(product, small)
  }
  const history = historyOf(small.plan, small.timeline)
  const plain = { ...history, steps: withoutUnused(history.steps) }
  for (const one of [plain, history]) {
    const [result] = await compareTogether(product, [one])
    if (result?.difference)
      return {
        history: { ...one, steps: one.steps.slice(0, result.difference.step + 1) },
        ...result,
        difference: result.difference,
      }
  }
  throw new Error('A difference vanished when it was looked at again: something else than the history makes it')
}

/** fast-check knows what is smaller; many candidates share the clock, so they are tried side by side. */
async function shrinkPlan(product: Product, { timeline, plan }: Found): Promise<Found> {
  const arbitrary = planFor(timeline.length)
  let smallest = plan
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false
    const candidates = arbitrary.shrink(smallest, undefined).take(LOOKS)
    let some: Plan[] = []
    const look = async () => {
      const next = await firstThatDiffers(product, timeline, some)
      some = []
      if (next === null) return false
      smallest = next
      return true
    }
    for (const candidate of candidates) {
      some.push(candidate.value)
      if (some.length < AT_ONCE) continue
      isSmaller = await look()
      if (isSmaller) break
    }
    if (!isSmaller && some.length > 0) isSmaller = await look()
  }
  return { timeline, plan: smallest }
}

async function firstThatDiffers(
  product: Product,
  timeline: readonly Slot[],
  plans: readonly Plan[],
): Promise<Plan | null> {
  const histories = plans.map((plan) => historyOf(plan, timeline))
  const results = await compareTogether(product, histories)
  return plans[results.findIndex(({ difference }) => difference !== null)] ?? null
}

async function shrinkTimeline(product: Product, found: Found): Promise<Found> {
  let smallest = found
  for (let i = found.timeline.length - 1; i >= 0; i -= 1) {
    for (const candidate of simpler(smallest, i)) {
      if ((await firstThatDiffers(product, candidate.timeline, [candidate.plan])) === null) continue
      smallest = candidate
      break
    }
  }
  return smallest
}

function simpler({ timeline, plan }: Found, i: number): Found[] {
  const slot = timeline[i]
  if (slot === undefined) return []
  const plain: Slot = { at: slot.at, killSwitch: null, whenDisabled: null, ending: 'nothing' }
  const replaced = (by: Slot) => ({ plan, timeline: timeline.with(i, by) })
  const removed = {
    timeline: timeline.toSpliced(i, 1),
    plan: {
      ...plan,
      commands: plan.commands.map((one) =>
        one.slot > i || (one.slot === i && i > 0) ? { ...one, slot: one.slot - 1 } : one,
      ),
    },
  }
  const isPlain = JSON.stringify(slot) === JSON.stringify(plain)
  return [
    ...(timeline.length > 1 ? [removed] : []),
    ...(isPlain ? [] : [replaced(plain), replaced({ ...plain, ending: slot.ending })]),
  ]
}

/** Without what is declared and never asked for. */
function withoutUnused(steps: readonly Step[]): Step[] {
  const text = JSON.stringify(steps.filter((step) => step.do !== 'declare'))
  return steps.filter((step) => step.do !== 'declare' || text.includes(`"${step.key}"`))
}

/** The history as a test that can be pasted into `regressions.int.test.ts`. */
export function asTest(name: string, history: History): string {
  return `test(${JSON.stringify(name)}, () => agree(${JSON.stringify(history, null, 2)}))`
}
