import type { AutomationStatus, EndReason, StepStatus } from '@dwell/contracts/automations'
import type { components } from '../../../generated/openapi'

export type RunHistory = components['schemas']['AutomationRunHistory']
type RunStep = RunHistory['steps'][number]

/** The path as it is saved now. */
export interface SavedPath {
  readonly status: AutomationStatus
  readonly actions: readonly components['schemas']['AutomationAction'][]
  readonly edges: readonly { readonly source_action_id: string; readonly target_action_id: string }[]
}

/**
 * `done` needs evidence: a finished step, for mails the time of sending or of delivery. `open`: now. `stopped`: the run ended here.
 * `planned`: not recorded yet, told from the path.
 */
export type CardState = 'done' | 'open' | 'stopped' | 'planned'

/** `at`: when it happened; of an open wait its end; of what is planned an estimate. ISO. */
export type StoryCard =
  | { readonly kind: 'entry'; readonly key: string; readonly at: string }
  | {
      readonly kind: 'wait'
      readonly key: string
      readonly state: CardState
      readonly hours: number
      readonly at: string
    }
  | {
      readonly kind: 'email'
      readonly key: string
      readonly state: CardState
      readonly subject: string
      readonly body: string | null
      readonly at: string | null
      readonly deliveredAt: string | null
    }
  | { readonly kind: 'exit'; readonly key: string; readonly reason: StepStatus | EndReason; readonly at: string | null }
  | { readonly kind: 'end'; readonly key: string; readonly reason: EndReason | null; readonly at: string | null }

/** Why what follows cannot be told: the automation is off, its path could not be read, or the step is not in it any more. */
export type NoOutlook = 'turned_off' | 'path_unknown' | 'step_removed' | 'steps_unclear'

export interface RunStory {
  readonly cards: readonly StoryCard[]
  /** Null where the cards say all, or the run is over. */
  readonly noOutlook: NoOutlook | null
}

const HOUR_MS = 3_600_000

/** A run as it is told from top to bottom: entry, what is recorded, how it ended, or what is planned. `now` in milliseconds. */
export function storyOf(run: RunHistory, path: SavedPath | null, now: number): RunStory {
  const entry: StoryCard = { kind: 'entry', key: 'entry', at: run.created_at }
  const told = [entry, ...run.steps.map(cardOf)]
  if (run.status === 'in_progress') {
    const outlook = outlookOf(run.steps, path, now)
    return typeof outlook === 'string'
      ? { cards: told, noOutlook: outlook }
      : { cards: [...told, ...outlook], noOutlook: null }
  }
  return { cards: [...told, endingOf(run)], noOutlook: null }
}

function cardOf(step: RunStep): StoryCard {
  const { data } = step.action
  const state = stateOf(step)
  if ('wait_hours' in data) {
    const at = state === 'open' ? step.ready_at : (step.finished_at ?? step.ready_at)
    return { kind: 'wait', key: step.id, state, hours: data.wait_hours, at }
  }
  const sent = step.email_sent_at ?? step.email_delivered_at
  return {
    kind: 'email',
    key: step.id,
    state: sent === null ? state : 'done',
    subject: data.email_subject,
    body: data.email_body,
    at: sent ?? (state === 'open' ? step.ready_at : step.finished_at),
    deliveredAt: step.email_delivered_at,
  }
}

function stateOf({ status }: RunStep): CardState {
  if (status === 'pending') return 'open'
  return status === 'finished' ? 'done' : 'stopped'
}

function endingOf(run: RunHistory): StoryCard {
  const last = run.steps.at(-1)
  const at = run.ended_at ?? last?.finished_at ?? null
  if (run.status === 'completed') return { kind: 'end', key: 'end', reason: run.end_reason, at }
  const stopped = run.steps.findLast(({ status }) => status !== 'finished')
  return { kind: 'exit', key: 'exit', reason: run.end_reason ?? stopped?.status ?? 'failed', at }
}

function outlookOf(steps: readonly RunStep[], path: SavedPath | null, now: number): StoryCard[] | NoOutlook {
  if (path?.status === 'inactive') return 'turned_off'
  const last = steps.at(-1)
  if (last?.status !== 'pending' || steps.filter(({ status }) => status === 'pending').length > 1)
    return 'steps_unclear'
  const order = path === null ? null : linearOrder(path)
  if (order === null) return 'path_unknown'
  const place = order.findIndex(({ id }) => id === last.action.id)
  if (place === -1) return 'step_removed'
  let at = Math.max(Date.parse(last.ready_at), now)
  return order.slice(place + 1).map(({ id, data }): StoryCard => {
    if ('wait_hours' in data) {
      at += data.wait_hours * HOUR_MS
      return { kind: 'wait', key: id, state: 'planned', hours: data.wait_hours, at: new Date(at).toISOString() }
    }
    const planned = { subject: data.email_subject, body: null, at: new Date(at).toISOString(), deliveredAt: null }
    return { kind: 'email', key: id, state: 'planned', ...planned }
  })
}

/** The actions from head to tail; null where they are not one line. */
function linearOrder({ actions, edges }: SavedPath): SavedPath['actions'] | null {
  const byId = new Map(actions.map((action) => [action.id, action]))
  const next = new Map(edges.map((edge) => [edge.source_action_id, edge.target_action_id]))
  const entered = new Set(edges.map((edge) => edge.target_action_id))
  const heads = actions.filter(({ id }) => !entered.has(id))
  if (heads.length !== 1 || next.size !== edges.length) return null
  const order: SavedPath['actions'][number][] = []
  for (let at = heads[0]; at !== undefined; at = byId.get(next.get(at.id) ?? '')) order.push(at)
  return order.length === actions.length ? order : null
}
