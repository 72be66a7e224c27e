import { compareTogether, type Difference } from './comparison'
import { type History, historyOf } from './history'
import type { Step } from './interpreter'
import { type Plan, planFor, type RulePlan } from './plan'
import type { Product } from './product'
import type { Slot } from './timeline'

interface Found {
  timeline: readonly Slot[]
  plan: Plan
}

/** Candidates that are tried side by side; and how many are looked at before one counts as the smallest. */
const AT_ONCE = 80
const LOOKS = 160

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

/** First whole commands and rules go, then single choices become plain, at last as fast-check would. Candidates share the clock. */
async function shrinkPlan(product: Product, { timeline, plan }: Found): Promise<Found> {
  const arbitrary = planFor(timeline.length)
  let smallest = plan
  for (;;) {
    const next =
      (await firstOf(product, timeline, shorter(smallest))) ??
      (await plainest(product, timeline, smallest)) ??
      (await firstOf(product, timeline, plainer(smallest, arbitrary.shrink(smallest, undefined).take(LOOKS))))
    if (next === null) return { timeline, plan: smallest }
    smallest = next
  }
}

function* shorter(plan: Plan): Generator<Plan> {
  for (let length = plan.commands.length; length >= 1; length = length === 1 ? 0 : Math.ceil(length / 2)) {
    for (let start = 0; start < plan.commands.length; start += length)
      yield { ...plan, commands: plan.commands.toSpliced(start, length) }
  }
  if (plan.rules.length > 1) for (const i of plan.rules.keys()) yield { ...plan, rules: plan.rules.toSpliced(i, 1) }
}

/** Without the context in which a plan was drawn fast-check may offer what is no smaller, and so without end. */
function* plainer(plan: Plan, candidates: Iterable<{ value: Plan }>): Generator<Plan> {
  const text = JSON.stringify(plan)
  for (const { value } of candidates) {
    const other = JSON.stringify(value)
    if (other.length < text.length || (other.length === text.length && other < text)) yield value
  }
}

/** All choices plain that can be so one by one, if they can together; else the first of them. */
async function plainest(product: Product, timeline: readonly Slot[], plan: Plan): Promise<Plan | null> {
  const changes = plainChoices(plan)
  if (changes.length === 0) return null
  const results = await compareTogether(
    product,
    changes.map((change) => historyOf(change(plan), timeline)),
  )
  const possible = changes.filter((_, i) => results[i]?.difference)
  const [first] = possible
  if (first === undefined) return null
  const together = possible.reduce((made, change) => change(made), plan)
  return (await firstThatDiffers(product, timeline, [together])) ?? first(plan)
}

function plainChoices(plan: Plan): ((plan: Plan) => Plan)[] {
  const ofCommands = plan.commands.flatMap((command, i) =>
    (['value', 'other', 'by', 'offset', 'leaveOut', 'late', 'again', 'cut', 'conversation'] as const)
      .filter((field) => Number(command[field]) !== 0)
      .map((field) => (from: Plan) => ({
        ...from,
        commands: from.commands.map((one, n) => (n === i ? { ...one, [field]: field === 'cut' ? false : 0 } : one)),
      })),
  )
  const ofRules = plan.rules.flatMap((rule, i) => {
    const replace = (change: (rule: RulePlan) => RulePlan) => (from: Plan) => {
      return { ...from, rules: from.rules.map((one, n) => (n === i ? change(one) : one)) }
    }
    const without = rule.conditions.map((condition) =>
      replace((one) => ({ ...one, conditions: one.conditions.filter((other) => other !== condition) })),
    )
    return rule.actions === 0 ? without : [...without, replace((one) => ({ ...one, actions: 0 }))]
  })
  return [...ofCommands, ...ofRules, ...(plan.zone === 0 ? [] : [(from: Plan) => ({ ...from, zone: 0 })])]
}

async function firstOf(product: Product, timeline: readonly Slot[], plans: Generator<Plan>): Promise<Plan | null> {
  for (let some = take(plans); some.length > 0; some = take(plans)) {
    const next = await firstThatDiffers(product, timeline, some)
    if (next !== null) return next
  }
  return null
}

function take(plans: Generator<Plan>): Plan[] {
  const some: Plan[] = []
  while (some.length < AT_ONCE) {
    const next = plans.next()
    if (next.done) break
    some.push(next.value)
  }
  return some
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
  return `test(${JSON.stringify(name)}, () => agree(product(), ${JSON.stringify(history, null, 2)}))`
}
