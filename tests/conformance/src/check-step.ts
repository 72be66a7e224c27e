import type { Step, Verb } from './case-file'
import { matches, mismatch, shown } from './matching'
import { withoutPartner } from './pairing'
import type { Scene } from './scene'
import { ACTIONS, DEAD_EVENTS } from './streams'

type Entry = Record<string, unknown>

/** Looks once, and says what is not as expected. */
export type Check = () => Promise<string | null>

type CheckMaker = (scene: Scene, step: Step) => Check

const CHECKS: Partial<Record<Verb, CheckMaker>> = {
  /** One to one, in any order; immediate rows are left out. */
  rows(scene, step) {
    const expected = expectedEntries(scene, step)
    const account = scene.accountOf(step)
    return async () => {
      const executions = await scene.world.api.executions(account)
      const rows = executions.filter(({ episode_key: key }) => !String(key).startsWith('event:'))
      return differenceOfSets('rows', expected, rows, shortRow)
    }
  },

  /** In the order of the stream per conversation: nothing is promised between conversations. */
  actions(scene, step) {
    const expected = expectedEntries(scene, step)
    const account = scene.accountOf(step)
    return async () => {
      const entries = await scene.world.streams.entriesAfter(ACTIONS, scene.actionsAfter)
      const actions = entries.map(({ action = 'null' }) => JSON.parse(action) as Entry)
      const own = actions.filter((action) => String(action.account_id) === String(account))
      return differenceByConversation(expected, own)
    }
  },

  dead(scene, step) {
    const expected = scene.references.resolve(step.argument)
    return async () => mismatch(expected, await scene.world.streams.entriesAfter(DEAD_EVENTS, scene.deadAfter), 'dead')
  },

  mail(scene, step) {
    const expected = scene.references.resolve(step.argument) as unknown[]
    return async () => differenceOfSets('mail', expected, scene.world.mail.caught)
  },

  hooks(scene, step) {
    const expected = scene.references.resolve(step.argument)
    return async () => mismatch(expected, scene.world.hooks.caught, 'hooks')
  },
}

/** The check that a step asks for; undefined where it is another kind of step. */
export function checkOf(scene: Scene, step: Step): Check | undefined {
  return CHECKS[step.verb]?.(scene, step)
}

/** In the names of the interfaces: a case may say `rule`, `conversation` and `state`. */
function expectedEntries(scene: Scene, step: Step): Entry[] {
  const entries = scene.references.resolve(step.argument) as Entry[]
  return entries.map(({ rule, conversation, state, ...rest }) => {
    const [status, reason] = typeof state === 'string' ? state.split(':') : []
    return {
      ...(rule === undefined ? {} : { automation_rule_id: rule }),
      ...(conversation === undefined ? {} : { conversation_id: conversation }),
      ...(status === undefined ? {} : { status }),
      ...(reason === undefined ? {} : { skip_reason: reason }),
      ...rest,
    }
  })
}

function differenceOfSets<A>(
  what: string,
  expected: readonly unknown[],
  actual: readonly A[],
  short: (one: A) => unknown = (one) => one,
): string | null {
  if (expected.length !== actual.length) {
    return `${what}: expected ${expected.length}, got ${actual.length}: ${shown(actual.map(short))}`
  }
  const [missing] = withoutPartner(expected, actual, matches)
  return missing === undefined ? null : `${what}: nothing is like ${shown(missing)} in ${shown(actual.map(short))}`
}

function differenceByConversation(expected: readonly Entry[], actual: readonly Entry[]): string | null {
  const conversations = new Set([...expected, ...actual].map(conversationOf))
  for (const conversation of conversations) {
    const of = (entries: readonly Entry[]) => entries.filter((entry) => conversationOf(entry) === conversation)
    const wrong = mismatch(of(expected), of(actual), `actions of conversation ${conversation}`)
    if (wrong !== null) return wrong
  }
  return null
}

function conversationOf({ conversation_id: id }: Entry): string {
  return String(id)
}

/** What says most about a row, for a report. */
function shortRow(row: Entry): Entry {
  const { automation_rule_id, conversation_id, status, skip_reason, due_at, message_id, episode_key } = row
  return { automation_rule_id, conversation_id, status, skip_reason, due_at, message_id, episode_key }
}
