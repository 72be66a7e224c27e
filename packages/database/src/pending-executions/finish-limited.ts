import type { Micros } from '@dwell/contracts/instant'
import { type RateClaim, refusedByRate } from '@dwell/domain/rules/rate-guards'
import type { PoolClient } from 'pg'
import { retryDeadlock } from '../deadlock'
import { inTransaction, type Pool } from '../pool'
import { type Finish, finishHeld, finishHeldOnce } from './finish'

/** Nothing of it counts: a row that had taken from a limit did not end. */
class LostMeanwhile extends Error {
  constructor(readonly ended: ReadonlySet<number>) {
    super('A row that counts against a limit was lost')
  }
}

/**
 * `finishHeld` for rows of which some count against limits of their accounts: the counters are raised, and with them locked,
 * before the rows end, in one transaction, so that of any number of workers together exactly as many deliveries leave as
 * the limit says. Batches without such rows pay nothing. Answers the rows that ended, with the deliveries that were
 * written: what a limit refused is `failed` and says so.
 */
export async function finishWithinLimits(
  pool: Pool,
  claimToken: string,
  finishes: readonly Finish[],
  now: Micros,
): Promise<Map<number, Finish>> {
  if (finishes.every(({ rateClaims }) => rateClaims.length === 0)) {
    return endedOf(finishes, await finishHeld(pool, claimToken, finishes, now))
  }
  for (let tried = finishes; ; ) {
    try {
      return await retryDeadlock(() => inTransaction(pool, (client) => attempt(client, claimToken, tried, now)))
    } catch (error) {
      if (!(error instanceof LostMeanwhile)) throw error
      // What the lost ones took is free again; the others are decided anew.
      tried = tried.filter(({ held }) => error.ended.has(held.row.id))
      if (tried.length === 0) return new Map()
    }
  }
}

async function attempt(
  client: PoolClient,
  claimToken: string,
  finishes: readonly Finish[],
  now: Micros,
): Promise<Map<number, Finish>> {
  const refused = await takeFromLimits(
    client,
    finishes.flatMap(({ rateClaims }) => rateClaims),
  )
  const decided = finishes.map((finish) => withoutRefused(finish, refused))
  const ended = await finishHeldOnce(client, claimToken, decided, now)
  if (finishes.some(({ held, rateClaims }) => rateClaims.length > 0 && !ended.has(held.row.id))) {
    throw new LostMeanwhile(ended)
  }
  return endedOf(decided, ended)
}

// In one order for all workers, so that no two wait for each other.
const TAKE = `
  INSERT INTO rate_counters AS c (account_id, kind, subject, window_start, taken)
  SELECT v.account_id, v.kind, v.subject, dwell_instant(v.window_start), v.wanted
  FROM json_to_recordset($1::json) AS v(account_id bigint, kind text, subject bigint, window_start bigint, wanted int)
  ORDER BY v.account_id, v.kind, v.subject, v.window_start
  ON CONFLICT (account_id, kind, subject, window_start) DO UPDATE SET taken = c.taken + excluded.taken
  RETURNING account_id, kind, subject, dwell_micros(window_start) AS window_start, taken`

// What was refused has not been taken, should the limit be raised within the window.
const GIVE_BACK = `
  UPDATE rate_counters c SET taken = c.taken - v.refused
  FROM json_to_recordset($1::json) AS v(account_id bigint, kind text, subject bigint, window_start bigint, refused int)
  WHERE c.account_id = v.account_id AND c.kind = v.kind AND c.subject = v.subject
    AND c.window_start = dwell_instant(v.window_start)`

interface Counter {
  readonly account_id: number
  readonly kind: string
  readonly subject: number
  readonly window_start: number
}

/** Counts the claims; answers those that their limit refuses, by the id of the delivery. The first come are served. */
async function takeFromLimits(client: PoolClient, claims: readonly RateClaim[]): Promise<Map<string, RateClaim>> {
  const groups = new Map<string, RateClaim[]>()
  for (const claim of claims) {
    const key = keyOf(counterOf(claim))
    groups.set(key, [...(groups.get(key) ?? []), claim])
  }
  const wanted = [...groups.values()].flatMap(([first, ...rest]) =>
    first === undefined ? [] : [{ ...counterOf(first), wanted: rest.length + 1 }],
  )
  const { rows } = await client.query<Counter & { taken: number }>({
    name: 'take-from-limits',
    text: TAKE,
    values: [JSON.stringify(wanted)],
  })
  const refused = new Map<string, RateClaim>()
  const back: (Counter & { refused: number })[] = []
  for (const { taken, ...counter } of rows) {
    const group = groups.get(keyOf(counter)) ?? []
    const free = Math.max(0, (group[0]?.limit ?? 0) - (taken - group.length))
    const over = group.slice(free)
    for (const claim of over) refused.set(claim.deliveryId, claim)
    if (over.length > 0) back.push({ ...counter, refused: over.length })
  }
  if (back.length > 0) await client.query(GIVE_BACK, [JSON.stringify(back)])
  return refused
}

function counterOf({ accountId, kind, subject, windowStart }: RateClaim): Counter {
  return { account_id: accountId, kind, subject, window_start: windowStart }
}

function keyOf({ account_id: account, kind, subject, window_start: start }: Counter): string {
  return `${account} ${kind} ${subject} ${start}`
}

function withoutRefused(finish: Finish, refused: ReadonlyMap<string, RateClaim>): Finish {
  const { outcome } = finish
  if (outcome.status !== 'executed' || finish.rateClaims.length === 0) return finish
  const deliveries = outcome.deliveries.map((delivery) => {
    const claim = refused.get(delivery.id)
    return claim === undefined ? delivery : refusedByRate(delivery, claim)
  })
  return { ...finish, outcome: { ...outcome, deliveries } }
}

function endedOf(finishes: readonly Finish[], ended: ReadonlySet<number>): Map<number, Finish> {
  return new Map(finishes.flatMap((finish) => (ended.has(finish.held.row.id) ? [[finish.held.row.id, finish]] : [])))
}
