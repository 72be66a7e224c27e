import type { AutomationContent, StoredAutomation, Surroundings } from '../check-save'
import { checkCreate, checkEdit } from '../check-save'
import { edgesOf } from '../path'

/** Bodies of saves, and what is said about them, for tests. */

export const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
export const wait = (n: number, wait_hours: unknown = 24) => ({ id: id(n), type: 'wait', data: { wait_hours } })
export const mail = (n: number, data: object = {}) => ({
  id: id(n),
  type: 'send_email',
  data: { email_subject: 'Hi', email_body: 'Hello {{member.name}}', ...data },
})
export const edge = (from: number, to: number) => ({ source_action_id: id(from), target_action_id: id(to) })
export const chain = (...ns: number[]) => edgesOf(ns.map(id))

export const ALONE: Surroundings = { nameTaken: false, takenActions: new Map() }
export const BODY = {
  name: 'Flow A',
  description: 'A case',
  status: 'inactive',
  trigger_tier_scope: 'free',
  actions: [wait(1), mail(2)],
  edges: chain(1, 2),
}

export const STORED: StoredAutomation = {
  id: 'A',
  name: 'Flow A',
  description: 'A case',
  status: 'inactive',
  trigger: { scope: 'free', tierIds: [] },
  policy: { reEntry: 'always', days: null },
  actions: [
    { id: id(1), type: 'wait', data: { wait_hours: 24 } },
    {
      id: id(2),
      type: 'send_email',
      data: { email_subject: 'Hi', email_body: 'Hello {{member.name}}', email_format: 'markdown' },
    },
  ],
}
export const OWN: Surroundings = {
  nameTaken: false,
  takenActions: new Map([
    [id(1), { automationId: 'A', type: 'wait', removed: false }],
    [id(2), { automationId: 'A', type: 'send_email', removed: false }],
    [id(8), { automationId: 'A', type: 'wait', removed: true }],
    [id(9), { automationId: 'B', type: 'wait', removed: false }],
  ]),
}

export const said = (check: ReturnType<typeof checkCreate>) =>
  check.ok ? [] : check.faults.map(({ pointer, code }) => `${pointer.replace('/automations/0', '')} ${code}`)
export const created = (change: object, surroundings = ALONE) => said(checkCreate({ ...BODY, ...change }, surroundings))
export const edited = (change: object, stored: Partial<StoredAutomation> = {}) => {
  const { actions, edges } = BODY
  return said(checkEdit({ status: 'inactive', actions, edges, ...change }, { ...STORED, ...stored }, OWN))
}
export function contentOf(body: object, stored: StoredAutomation | null = null): AutomationContent {
  const check = stored === null ? checkCreate({ ...BODY, ...body }, ALONE) : checkEdit({ ...body }, stored, OWN)
  if (!check.ok) throw new Error(check.faults.map((fault) => `${fault.pointer}: ${fault.message}`).join())
  return check.content
}
