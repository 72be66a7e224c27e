import {
  type AutomationStatus,
  type EmailFormat,
  MAX_AUTOMATION_ACTIONS,
  MAX_DESCRIPTION_CHARACTERS,
  MAX_NAME_CHARACTERS,
  MAX_RE_ENTRY_DAYS,
  MAX_SUBJECT_CHARACTERS,
  MAX_WAIT_HOURS,
  MIN_RE_ENTRY_DAYS,
  MIN_WAIT_HOURS,
  type ReEntry,
  type TierScope,
} from '@dwell/contracts/automations'
import type { Automation } from '../automation-queries'

/** As it is typed: a wait may be no number yet. `hours` is null then. */
export interface WaitDraft {
  readonly id: string
  readonly type: 'wait'
  readonly hours: number | null
}

export interface EmailDraft {
  readonly id: string
  readonly type: 'send_email'
  readonly subject: string
  readonly body: string
  readonly format: EmailFormat
}

export type ActionDraft = WaitDraft | EmailDraft

/** An automation as somebody is writing it; the actions stand in the order of the path. */
export interface AutomationDraft {
  readonly name: string
  readonly description: string
  readonly scope: TierScope | null
  readonly tierIds: readonly string[]
  readonly reEntry: ReEntry
  readonly reEntryDays: number | null
  readonly actions: readonly ActionDraft[]
}

export const NEW_WAIT_HOURS = 24

export function newAction(type: ActionDraft['type'], id: string): ActionDraft {
  if (type === 'wait') return { id, type, hours: NEW_WAIT_HOURS }
  return { id, type, subject: '', body: '', format: 'markdown' }
}

/** What a new automation begins as: one e-mail to everybody who signs up. */
export function emptyDraft(id: string): AutomationDraft {
  return {
    name: '',
    description: '',
    scope: 'free',
    tierIds: [],
    reEntry: 'always',
    reEntryDays: null,
    actions: [newAction('send_email', id)],
  }
}

export function draftOf(saved: Automation): AutomationDraft {
  return {
    name: saved.name,
    description: saved.description,
    scope: saved.trigger_tier_scope,
    tierIds: saved.trigger_tier_ids,
    reEntry: saved.re_entry,
    reEntryDays: saved.re_entry_days,
    actions: inOrder(saved).map((action): ActionDraft => {
      if (action.type === 'wait') return { id: action.id, type: 'wait', hours: action.data.wait_hours }
      const { email_subject: subject, email_body: body, email_format: format } = action.data
      return { id: action.id, type: 'send_email', subject, body, format }
    }),
  }
}

function inOrder({ actions, edges }: Automation): Automation['actions'] {
  const byId = new Map(actions.map((action) => [action.id, action]))
  const next = new Map(edges.map((edge) => [edge.source_action_id, edge.target_action_id]))
  const entered = new Set(edges.map((edge) => edge.target_action_id))
  const order: Automation['actions'] = []
  for (let at = actions.find(({ id }) => !entered.has(id)); at !== undefined; at = byId.get(next.get(at.id) ?? ''))
    order.push(at)
  return order
}

/** The body of a save. What is saved keeps the order of the list, so a fault's pointer finds its action. */
export function bodyOf(draft: AutomationDraft, status: AutomationStatus) {
  return {
    name: draft.name.trim(),
    description: draft.description.trim(),
    status,
    trigger_tier_scope: draft.scope,
    trigger_tier_ids: draft.scope === 'selected_paid' ? draft.tierIds : [],
    re_entry: draft.reEntry,
    ...(draft.reEntry === 'after_days' ? { re_entry_days: draft.reEntryDays } : {}),
    actions: draft.actions.map((action) =>
      action.type === 'wait'
        ? { id: action.id, type: action.type, data: { wait_hours: action.hours } }
        : {
            id: action.id,
            type: action.type,
            data: { email_subject: action.subject, email_body: action.body, email_format: action.format },
          },
    ),
    edges: draft.actions
      .slice(1)
      .map(({ id }, place) => ({ source_action_id: draft.actions[place]?.id, target_action_id: id })),
  }
}

/** Whether saving would change anything. */
export function isSame(draft: AutomationDraft, saved: AutomationDraft): boolean {
  return JSON.stringify(bodyOf(draft, 'inactive')) === JSON.stringify(bodyOf(saved, 'inactive'))
}

export function insertAt(draft: AutomationDraft, place: number, action: ActionDraft): AutomationDraft {
  if (draft.actions.length >= MAX_AUTOMATION_ACTIONS) return draft
  return { ...draft, actions: draft.actions.toSpliced(place, 0, action) }
}

export function replaceAction(draft: AutomationDraft, action: ActionDraft): AutomationDraft {
  return { ...draft, actions: draft.actions.map((one) => (one.id === action.id ? action : one)) }
}

export function removeAction(draft: AutomationDraft, id: string): AutomationDraft {
  return { ...draft, actions: draft.actions.filter((action) => action.id !== id) }
}

/** One place up (-1) or down (1); at the end of the path it stays. */
export function moveAction(draft: AutomationDraft, id: string, by: -1 | 1): AutomationDraft {
  const place = draft.actions.findIndex((action) => action.id === id)
  const action = draft.actions[place]
  const target = place + by
  if (action === undefined || target < 0 || target >= draft.actions.length) return draft
  return { ...draft, actions: draft.actions.toSpliced(place, 1).toSpliced(target, 0, action) }
}

/** What keeps a draft from being saved (`saving`) or only from being published. `place` is the action's, null of the whole. */
export interface DraftFault {
  readonly place: number | null
  readonly kind:
    | 'name_missing'
    | 'name_too_long'
    | 'description_too_long'
    | 'tiers_missing'
    | 'days_invalid'
    | 'no_actions'
    | 'wait_invalid'
    | 'subject_too_long'
    | 'subject_missing'
    | 'body_missing'
  readonly blocks: 'saving' | 'publishing'
}

export function draftFaults(draft: AutomationDraft): DraftFault[] {
  const faults: DraftFault[] = []
  const add = (kind: DraftFault['kind'], place: number | null = null, blocks: DraftFault['blocks'] = 'saving') =>
    faults.push({ kind, place, blocks })
  const name = draft.name.trim()
  if (name === '') add('name_missing')
  if (name.length > MAX_NAME_CHARACTERS) add('name_too_long')
  if (draft.description.trim().length > MAX_DESCRIPTION_CHARACTERS) add('description_too_long')
  if (draft.scope === 'selected_paid' && draft.tierIds.length === 0) add('tiers_missing')
  if (draft.reEntry === 'after_days' && !isWhole(draft.reEntryDays, MIN_RE_ENTRY_DAYS, MAX_RE_ENTRY_DAYS))
    add('days_invalid')
  if (draft.actions.length === 0) add('no_actions')
  for (const [place, action] of draft.actions.entries()) {
    if (action.type === 'wait') {
      if (!isWhole(action.hours, MIN_WAIT_HOURS, MAX_WAIT_HOURS)) add('wait_invalid', place)
      continue
    }
    if (action.subject.length > MAX_SUBJECT_CHARACTERS) add('subject_too_long', place)
    if (action.subject.trim() === '') add('subject_missing', place, 'publishing')
    if (action.body.trim() === '') add('body_missing', place, 'publishing')
  }
  return faults
}

function isWhole(value: number | null, min: number, max: number): boolean {
  return value !== null && Number.isInteger(value) && value >= min && value <= max
}

const FIELD = /^\/automations\/0\/(name|description|re_entry_days|trigger_tier_ids)(?:\/|$)/

/** Which field of the whole a fault of the server speaks of; null of none that is shown. */
export function fieldOf(pointer: string): string | null {
  return FIELD.exec(pointer)?.[1] ?? null
}

/** Which action a fault of the server speaks of: `/automations/0/actions/2/data/wait_hours` is the third; null of none. */
export function placeOf(pointer: string): number | null {
  const place = /^\/automations\/0\/actions\/(\d+)(?:\/|$)/.exec(pointer)?.[1]
  return place === undefined ? null : Number(place)
}
