import { randomUUID } from 'node:crypto'
import { api, type Desk } from './desk'

export interface MemberFacts {
  readonly name?: string | null
  readonly email?: string
  readonly status?: 'free' | 'paid' | 'comped' | 'gift'
  readonly enable_updates_and_announcements?: boolean | null
}

/** A member as events tell of one. */
export function member(id: string, facts: MemberFacts = {}) {
  return {
    id,
    uuid: `00000000-0000-4000-8000-${id.replace(/\D/g, '').padStart(12, '0')}`,
    name: `Member ${id}`,
    email: `member-${id}@example.com`,
    status: 'free',
    tier_ids: [],
    enable_updates_and_announcements: true,
    newsletter_ids: [],
    ...facts,
  }
}

export const signUp = (id: string, at: string, facts: MemberFacts = {}) => ({
  event: 'member_signed_up',
  occurred_at: at,
  member: member(id, facts),
})

type PathAction = { readonly wait: number } | { readonly subject: string; readonly body?: string }

/** Makes an automation of these actions, one after the other, for members who sign up free. */
export async function automation(
  desk: Desk,
  name: string,
  path: readonly PathAction[],
  facts: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly id: string; readonly version: number }> {
  const actions = path.map((action) =>
    'wait' in action
      ? { id: randomUUID(), type: 'wait', data: { wait_hours: action.wait } }
      : {
          id: randomUUID(),
          type: 'send_email',
          data: { email_subject: action.subject, email_body: action.body ?? 'Hello {{ member.name }}' },
        },
  )
  const edges = actions
    .slice(1)
    .map(({ id }, place) => ({ source_action_id: actions[place]?.id, target_action_id: id }))
  const body = { name, description: '', status: 'active', trigger_tier_scope: 'free', actions, edges, ...facts }
  const answer = await api.must('POST', `/accounts/${desk.accountId}/automations`, { automations: [body] })
  const [made] = (answer as { automations: { id: string; version: number }[] }).automations
  if (made === undefined) throw new Error('no automation was made')
  return made
}
