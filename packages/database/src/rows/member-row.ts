import type { Micros } from '@dwell/contracts/instant'
import type { MemberStatus } from '@dwell/contracts/member-events'
import { isGone, type ProjectedMember } from '@dwell/domain/automations/member'
import { memberSearchText } from '@dwell/domain/automations/search-key'
import { fromStoredFactTimes, MEMBER_FACTS, type StoredFactTimes, toStoredFactTimes } from './fact-times'

/** What `MEMBER_COLUMNS` selects. Instants are µs. */
export interface MemberRow {
  readonly account_id: number
  readonly id: string
  readonly uuid: string | null
  readonly name: string | null
  readonly email: string | null
  readonly status: MemberStatus | null
  readonly tier_ids: readonly string[]
  readonly enable_updates_and_announcements: boolean | null
  readonly newsletter_ids: readonly string[]
  readonly fact_times: StoredFactTimes
  readonly signed_up_at: Micros | null
  readonly deleted_at: Micros | null
  readonly opted_out_at: Micros | null
  readonly unpaid_at: Micros | null
  readonly subscribed_at: Micros | null
  readonly subscribed_status: MemberStatus | null
  readonly subscribed_tier_ids: readonly string[]
  readonly revision: number
}

/** The select list of a member, of the table under the alias `m`. */
export const MEMBER_COLUMNS = `
  m.account_id, m.id, m.uuid, m.name, m.email, m.status, m.tier_ids, m.enable_updates_and_announcements,
  m.newsletter_ids, m.fact_times, dwell_micros(m.signed_up_at) AS signed_up_at,
  dwell_micros(m.deleted_at) AS deleted_at, dwell_micros(m.opted_out_at) AS opted_out_at,
  dwell_micros(m.unpaid_at) AS unpaid_at, dwell_micros(m.subscribed_at) AS subscribed_at, m.subscribed_status,
  m.subscribed_tier_ids, m.revision`

export function memberFromRow(row: MemberRow): ProjectedMember {
  const { subscribed_at: at, subscribed_status: status } = row
  return {
    accountId: row.account_id,
    id: row.id,
    facts: {
      uuid: row.uuid,
      name: row.name,
      email: row.email,
      status: row.status,
      tier_ids: row.tier_ids,
      enable_updates_and_announcements: row.enable_updates_and_announcements,
      newsletter_ids: row.newsletter_ids,
    },
    factTimes: fromStoredFactTimes(row.fact_times, MEMBER_FACTS),
    signedUpAt: row.signed_up_at,
    deletedAt: row.deleted_at,
    optedOutAt: row.opted_out_at,
    unpaidAt: row.unpaid_at,
    subscription: at === null || status === null ? null : { at, status, tierIds: row.subscribed_tier_ids },
    revision: row.revision,
  }
}

/** The columns to write; who is gone is found by no search. */
export function rowFromMember(
  member: ProjectedMember,
): MemberRow & { readonly gone: boolean; readonly search_text: string } {
  const gone = isGone(member)
  return {
    account_id: member.accountId,
    id: member.id,
    ...member.facts,
    fact_times: toStoredFactTimes(member.factTimes, MEMBER_FACTS),
    signed_up_at: member.signedUpAt,
    deleted_at: member.deletedAt,
    gone,
    opted_out_at: member.optedOutAt,
    unpaid_at: member.unpaidAt,
    subscribed_at: member.subscription?.at ?? null,
    subscribed_status: member.subscription?.status ?? null,
    subscribed_tier_ids: member.subscription?.tierIds ?? [],
    search_text: gone ? '' : memberSearchText(member.facts),
    revision: member.revision,
  }
}
