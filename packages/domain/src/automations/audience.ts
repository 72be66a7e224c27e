import type { Trigger } from '@dwell/contracts/automations'
import type { MemberFacts } from './member'
import { isPaying } from './member'

type Standing = Pick<MemberFacts, 'status' | 'tier_ids'>

/** A free flow is for free members, a paid one for paid and gift; comped fits neither. No trigger is for nobody. */
export function statusFits({ scope }: Trigger, { status }: Standing): boolean {
  if (scope === null) return false
  return scope === 'free' ? status === 'free' : isPaying(status)
}

/** Only `selected_paid` asks for tiers: one of the listed is enough. */
export function tiersFit({ scope, tierIds }: Trigger, standing: Standing): boolean {
  return scope !== 'selected_paid' || standing.tier_ids.some((id) => tierIds.includes(id))
}

export function isInAudience(trigger: Trigger, standing: Standing): boolean {
  return statusFits(trigger, standing) && tiersFit(trigger, standing)
}
