import type { Micros } from '@dwell/contracts/instant'
import type { MemberEvent, MemberStatus } from '@dwell/contracts/member-events'
import { type FactTimes, mergeFacts } from '../rules/projection'

/** What is known about a member; null and empty are also what a deleted one is reduced to. */
export interface MemberFacts {
  readonly uuid: string | null
  readonly name: string | null
  readonly email: string | null
  readonly status: MemberStatus | null
  readonly tier_ids: readonly string[]
  /** The preference: an explicit answer, or null where having a newsletter decides. */
  readonly enable_updates_and_announcements: boolean | null
  readonly newsletter_ids: readonly string[]
}

/** A subscription event that found the member paying. */
export interface Subscription {
  readonly at: Micros
  readonly status: MemberStatus
  readonly tierIds: readonly string[]
}

export interface ProjectedMember {
  readonly accountId: number
  /** The upstream application's id, as text. */
  readonly id: string
  readonly facts: MemberFacts
  readonly factTimes: FactTimes
  /** The latest sign-up and the latest deletion: who signs up after a deletion is there again. */
  readonly signedUpAt: Micros | null
  readonly deletedAt: Micros | null
  /** One-click unsubscribe: holds until the upstream application reports that the member changed their mind. */
  readonly optedOutAt: Micros | null
  /** The latest instant at which the member is known not to have paid: a membership begins after it. */
  readonly unpaidAt: Micros | null
  /** The youngest subscription event of a paying member. */
  readonly subscription: Subscription | null
  /** Raised by every event; 0 before the first one. */
  readonly revision: number
}

export const UNKNOWN_MEMBER: MemberFacts = {
  uuid: null,
  name: null,
  email: null,
  status: null,
  tier_ids: [],
  enable_updates_and_announcements: null,
  newsletter_ids: [],
}

export function unknownMember(accountId: number, id: string): ProjectedMember {
  return {
    accountId,
    id,
    facts: UNKNOWN_MEMBER,
    factTimes: {},
    signedUpAt: null,
    deletedAt: null,
    optedOutAt: null,
    unpaidAt: null,
    subscription: null,
    revision: 0,
  }
}

/** Gift counts as paying. */
export function isPaying(status: MemberStatus | null): boolean {
  return status === 'paid' || status === 'gift'
}

/** Deleted, and not signed up again since. */
export function isGone(member: ProjectedMember): boolean {
  return member.deletedAt !== null && (member.signedUpAt === null || member.signedUpAt <= member.deletedAt)
}

/** May be sent automations' e-mails: an explicit answer wins, without one a newsletter is taken for consent. */
export function acceptsEmail(member: ProjectedMember): boolean {
  if (member.optedOutAt !== null) return false
  return member.facts.enable_updates_and_announcements ?? member.facts.newsletter_ids.length > 0
}

/**
 * Learns what an event says about its member. Each fact is guarded by the time it was learnt, so that late and repeated
 * events change nothing that is newer; a deletion drops every fact that is not younger than it.
 */
export function projectMember(known: ProjectedMember, event: MemberEvent): ProjectedMember {
  const at = event.occurred_at
  const deletedAt = event.event === 'member_deleted' ? latest(known.deletedAt, at) : known.deletedAt
  const learnt = deletedAt !== null && at <= deletedAt ? {} : factsOf(event)
  const { status } = event.member
  const unpaidAt = status === undefined || isPaying(status) ? known.unpaidAt : latest(known.unpaidAt, at)
  return {
    ...known,
    ...withoutOlder(mergeFacts(known.facts, known.factTimes, learnt, at), deletedAt),
    signedUpAt: event.event === 'member_signed_up' ? latest(known.signedUpAt, at) : known.signedUpAt,
    deletedAt,
    optedOutAt:
      isOver(known.optedOutAt, deletedAt) || changedTheirMind(known.optedOutAt, event) ? null : known.optedOutAt,
    unpaidAt: deletedAt === null ? unpaidAt : latest(unpaidAt, deletedAt),
    subscription: youngest(known.subscription, subscriptionOf(known, event)),
    revision: known.revision + 1,
  }
}

/** The facts an event is judged on: its own snapshot over what was known, whatever its age. */
export function factsAtEvent(known: ProjectedMember, event: MemberEvent): MemberFacts {
  return { ...known.facts, ...factsOf(event) }
}

function factsOf(event: MemberEvent): Partial<MemberFacts> {
  const { id: _id, ...facts } = event.member
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as Partial<MemberFacts>
}

function withoutOlder(
  known: { readonly facts: MemberFacts; readonly factTimes: FactTimes },
  deletedAt: Micros | null,
): { readonly facts: MemberFacts; readonly factTimes: FactTimes } {
  if (deletedAt === null) return known
  const kept = Object.entries(known.factTimes).filter(([, at]) => at > deletedAt)
  const facts = kept.map(([key]) => [key, known.facts[key as keyof MemberFacts]])
  return { facts: { ...UNKNOWN_MEMBER, ...Object.fromEntries(facts) }, factTimes: Object.fromEntries(kept) }
}

/** Who signs up after a deletion is there again, with nothing from before. */
function isOver(optedOutAt: Micros | null, deletedAt: Micros | null): boolean {
  return optedOutAt !== null && deletedAt !== null && optedOutAt <= deletedAt
}

/**
 * The upstream application does not know of the opt-out and goes on reporting the preference it has: only an event that
 * says that it was *changed* to true takes the opt-out back.
 */
function changedTheirMind(optedOutAt: Micros | null, event: MemberEvent): boolean {
  const change = event.changed_attributes?.enable_updates_and_announcements
  return optedOutAt !== null && event.occurred_at > optedOutAt && change?.[1] === true
}

function subscriptionOf(known: ProjectedMember, event: MemberEvent): Subscription | null {
  if (event.event !== 'member_subscription_changed') return null
  const { status, tier_ids } = factsAtEvent(known, event)
  return status !== null && isPaying(status) ? { at: event.occurred_at, status, tierIds: tier_ids } : null
}

function youngest(a: Subscription | null, b: Subscription | null): Subscription | null {
  if (a === null || b === null) return a ?? b
  return b.at >= a.at ? b : a
}

function latest(a: Micros | null, b: Micros): Micros {
  return a === null || b > a ? b : a
}
