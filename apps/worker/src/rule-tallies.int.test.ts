import type { Micros } from '@dwell/contracts/instant'
import { updateAccount } from '@dwell/database/accounts'
import { deleteRule, updateRule } from '@dwell/database/automation-rules'
import { expireOverdue, skipDueOfDisabledAccounts } from '@dwell/database/pending-executions/sweep-steps'
import { readRuleHealth } from '@dwell/database/rule-health'
import { countedTallies, storedTallies } from '@dwell/testing/rule-tallies'
import { useStores } from '@dwell/testing/stores'
import { processBatch } from './process/process-batch'
import { at, CHASE, incoming, outgoing, pending, resolved, UNANSWERED } from './testing/conversations'
import { sweeper } from './testing/sweeper'
import { useWorkerParts } from './testing/worker-parts'

const parts = useWorkerParts(useStores())

/** What the tallies hold is what the rows say; answers them as `outcome: rows`, all rules and days together. */
async function tallies(): Promise<Record<string, number>> {
  const stored = await storedTallies(parts.pool, parts.account)
  expect(stored).toEqual(await countedTallies(parts.pool, parts.account))
  const sums: Record<string, number> = {}
  for (const { outcome, rows } of stored) sums[outcome] = (sums[outcome] ?? 0) + rows
  return sums
}

const change = async () => ({ actor: 'test', now: await parts.clock.now() })
const conversations = (n: number) => Array.from({ length: n }, (_, i) => pending(i + 1))

async function work(): Promise<void> {
  await processBatch(parts.processing(), await parts.claim())
}

test('arming, moving, executing and skipping count, and a claim, a release or a repeated event do not', async () => {
  await parts.rule()
  await parts.rule(CHASE)
  const events = [...conversations(3), outgoing(501, '10:00'), outgoing(502, '10:10')]
  await parts.take(...events)
  expect(await tallies()).toEqual({ armed: 4 })
  await parts.take(...events)
  await parts.take(resolved(2, '10:30'))
  parts.clock.set(at('11:00'))
  await parts.claim(1)
  expect(await tallies()).toEqual({ armed: 4 })
  await work()
  parts.clock.set(at('11:16'))
  await sweeper(parts)()
  await work()
  expect(await tallies()).toMatchObject({ armed: 4, episode_moved: 1 })
})

test('a row that is armed again waits again', async () => {
  const rule = await parts.rule(CHASE)
  await parts.take(outgoing(501, '10:00'))
  await updateRule(parts.database, parts.account, rule, { active: false }, await change())
  expect(await tallies()).toEqual({ armed: 1, rule_inactive: 1 })
  await updateRule(parts.database, parts.account, rule, { active: true }, await change())
  await parts.take(outgoing(502, '10:20'))
  expect(await tallies()).toEqual({ armed: 1 })
  expect(await parts.states()).toEqual(['pending'])
})

test('a late message that moves rows to another episode leaves the tallies right', async () => {
  await parts.rule(CHASE)
  await parts.rule(UNANSWERED)
  await parts.take(incoming(500, '09:50'), outgoing(501, '10:00'), outgoing(503, '10:20'))
  await parts.take(incoming(502, '10:10'))
  await parts.take(incoming(499, '09:40'))
  const counted = await tallies()
  expect(counted.armed).toBeGreaterThanOrEqual(2)
})

test('what sweeps and the administration end or forget is counted by its reason', async () => {
  const rule = await parts.rule()
  await parts.take(...conversations(2))
  parts.clock.set('2026-09-05T12:00:00Z')
  await expireOverdue(parts.pool, { now: await parts.clock.now(), delayed: true, pauses: false })
  expect(await tallies()).toEqual({ armed: 2, expired: 2 })

  await parts.take(...[3, 4].map((n) => pending(n, '10:00', { status_changed_at: at('10:00') })))
  await parts.pool.query(`UPDATE accounts SET features = '{}' WHERE id = $1`, [parts.account])
  await skipDueOfDisabledAccounts(parts.pool, await parts.clock.now())
  expect(await tallies()).toEqual({ armed: 4, expired: 2, flag_disabled: 2 })

  await parts.pool.query(
    `UPDATE accounts SET features = '{delayed_automations}', rules_version = rules_version + 1 WHERE id = $1`,
    [parts.account],
  )
  await parts.take(pending(5), pending(6))
  await updateRule(parts.database, parts.account, rule, { execution_delay: null }, await change())
  expect(await tallies()).toEqual({ armed: 6, expired: 2, flag_disabled: 2, rule_changed: 2 })

  await updateRule(parts.database, parts.account, rule, { execution_delay: 60 }, await change())
  await parts.take(pending(7))
  await deleteRule(parts.database, parts.account, rule, await change())
  expect(await tallies()).toEqual({ armed: 6, expired: 2, flag_disabled: 2, rule_changed: 2 })
})

test('a feature that is switched off counts what it skips', async () => {
  await parts.rule()
  await parts.take(...conversations(3))
  await updateAccount(parts.database, parts.account, { features: [] }, await change())
  expect(await tallies()).toEqual({ armed: 3, flag_disabled: 3 })
})

test('batches that run at once lose no count', async () => {
  const rule = await parts.rule()
  await Promise.all(
    Array.from({ length: 8 }, (_, batch) =>
      parts.take(...Array.from({ length: 25 }, (_, i) => pending(batch * 25 + i + 1))),
    ),
  )
  parts.clock.set(at('11:00'))
  const claims = await parts.claim()
  await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      processBatch(
        parts.processing(),
        claims.filter((_, i) => i % 8 === n),
      ),
    ),
  )
  expect(await tallies()).toEqual({ armed: 200, executed: 200 })
  const health = await readRuleHealth(parts.pool, parts.account, [rule], (await parts.clock.now()) as Micros)
  expect(health.get(rule)).toMatchObject({ armed: 200, waiting: 0, executed: 200, skipped: 0, skippedBy: {} })
})

test('the day of a row is that on which it was armed, in UTC', async () => {
  const rule = await parts.rule()
  parts.clock.set('2026-09-01T23:59:59.999999Z')
  await parts.take(pending(1))
  parts.clock.set('2026-09-02T00:00:00Z')
  await parts.take(pending(2))
  expect(await storedTallies(parts.pool, parts.account)).toEqual([
    { rule, day: '2026-09-01', outcome: 'armed', rows: 1 },
    { rule, day: '2026-09-02', outcome: 'armed', rows: 1 },
  ])
  const armedAt = async (now: string) => {
    parts.clock.set(now)
    return (await readRuleHealth(parts.pool, parts.account, [rule], await parts.clock.now())).get(rule)
  }
  expect(await armedAt('2026-10-01T23:59:59.999999Z')).toMatchObject({ armed: 2 })
  expect(await armedAt('2026-10-02T00:00:00Z')).toMatchObject({ armed: 1, waiting: 1 })
})
