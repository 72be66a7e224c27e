import type { ActionName } from './vocabulary'

/** Which field of the form an action's parameters have. */
export type ParamsField =
  | 'none'
  | 'message'
  | 'labels'
  | 'agent'
  | 'team'
  | 'status'
  | 'priority'
  | 'duration'
  | 'policy'
  | 'files'
  | 'teams'
  | 'emails'
  | 'url'
  | 'attribute'

const FIELDS: Readonly<Record<ActionName, ParamsField>> = {
  send_message: 'message',
  add_private_note: 'message',
  add_label: 'labels',
  remove_label: 'labels',
  assign_agent: 'agent',
  remove_assigned_agent: 'none',
  assign_team: 'team',
  remove_assigned_team: 'none',
  change_status: 'status',
  open_conversation: 'none',
  pending_conversation: 'none',
  resolve_conversation: 'none',
  snooze_conversation: 'duration',
  change_priority: 'priority',
  mute_conversation: 'none',
  set_custom_attribute: 'attribute',
  send_attachment: 'files',
  add_sla: 'policy',
  send_email_to_team: 'teams',
  send_email_transcript: 'emails',
  send_webhook_event: 'url',
}

export function paramsField(action: string): ParamsField | undefined {
  return (FIELDS as Readonly<Record<string, ParamsField | undefined>>)[action]
}

const isScalar = (value: unknown) => typeof value === 'string' || typeof value === 'number'

/** Whether the form's field can show these parameters without losing any; else they are shown as they are. */
export function fitsField(field: ParamsField, params: readonly unknown[]): boolean {
  const [first, ...others] = params
  if (params.length === 0) return true
  switch (field) {
    case 'none':
      return false
    case 'labels':
    case 'files':
      return params.every(isScalar)
    case 'duration':
      return others.length === 0 && holdsOnly(first, ['duration_minutes'])
    case 'teams':
      return others.length === 0 && holdsOnly(first, ['team_ids', 'message'])
    case 'attribute':
      return others.length === 0 && holdsOnly(first, ['custom_attribute_type', 'attribute_key', 'value'])
    default:
      return others.length === 0 && isScalar(first)
  }
}

function holdsOnly(value: unknown, keys: readonly string[]): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).every((key) => keys.includes(key))
  )
}

/** Digits are a number; anything else stays as it was written, so that the server can say what is wrong with it. */
export function numberOrText(text: string): string | number {
  return /^\d{1,15}$/.test(text.trim()) ? Number(text) : text
}

export function objectIn(params: readonly unknown[]): Readonly<Record<string, unknown>> {
  const [first] = params
  return typeof first === 'object' && first !== null ? (first as Record<string, unknown>) : {}
}
