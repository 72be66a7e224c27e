import type { History } from './history'
import { type Execution, Model, type RowView, type Step } from './interpreter'
import type { Account, Product } from './product'
import { START } from './timeline'

/** Where product and model part. */
export interface Difference {
  /** Index of the step after which they differ. */
  step: number
  what: string
  product: unknown
  model: unknown
}

export interface Result {
  difference: Difference | null
  /** Why the comparison ended early: what the documents leave open. */
  gap: string | null
  /** As they stand at the end, by the model. */
  rows: readonly RowView[]
}

type Publish = Extract<Step, { do: 'publish' }>

const OF_THE_INSTALLATION = ['clock', 'sweep', 'work', 'lose_jobs', 'kill_switch', 'when_disabled']
const AT_ONCE = 6

interface Lane {
  history: History
  model: Model
  account: Account
  /** Next step. */
  at: number
  result: Result
}

/** As `playTogether`. Where the product breaks down, the history that does it is found by halving, and differs. */
export async function compareTogether(product: Product, histories: readonly History[]): Promise<Result[]> {
  try {
    return await playTogether(product, histories)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    if (histories.length === 1) {
      const difference = {
        step: (histories[0]?.steps.length ?? 0) - 1,
        what: 'breakdown',
        product: error.message,
        model: null,
      }
      return [{ difference, gap: null, rows: [] }]
    }
    const middle = histories.length >> 1
    const first = await compareTogether(product, histories.slice(0, middle))
    return [...first, ...(await compareTogether(product, histories.slice(middle)))]
  }
}

/**
 * Plays histories side by side against product and model, one account each. What concerns the installation must be the
 * same in all of them and holds for all at once; rows and actions are compared after every stretch between.
 */
async function playTogether(product: Product, histories: readonly History[]): Promise<Result[]> {
  await product.reset()
  const beginnings = histories.map(({ timeZone, steps }) => ({
    timeZone,
    steps: steps.slice(0, lengthOfBeginning(steps)),
  }))
  const accounts = await product.open(beginnings)
  const lanes = histories.map((history, i): Lane => {
    const model = new Model(START, history.timeZone)
    const beginning = beginnings[i]?.steps ?? []
    for (const step of beginning) model.apply(step)
    const account = accounts[i]
    if (account === undefined) throw new Error('An account is missing')
    return { history, model, account, at: beginning.length, result: { difference: null, gap: null, rows: [] } }
  })
  for (;;) {
    const played = await playLocalSteps(product, lanes)
    if (played) await compare(product, lanes)
    const operation = nextOperation(lanes)
    if (operation === null) break
    await product.operate(operation)
    for (const lane of lanes) step(lane, (model) => model.apply(operation))
    if (operation.do === 'sweep' || operation.do === 'work') await compare(product, lanes)
  }
  return lanes.map(({ result, model }) => ({ ...result, rows: model.rows() }))
}

function lengthOfBeginning(steps: readonly Step[]): number {
  const end = steps.findIndex((one) => one.do !== 'declare' && one.do !== 'create')
  return end === -1 ? steps.length : end
}

function nextOperation(lanes: readonly Lane[]): Step | null {
  const [operation, ...others] = lanes.map(({ history, at }) => JSON.stringify(history.steps[at] ?? null))
  if (operation === undefined || others.some((other) => other !== operation))
    throw new Error('What concerns the installation must be the same in all histories')
  return JSON.parse(operation)
}

/** Up to the next step that concerns the installation: the first ones of all accounts, then the second ones, … */
async function playLocalSteps(product: Product, lanes: readonly Lane[]): Promise<boolean> {
  for (let round = 0; ; round += 1) {
    const here = lanes.filter(({ history, at }) => {
      const next = history.steps[at]
      return next !== undefined && !OF_THE_INSTALLATION.includes(next.do)
    })
    if (here.length === 0) return round > 0
    const publishing = here.filter((lane) => lane.history.steps[lane.at]?.do === 'publish')
    const changing = here.filter((lane) => !publishing.includes(lane))
    await administer(product, changing)
    if (publishing.length > 0) {
      await product.publish(
        publishing.map(({ account, history, at }) => ({ account, events: (history.steps[at] as Publish).events })),
      )
    }
    for (const lane of publishing) step(lane, (model, next) => model.apply(next))
  }
}

async function administer(product: Product, lanes: readonly Lane[]): Promise<void> {
  const waiting = [...lanes]
  const work = async () => {
    for (let lane = waiting.shift(); lane !== undefined; lane = waiting.shift()) {
      const next = lane.history.steps[lane.at]
      if (next === undefined) continue
      const accepted = await product.administer(lane.account, next)
      const index = lane.at
      step(lane, (model) => {
        const expected = model.apply(next)
        if (expected === accepted || lane.result.gap !== null) return
        lane.result.difference ??= {
          step: index,
          what: 'whether a request is accepted',
          product: accepted,
          model: expected,
        }
      })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

function step(lane: Lane, play: (model: Model, next: Step) => void) {
  const next = lane.history.steps[lane.at]
  lane.at += 1
  if (next === undefined || lane.result.difference !== null || lane.result.gap !== null) return
  play(lane.model, next)
  lane.result.gap = lane.model.gap
}

async function compare(product: Product, lanes: readonly Lane[]): Promise<void> {
  const accounts = lanes.map(({ account }) => account)
  const rows = await product.rows(accounts)
  const executions = await product.executions(accounts)
  for (const lane of lanes) {
    const executed = lane.model.executions.splice(0).filter(({ actions }) => actions.length > 0)
    if (lane.result.difference !== null || lane.result.gap !== null) continue
    const at = lane.at - 1
    lane.result.difference =
      differ(at, 'rows', inOrder(rows.get(lane.account.id) ?? []), inOrder(lane.model.rows())) ??
      differ(at, 'actions', inOrder(executions.get(lane.account.id) ?? []), inOrder(executed))
  }
}

/** Within one sweep the rows of a conversation have no order among each other; the actions of a row do. */
function inOrder(list: readonly (RowView | Execution)[]): string[] {
  return list.map((one) => JSON.stringify(one, Object.keys(one).sort().concat(INNER_KEYS))).sort()
}

const INNER_KEYS = ['action_name', 'action_params', 'content']

function differ(at: number, what: string, product: readonly string[], model: readonly string[]): Difference | null {
  if (product.join('\n') === model.join('\n')) return null
  const read = (texts: readonly string[], others: readonly string[]) =>
    texts.filter((text) => !others.includes(text)).map((text) => JSON.parse(text))
  return { step: at, what, product: read(product, model), model: read(model, product) }
}
