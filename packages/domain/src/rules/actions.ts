import { CONVERSATION_STATUSES, PRIORITIES } from '@dwell/contracts/events'
import type { DeliveryTarget } from '@dwell/contracts/pending-execution'
import type { CustomAttributeDefinition, Fault } from '@dwell/contracts/rule'
import {
  atMostOne,
  id,
  idOr,
  idOrText,
  isId,
  list,
  nothing,
  object,
  one,
  oneOf,
  type ParamsCheck,
  template,
  templateFaults,
  text,
} from './action-params'
import { isEmailAddress, splitAddresses } from './email-addresses'
import { booleanOf, dateOf, numberOf } from './values'

export interface ActionKind {
  readonly name: string
  readonly target: DeliveryTarget
  readonly check: ParamsCheck
  /** The first parameter is a text, rendered into `content`. */
  readonly rendersContent?: boolean
  /** A closed reply window refuses it. */
  readonly needsReplyWindow?: boolean
}

export const MAX_LABELS = 100
const MAX_NAME_LENGTH = 255
const MAX_ATTACHMENTS = 50
const MAX_TEAMS = 50
const MAX_URL_LENGTH = 2_000
const MAX_SNOOZE_MINUTES = 525_600
const MAX_ATTRIBUTE_TEXT = 5_000

const labels = list(text(MAX_NAME_LENGTH), 1, MAX_LABELS)

const emailToTeam = object('{"team_ids": [1], "message": "text"}', (field, pointer) => {
  const teams = field('team_ids')
  const fine = Array.isArray(teams) && teams.length >= 1 && teams.length <= MAX_TEAMS && teams.every(isId)
  const message = `team_ids must be a list of 1 to ${MAX_TEAMS} ids`
  return [
    ...(fine ? [] : [{ pointer: `${pointer}/team_ids`, code: 'param_type', message }]),
    ...templateFaults(field('message'), `${pointer}/message`),
  ]
})

/** Addresses that are written out are checked now, those of a template when it is rendered. */
const transcript = template((value) => {
  if (typeof value !== 'string') return 'a text'
  if (value.includes('{{') || value.includes('{%')) return null
  const addresses = splitAddresses(value)
  return addresses.length > 0 && addresses.every(isEmailAddress) ? null : 'e-mail addresses separated by commas'
})

/** One duration, in minutes from the execution; without it the host decides when the conversation comes back. */
const snooze: ParamsCheck = (params, pointer, context) =>
  params.length === 0
    ? []
    : object('{"duration_minutes": 240}', (field, at) => {
        const minutes = field('duration_minutes')
        if (Number.isInteger(minutes) && Number(minutes) >= 1 && Number(minutes) <= MAX_SNOOZE_MINUTES) return []
        const message = `duration_minutes must be a whole number of minutes from 1 to ${MAX_SNOOZE_MINUTES}`
        return [{ pointer: `${at}/duration_minutes`, code: 'param_type', message }]
      })(params, pointer, context)

const setCustomAttribute = object(
  '{"custom_attribute_type": "conversation_attribute", "attribute_key": "key", "value": "text"}',
  (field, pointer, { definitions }) => {
    const model = field('custom_attribute_type')
    const key = field('attribute_key')
    const modelProblem = oneOf('conversation_attribute', 'contact_attribute')(model)
    if (modelProblem !== null) {
      const message = `custom_attribute_type must be ${modelProblem}`
      return [{ pointer: `${pointer}/custom_attribute_type`, code: 'param_type', message }]
    }
    if (typeof key !== 'string' || key === '') {
      const message = 'attribute_key must be the key of a custom attribute'
      return [{ pointer: `${pointer}/attribute_key`, code: 'param_type', message }]
    }
    if (definitions === null) return []
    const definition = definitions.find((known) => known.attribute_key === key && known.attribute_model === model)
    if (definition === undefined) {
      const message = `no custom attribute ${key.slice(0, MAX_NAME_LENGTH)} of type ${model} is declared`
      return [{ pointer: `${pointer}/attribute_key`, code: 'unknown_custom_attribute', message }]
    }
    const problem = attributeValueProblem(definition, field('value'))
    if (problem === null) return []
    return [{ pointer: `${pointer}/value`, code: 'param_type', message: `value must be ${problem} or null` }]
  },
)

function attributeValueProblem(definition: CustomAttributeDefinition, value: unknown): string | null {
  if (value === null) return null
  const isText = typeof value === 'string' && value !== '' && value.length <= MAX_ATTRIBUTE_TEXT
  switch (definition.attribute_display_type) {
    case 'text':
    case 'link':
      return isText ? null : `a text of at most ${MAX_ATTRIBUTE_TEXT} characters`
    case 'list': {
      const values = definition.attribute_values ?? []
      if (!isText) return 'one of the values of the list'
      return values.length === 0 || values.includes(value) ? null : `one of ${values.slice(0, 50).join(', ')}`
    }
    case 'number':
      return typeof value === 'number' && numberOf(value) !== null ? null : 'a number'
    case 'checkbox':
      return typeof value === 'boolean' && booleanOf(value) !== null ? null : 'true or false'
    case 'date':
      return dateOf(value) === null ? 'a date as YYYY-MM-DD' : null
  }
}

function webhookUrl(value: unknown): string | null {
  const problem = `an http or https address without user and password, of at most ${MAX_URL_LENGTH} characters`
  if (typeof value !== 'string' || value.length > MAX_URL_LENGTH || !URL.canParse(value)) return problem
  const url = new URL(value)
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? null : problem
}

/** Every action there is. rules.md section 4, and beyond it `set_custom_attribute` and a duration for snoozing. */
export const ACTIONS: readonly ActionKind[] = [
  { name: 'send_message', target: 'stream', check: template(), rendersContent: true, needsReplyWindow: true },
  { name: 'add_private_note', target: 'stream', check: template(), rendersContent: true },
  { name: 'send_attachment', target: 'stream', check: list(idOrText(MAX_NAME_LENGTH), 1, MAX_ATTACHMENTS) },
  { name: 'add_label', target: 'stream', check: labels },
  { name: 'remove_label', target: 'stream', check: labels },
  { name: 'assign_agent', target: 'stream', check: one(idOr('nil', 'last_responding_agent')) },
  { name: 'remove_assigned_agent', target: 'stream', check: nothing },
  { name: 'assign_team', target: 'stream', check: atMostOne(idOr('nil', 0)) },
  { name: 'remove_assigned_team', target: 'stream', check: nothing },
  { name: 'change_status', target: 'stream', check: one(oneOf(...CONVERSATION_STATUSES)) },
  { name: 'open_conversation', target: 'stream', check: nothing },
  { name: 'pending_conversation', target: 'stream', check: nothing },
  { name: 'resolve_conversation', target: 'stream', check: nothing },
  { name: 'snooze_conversation', target: 'stream', check: snooze },
  { name: 'change_priority', target: 'stream', check: one(oneOf(...PRIORITIES, 'nil')) },
  { name: 'mute_conversation', target: 'stream', check: nothing },
  { name: 'add_sla', target: 'stream', check: one(id) },
  { name: 'set_custom_attribute', target: 'stream', check: setCustomAttribute },
  { name: 'send_email_to_team', target: 'smtp', check: emailToTeam },
  { name: 'send_email_transcript', target: 'smtp', check: transcript },
  { name: 'send_webhook_event', target: 'webhook', check: one(webhookUrl) },
]

const BY_NAME: ReadonlyMap<unknown, ActionKind> = new Map(ACTIONS.map((action) => [action.name, action]))

export function actionKind(name: unknown): ActionKind | undefined {
  return BY_NAME.get(name)
}

/** Everything that is wrong with one action as it was sent or saved. */
export function actionFaults(
  action: unknown,
  pointer: string,
  definitions: readonly CustomAttributeDefinition[] | null,
): readonly Fault[] {
  if (typeof action !== 'object' || action === null || Array.isArray(action)) {
    return [{ pointer, code: 'action_not_an_object', message: 'an action must be an object' }]
  }
  const { action_name: name, action_params: params } = action as { action_name?: unknown; action_params?: unknown }
  const kind = actionKind(name)
  if (kind === undefined) {
    const message = `action_name must be one of ${ACTIONS.map((known) => known.name).join(', ')}`
    const code = name === undefined || name === null ? 'action_missing' : 'unknown_action'
    return [{ pointer: `${pointer}/action_name`, code, message }]
  }
  if (params !== undefined && params !== null && !Array.isArray(params)) {
    const message = 'action_params must be a list'
    return [{ pointer: `${pointer}/action_params`, code: 'params_not_a_list', message }]
  }
  const found = kind.check(params ?? [], `${pointer}/action_params`, { definitions })
  return found.map((fault) => ({ ...fault, message: `${kind.name}: ${fault.message}` }))
}
