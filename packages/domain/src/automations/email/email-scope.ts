import type { TemplateScope } from '../../liquid'
import type { ProjectedMember } from '../member'

export interface EmailFacts {
  readonly account: { readonly id: number; readonly name: string }
  readonly automation: { readonly id: string; readonly name: string }
  readonly member: ProjectedMember
  readonly unsubscribeUrl: string
}

/** The names an e-mail may use; docs/automations.md lists them for people. */
export function emailScope({ account, automation, member, unsubscribeUrl }: EmailFacts): TemplateScope {
  const { name, email, uuid, status, tier_ids } = member.facts
  const words = (name ?? '').split(/\s+/).filter((word) => word !== '')
  return {
    account: { id: account.id, name: account.name },
    automation: { id: automation.id, name: automation.name },
    member: {
      id: member.id,
      uuid,
      name,
      first_name: words[0] ?? null,
      last_name: words.length > 1 ? (words.at(-1) ?? null) : null,
      email,
      status,
      tier_ids,
    },
    unsubscribe_url: unsubscribeUrl,
  }
}
