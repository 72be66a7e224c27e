import { MICROS_PER_DAY, MICROS_PER_MILLISECOND, type Micros } from '@dwell/contracts/instant'
import type { MemberEvent } from '@dwell/contracts/member-events'
import { isInAudience } from './audience'
import type { ReEntryPolicy, RunningAutomation } from './automation'
import { factsAtEvent, isGone, isPaying, type MemberFacts, type ProjectedMember, projectMember } from './member'
import { type PlannedStep, planStep } from './step-plan'

/** A run to be written, together with its first step. */
export interface PlannedRun {
  readonly accountId: number
  readonly automationId: string
  readonly memberId: string
  /** As it was at entry: history, never shown, never searched. */
  readonly memberEmail: string | null
  readonly eventId: string
  /** The instant of the event, to the millisecond that is reported. */
  readonly createdAt: Micros
  /** Keeps other runs of this automation and member, made under the same policy, out; null if they may begin. */
  readonly keepsOut: KeepsOut | null
  readonly firstStep: PlannedStep
}

/** The span from a run's entry that no other run may overlap: a constraint of the table, per policy. */
export interface KeepsOut {
  /** `once`, or `after_days:<days>`. */
  readonly policy: string
  readonly until: Micros | 'forever'
}

/** Entry times of a member's runs so far, by automation. */
export type EntriesByAutomation = ReadonlyMap<string, readonly Micros[]>

export interface TakenMemberEvents {
  /** The projection after all of them. */
  readonly member: ProjectedMember
  readonly runs: readonly PlannedRun[]
}

/**
 * Takes the events of one member, in order of their instants: what is known afterwards, and which runs begin. Events that
 * were taken before must have been left out; the entries are those of every automation that may begin here.
 */
export function takeMemberEvents(
  known: ProjectedMember,
  events: readonly MemberEvent[],
  automations: readonly RunningAutomation[],
  entries: EntriesByAutomation,
): TakenMemberEvents {
  const entered = new Map([...entries].map(([id, times]) => [id, [...times]]))
  const runs: PlannedRun[] = []
  let member = known
  for (const event of [...events].sort((a, b) => a.occurred_at - b.occurred_at)) {
    const before = member
    member = projectMember(before, event)
    for (const automation of automations) {
      const times = entered.get(automation.id) ?? []
      const run = startedBy({ event, before, after: member, automation, entries: times })
      if (run === null) continue
      entered.set(automation.id, [...times, run.createdAt])
      runs.push(run)
    }
  }
  return { member, runs }
}

interface Occasion {
  readonly event: MemberEvent
  readonly before: ProjectedMember
  readonly after: ProjectedMember
  readonly automation: RunningAutomation
  readonly entries: readonly Micros[]
}

function startedBy(occasion: Occasion): PlannedRun | null {
  const { event, after, automation, entries } = occasion
  if (automation.status !== 'active' || isGone(after)) return null
  const facts = factsAtEvent(after, event)
  if (!isOccasion(occasion, facts)) return null
  const createdAt = reported(event.occurred_at)
  if (!mayEnter(automation.policy, createdAt, entries)) return null
  const firstStep = planStep(automation.path, 0, event.occurred_at)
  if (firstStep === null) return null
  return {
    accountId: automation.accountId,
    automationId: automation.id,
    memberId: after.id,
    memberEmail: facts.email,
    eventId: event.id,
    createdAt,
    keepsOut: keepsOut(automation.policy, createdAt),
    firstStep,
  }
}

/**
 * Judged on what the event says and on what is known by now: a late sign-up of somebody who pays meanwhile starts no free
 * flow, a purchase that was cancelled meanwhile no paid one.
 */
function isOccasion({ event, before, after, automation, entries }: Occasion, facts: MemberFacts): boolean {
  const { trigger } = automation
  if (!isInAudience(trigger, facts) || !isInAudience(trigger, after.facts)) return false
  switch (event.event) {
    case 'member_signed_up':
      // A sign-up that already says paid is followed by the event of the purchase, which starts the paid flows.
      return trigger.scope === 'free'
    case 'member_subscription_changed':
      return isPaying(facts.status) && isNewMembership({ event, before, after, automation, entries })
    case 'member_updated':
    case 'member_deleted':
      return false
  }
}

/**
 * A membership is the time since the member was last known not to pay; a gift that turns into a purchase is one. It starts
 * an automation once: whether it has is told by its runs, since the status may have been reported by another event before.
 * A renewal by somebody who was in the audience when they last paid starts none either, also where no run tells of it
 * because the automation is younger than the purchase.
 */
function isNewMembership({ event, before, after, automation, entries }: Occasion): boolean {
  const since = after.unpaidAt
  if (since !== null && since > event.occurred_at) return false
  if (entries.some((entry) => since === null || entry >= reported(since))) return false
  const last = before.subscription
  if (last === null || last.at >= event.occurred_at || (since !== null && last.at < since)) return true
  const standing = { status: last.status, tier_ids: last.tierIds }
  return last.status !== 'paid' || !isInAudience(automation.trigger, standing)
}

/** `after_days`: as many days of 24 hours from every other entry; exactly as many is enough. */
export function mayEnter(policy: ReEntryPolicy, at: Micros, entries: readonly Micros[]): boolean {
  switch (policy.reEntry) {
    case 'always':
      return true
    case 'once':
      return entries.length === 0
    case 'after_days':
      return entries.every((entry) => Math.abs(at - entry) >= policy.days * MICROS_PER_DAY)
  }
}

function keepsOut(policy: ReEntryPolicy, at: Micros): KeepsOut | null {
  switch (policy.reEntry) {
    case 'always':
      return null
    case 'once':
      return { policy: 'once', until: 'forever' }
    case 'after_days':
      return { policy: `after_days:${policy.days}`, until: (at + policy.days * MICROS_PER_DAY) as Micros }
  }
}

/** Entries are kept, compared and ordered as they are reported: in whole milliseconds. */
function reported(at: Micros): Micros {
  return (Math.floor(at / MICROS_PER_MILLISECOND) * MICROS_PER_MILLISECOND) as Micros
}
