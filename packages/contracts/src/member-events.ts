import { z } from 'zod'
import { envelope } from './envelope'

/** The first two are things a member did; the other two keep what is known of the member true. automations.md section 3. */
export const MEMBER_EVENTS = [
  'member_signed_up',
  'member_subscription_changed',
  'member_updated',
  'member_deleted',
] as const
export type MemberEventName = (typeof MEMBER_EVENTS)[number]

export const MEMBER_STATUSES = ['free', 'paid', 'comped', 'gift'] as const
export type MemberStatus = (typeof MEMBER_STATUSES)[number]

/** The upstream application's own id, kept as text: numbers and object ids alike. */
const upstreamId = z.union([z.string().min(1).max(191), z.int().transform(String)])
const listOfIds = z
  .array(upstreamId)
  .nullable()
  .transform((ids) => (ids === null ? [] : [...new Set(ids)]))

/** Keys left out are unchanged; null is a value. */
export const memberSnapshot = z.object({
  id: upstreamId,
  uuid: z.string().max(191).nullable().optional(),
  name: z.string().nullable().optional(),
  email: z.string().nullable().optional(),
  status: z.enum(MEMBER_STATUSES).optional(),
  tier_ids: listOfIds.optional(),
  /** Null: not said; then having a newsletter decides. */
  enable_updates_and_announcements: z.boolean().nullable().optional(),
  newsletter_ids: listOfIds.optional(),
})
export type MemberSnapshot = z.output<typeof memberSnapshot>

export const memberEvent = z.object({
  ...envelope,
  event: z.enum(MEMBER_EVENTS),
  member: memberSnapshot,
})
export type MemberEvent = z.output<typeof memberEvent>
/** As an upstream application writes it: instants are ISO text. */
export type MemberEventInput = z.input<typeof memberEvent>
