import type { Fault } from '@dwell/contracts/rule'
import { isObject } from './fault-list'

export type AutomationBody = Readonly<Record<string, unknown>>

export type ReadBody =
  | { readonly ok: true; readonly body: AutomationBody }
  | { readonly ok: false; readonly fault: Fault }

/** Takes a body out of its wrapping, `{"automations": [{…}]}`. Anything else is 400: there is nothing to judge. */
export function readBody(wrapped: unknown): ReadBody {
  const list = isObject(wrapped) ? wrapped.automations : undefined
  if (!Array.isArray(list) || list.length === 0) {
    return refuse('/automations', 'automations_missing', 'the body must be {"automations": […]} with one automation')
  }
  if (list.length > 1) return refuse('/automations', 'several_automations', 'one automation at a time')
  const body: unknown = list[0]
  return isObject(body) ? { ok: true, body } : refuse('/automations/0', 'not_an_object', 'an automation is an object')
}

function refuse(pointer: string, code: string, message: string): ReadBody {
  return { ok: false, fault: { pointer, code, message } }
}

/** What has to be looked up before a body can be judged: total, whatever the body holds. */
export interface Lookups {
  /** Trimmed; null when there is none. */
  readonly name: string | null
  /** In lower case, each once. */
  readonly actionIds: readonly string[]
}

export function lookupsOf(body: AutomationBody): Lookups {
  const actions: readonly unknown[] = Array.isArray(body.actions) ? body.actions.slice(0, MAX_LOOKUPS) : []
  const ids = actions.flatMap((action) => (isObject(action) ? (uuidOf(action.id) ?? []) : []))
  return { name: typeof body.name === 'string' ? body.name.trim() : null, actionIds: [...new Set(ids)] }
}

/** A longer list is refused before its ids matter. */
const MAX_LOOKUPS = 100

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** In lower case; null for anything else. */
export function uuidOf(value: unknown): string | null {
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  return UUID.test(text) ? text : null
}
