import {
  ACTION_TYPES,
  type AutomationAction,
  type AutomationActionType,
  EMAIL_FORMATS,
  MAX_AUTOMATION_ACTIONS,
  MAX_SUBJECT_CHARACTERS,
  MAX_WAIT_HOURS,
  MIN_WAIT_HOURS,
} from '@dwell/contracts/automations'
import { MAX_TEMPLATE_LENGTH } from '../liquid'
import { type AutomationBody, uuidOf } from './body'
import { type FaultList, isObject, textFault, wholeNumberFault } from './fault-list'

/** An action of a body as far as it can be read; null parts have a fault. */
export interface ReadAction {
  readonly id: string | null
  readonly type: AutomationActionType | null
  /** Null unless all of it is right. */
  readonly action: AutomationAction | null
}

/** Null when there is no list of 1 to 50: then nothing can be said about the path either. */
export function readActions(body: AutomationBody, strict: boolean, faults: FaultList): readonly ReadAction[] | null {
  const { actions } = body
  if (!Array.isArray(actions)) {
    const code = actions === undefined ? 'actions_missing' : 'actions_not_a_list'
    faults.add('/actions', code, 'actions must be a list')
    return null
  }
  if (actions.length === 0 || actions.length > MAX_AUTOMATION_ACTIONS) {
    const code = actions.length === 0 ? 'actions_missing' : 'too_many_actions'
    faults.add('/actions', code, `an automation has 1 to ${MAX_AUTOMATION_ACTIONS} actions, not ${actions.length}`)
    return null
  }
  return actions.map((action: unknown, i) => readAction(action, `/actions/${i}`, strict, faults))
}

const NOTHING: ReadAction = { id: null, type: null, action: null }

function readAction(value: unknown, path: string, strict: boolean, faults: FaultList): ReadAction {
  if (!isObject(value)) {
    faults.add(path, 'not_an_object', 'an action is an object with id, type and data')
    return NOTHING
  }
  if (strict) unknownKeys(value, ['id', 'type', 'data'], path, faults)
  const id = uuidOf(value.id)
  if (id === null) faults.add(`${path}/id`, 'invalid_id', 'the id of an action must be a UUID')
  const type = ACTION_TYPES.find((known) => known === value.type) ?? null
  if (type === null) {
    faults.add(`${path}/type`, 'unknown_type', `the type of an action must be one of ${ACTION_TYPES.join(', ')}`)
    return { id, type, action: null }
  }
  if (!isObject(value.data)) {
    faults.add(`${path}/data`, 'data_missing', 'an action needs its data, an object')
    return { id, type, action: null }
  }
  if (strict) unknownKeys(value.data, DATA_KEYS[type], `${path}/data`, faults)
  const data = type === 'wait' ? readWait(value.data, path, faults) : readEmail(value.data, path, faults)
  return { id, type, action: id === null || data === null ? null : ({ id, type, data } as AutomationAction) }
}

const DATA_KEYS: Readonly<Record<AutomationActionType, readonly string[]>> = {
  wait: ['wait_hours'],
  send_email: ['email_subject', 'email_body', 'email_format'],
}

function readWait(data: AutomationBody, path: string, faults: FaultList) {
  const fault = wholeNumberFault(data.wait_hours, MIN_WAIT_HOURS, MAX_WAIT_HOURS)
  if (fault === null) return { wait_hours: Number(data.wait_hours) }
  faults.add(`${path}/data/wait_hours`, 'invalid_wait', `wait_hours ${fault}`)
  return null
}

/** Being empty is no fault here: drafts may be. */
function readEmail(data: AutomationBody, path: string, faults: FaultList) {
  const { email_subject: subject, email_body: body, email_format: format = 'markdown' } = data
  const subjectFault = textFault(subject, { min: 0, max: MAX_SUBJECT_CHARACTERS })
  if (subjectFault !== null)
    faults.add(`${path}/data/email_subject`, 'invalid_subject', `email_subject ${subjectFault}`)
  const bodyFault = textFault(body, { min: 0, max: MAX_TEMPLATE_LENGTH })
  if (bodyFault !== null) faults.add(`${path}/data/email_body`, 'invalid_body', `email_body ${bodyFault}`)
  const known = EMAIL_FORMATS.find((candidate) => candidate === format)
  if (known === undefined) {
    faults.add(`${path}/data/email_format`, 'unknown_format', `email_format must be one of ${EMAIL_FORMATS.join(', ')}`)
  }
  if (subjectFault !== null || bodyFault !== null || known === undefined) return null
  return { email_subject: String(subject), email_body: String(body), email_format: known }
}

/** Creation refuses what it does not know; an edit ignores it, so that an answer can be changed and sent back. */
export function unknownKeys(value: AutomationBody, known: readonly string[], path: string, faults: FaultList): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    const escaped = key.replaceAll('~', '~0').replaceAll('/', '~1')
    faults.add(`${path}/${escaped}`, 'unknown_key', `unknown key; known are ${known.join(', ')}`)
  }
}
