import {
  AUTOMATION_STATUSES,
  type AutomationAction,
  type AutomationActionType,
  type AutomationStatus,
  MAX_DESCRIPTION_CHARACTERS,
  MAX_NAME_CHARACTERS,
  type Trigger,
} from '@dwell/contracts/automations'
import type { Fault } from '@dwell/contracts/rule'
import type { ReEntryPolicy } from './automation'
import type { AutomationBody } from './body'
import { isSameContent } from './content'
import { emailFaults } from './email/email-faults'
import { BODY_POINTER, FaultList, textFault } from './fault-list'
import { pathOf, readEdges } from './path'
import { type ReadAction, readActions, unknownKeys } from './read-actions'
import { ALWAYS, NO_TRIGGER, readReEntry, readTrigger } from './read-trigger'

/** What an automation is made of, apart from what the database adds. */
export interface AutomationContent {
  readonly name: string
  readonly description: string
  readonly status: AutomationStatus
  readonly trigger: Trigger
  readonly policy: ReEntryPolicy
  /** In order of the path. */
  readonly actions: readonly AutomationAction[]
}

export interface StoredAutomation extends AutomationContent {
  readonly id: string
}

/** An action that exists somewhere under an id that a body names. */
export interface TakenAction {
  readonly automationId: string
  readonly type: AutomationActionType
  readonly removed: boolean
}

/** What was looked up for a body; see `lookupsOf`. */
export interface Surroundings {
  /** Another automation of the account bears the name. */
  readonly nameTaken: boolean
  /** By id, whichever automation and account they belong to, removed ones included. */
  readonly takenActions: ReadonlyMap<string, TakenAction>
}

/** `status_only`: everything but the status stays as it was, whatever else was sent. */
export type SaveKind = 'full' | 'status_only'

export type SaveCheck =
  | { readonly ok: true; readonly kind: SaveKind; readonly content: AutomationContent }
  | { readonly ok: false; readonly faults: readonly Fault[] }

const CREATE_KEYS = [
  'name',
  'description',
  'status',
  'trigger_tier_scope',
  'trigger_tier_ids',
  're_entry',
  're_entry_days',
  'actions',
  'edges',
]

/**
 * Judges the body of a creation: every fault that can be told, each with its place. Order: keys, status, name, description,
 * trigger, re-entry, actions, edges, path, ownership, e-mails, activation. automations.md section 2.
 */
export function checkCreate(body: AutomationBody, surroundings: Surroundings): SaveCheck {
  const faults = new FaultList()
  unknownKeys(body, CREATE_KEYS, '', faults)
  return checkFull(body, null, surroundings, faults)
}

/**
 * Judges the body of an edit, which may leave out what stays as it is; keys it does not know are ignored. With neither
 * actions nor edges it is a status-only save: that turns an automation off without publishing anything, and nothing else.
 */
export function checkEdit(body: AutomationBody, stored: StoredAutomation, surroundings: Surroundings): SaveCheck {
  const faults = new FaultList()
  if (body.actions !== undefined || body.edges !== undefined) return checkFull(body, stored, surroundings, faults)
  const status = readStatus(body.status, faults)
  if (status === 'active') {
    faults.add(
      '/status',
      'status_only_activation',
      'a save of the status alone may turn off only; send actions and edges',
    )
  }
  if (status === null || faults.faults.length > 0) return { ok: false, faults: faults.faults }
  return { ok: true, kind: 'status_only', content: { ...stored, status } }
}

function checkFull(
  body: AutomationBody,
  stored: StoredAutomation | null,
  surroundings: Surroundings,
  faults: FaultList,
): SaveCheck {
  const status = readStatus(body.status, faults)
  const name = readName(body.name, stored?.name ?? null, surroundings.nameTaken, faults)
  const description = readDescription(body.description, stored?.description ?? null, faults)
  const trigger = readTrigger(body, stored?.trigger ?? NO_TRIGGER, faults)
  const policy = readReEntry(body, stored?.policy ?? ALWAYS, faults)
  const read = readActions(body, stored === null, faults)
  const edges = readEdges(body, faults)
  const ids = read?.flatMap(({ id }) => id ?? []) ?? []
  const path = read !== null && edges !== null && ids.length === read.length ? pathOf(ids, edges, faults) : null
  checkOwnership(read ?? [], stored, surroundings, faults)
  checkEmails(read ?? [], stored, status, faults)
  if (faults.faults.length > 0 || status === null || name === null || description === null || path === null) {
    return { ok: false, faults: faults.faults }
  }
  const actions = new Map(read?.flatMap(({ action }) => (action === null ? [] : [[action.id, action] as const])))
  const inOrder = path.flatMap((id) => actions.get(id) ?? [])
  return { ok: true, kind: 'full', content: { name, description, status, trigger, policy, actions: inOrder } }
}

function readStatus(value: unknown, faults: FaultList): AutomationStatus | null {
  const status = AUTOMATION_STATUSES.find((known) => known === value) ?? null
  if (status === null)
    faults.add('/status', 'unknown_status', `status must be one of ${AUTOMATION_STATUSES.join(', ')}`)
  return status
}

/** Kept without the white space around it, and unique so. */
function readName(value: unknown, stored: string | null, taken: boolean, faults: FaultList): string | null {
  if (value === undefined && stored !== null) return stored
  const name = typeof value === 'string' ? value.trim() : value
  const fault = textFault(name, { min: 1, max: MAX_NAME_CHARACTERS })
  if (fault !== null) {
    faults.add('/name', value === undefined ? 'name_missing' : 'invalid_name', `name ${fault}`)
    return null
  }
  if (!taken) return String(name)
  faults.add('/name', 'name_taken', 'another automation has this name')
  return null
}

function readDescription(value: unknown, stored: string | null, faults: FaultList): string | null {
  if (value === undefined && stored !== null) return stored
  const fault = textFault(value, { min: 0, max: MAX_DESCRIPTION_CHARACTERS })
  if (fault === null) return String(value)
  faults.add(
    '/description',
    value === undefined ? 'description_missing' : 'invalid_description',
    `description ${fault}`,
  )
  return null
}

/** An existing action keeps its type; an id that is in use elsewhere, or was removed, is refused: nothing is revived. */
function checkOwnership(
  read: readonly ReadAction[],
  stored: StoredAutomation | null,
  { takenActions }: Surroundings,
  faults: FaultList,
): void {
  for (const [i, { id, type }] of read.entries()) {
    const taken = id === null ? undefined : takenActions.get(id)
    if (taken === undefined) continue
    if (taken.automationId !== stored?.id) {
      faults.add(`/actions/${i}/id`, 'action_taken', 'this id is in use already; give new actions new ids')
    } else if (taken.removed) {
      faults.add(
        `/actions/${i}/id`,
        'action_removed',
        'an action that was removed does not come back; give it a new id',
      )
    } else if (type !== null && taken.type !== type) {
      faults.add(`/actions/${i}/type`, 'type_changed', `the action is a ${taken.type}; its type cannot be changed`)
    }
  }
}

/** Contents that were judged when they were saved are not judged again. */
function checkEmails(
  read: readonly ReadAction[],
  stored: StoredAutomation | null,
  status: AutomationStatus | null,
  faults: FaultList,
): void {
  const known = new Map(stored?.actions.map((action) => [action.id, action.data]))
  const published = status === 'active'
  for (const [i, { action }] of read.entries()) {
    if (action?.type !== 'send_email') continue
    const before = known.get(action.id)
    const unchanged = before !== undefined && isSameContent(before, action.data)
    if (unchanged && (!published || stored?.status === 'active')) continue
    faults.addAll(emailFaults(action.data, `${BODY_POINTER}/actions/${i}/data`, published))
  }
}
