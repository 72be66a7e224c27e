import type { Micros } from '@dwell/contracts/instant'
import type { MemberEvent } from '@dwell/contracts/member-events'
import { takeMemberEvents } from '@dwell/domain/automations/entry'
import type { ProjectedMember } from '@dwell/domain/automations/member'
import type { PoolClient } from 'pg'
import type { RuleBook } from '../rule-books'
import { judging } from './failure-class'
import { dropIdentities, lockMembers, writeMembers } from './members'
import { type BegunRuns, beginRuns, NO_RUNS, type RunToWrite, readEntries } from './runs'

/**
 * Learns what events say about members and begins the runs they start, all in the transaction that takes the events.
 */
export async function takeMembers(
  client: PoolClient,
  events: readonly MemberEvent[],
  books: ReadonlyMap<number, RuleBook>,
  now: Micros,
): Promise<BegunRuns> {
  if (events.length === 0) return NO_RUNS
  const byMember = new Map<string, MemberEvent[]>()
  for (const event of events) {
    const key = memberKey(event.account_id, event.member.id)
    byMember.set(key, [...(byMember.get(key) ?? []), event])
  }
  const ids = [...byMember.values()].flatMap(([event]) =>
    event === undefined ? [] : [{ accountId: event.account_id, id: event.member.id }],
  )
  const known = await lockMembers(client, ids)
  const running = (accountId: number) =>
    (books.get(accountId)?.automations ?? []).filter((automation) => automation.status === 'active')
  const entries = await readEntries(
    client,
    known.flatMap(({ accountId, id }) =>
      (byMember.get(memberKey(accountId, id)) ?? []).some(mayBegin)
        ? running(accountId).map((automation) => ({ automationId: automation.id, memberId: id }))
        : [],
    ),
  )
  const members: ProjectedMember[] = []
  const deleted: ProjectedMember[] = []
  const runs: RunToWrite[] = []
  for (const before of known) {
    const automations = running(before.accountId)
    const own = byMember.get(memberKey(before.accountId, before.id)) ?? []
    const ids = automations.map(({ id }) => id)
    const taken = judging(() => takeMemberEvents(before, own, automations, entries(ids, before.id)))
    const traces = new Map(own.map((event) => [event.id, event.traceparent ?? null]))
    members.push(taken.member)
    if (taken.member.deletedAt !== before.deletedAt) deleted.push(taken.member)
    runs.push(...taken.runs.map((run) => ({ ...run, traceparent: traces.get(run.eventId) ?? null })))
  }
  await writeMembers(client, members)
  await dropIdentities(client, deleted)
  return beginRuns(client, runs, now)
}

function mayBegin({ event }: MemberEvent): boolean {
  return event === 'member_signed_up' || event === 'member_subscription_changed'
}

function memberKey(accountId: number, id: string): string {
  return `${accountId}/${id}`
}
