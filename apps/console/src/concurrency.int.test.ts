import { useStores } from '@dwell/testing/stores'
import { waitFor } from '@dwell/testing/wait-for'
import { insertRow, statesOf } from './testing/rows'
import { ruleBody } from './testing/rules'
import { useConsole } from './testing/running-console'

const console = useConsole(useStores())

/** Another process in the middle of a transaction. */
async function inAnotherTransaction<T>(
  work: (query: (text: string, values?: unknown[]) => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const client = await console.deps.pool.connect()
  try {
    await client.query('BEGIN')
    const result = await work((text, values) => client.query(text, values))
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}

async function waiters(): Promise<number> {
  const { rows } = await console.deps.pool.query(
    `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return rows[0].n
}

async function armed() {
  const account = await console.createAccount()
  const path = `/accounts/${account}`
  const rule = (await console.call('POST', `${path}/automation_rules`, ruleBody())).body.payload.id
  const row = await insertRow(console.deps.pool, { accountId: account, ruleId: rule })
  return { account, path, rule, row, rulePath: `${path}/automation_rules/${rule}` }
}

describe('a change waits for the batch of ingest that holds the account, and sees the rows it armed', () => {
  test.each([
    [
      'switching a rule off',
      (at: Awaited<ReturnType<typeof armed>>) => console.call('PATCH', at.rulePath, { active: false }),
      'skipped:rule_inactive',
    ],
    [
      'switching the feature off',
      (at: Awaited<ReturnType<typeof armed>>) => console.call('PATCH', at.path, { features: [] }),
      'skipped:flag_disabled',
    ],
    ['deleting a rule', (at: Awaited<ReturnType<typeof armed>>) => console.call('DELETE', at.rulePath), undefined],
    ['erasing the account', (at: Awaited<ReturnType<typeof armed>>) => console.call('DELETE', at.path), undefined],
  ])('%s', async (_what, change, expected) => {
    const at = await armed()
    let late = 0
    const answer = await inAnotherTransaction(async (query) => {
      await query('SELECT FROM accounts WHERE id = $1 FOR SHARE', [at.account])
      const pending = change(at)
      await waitFor('somebody to wait for a lock', waiters)
      const { rows } = (await query(
        `INSERT INTO automation_rule_pending_executions
           (account_id, automation_rule_id, conversation_id, due_at, episode_key, armed_at, created_at, updated_at)
         VALUES ($1, $2, 999, now(), 'status:1', now(), now(), now()) RETURNING id`,
        [at.account, at.rule],
      )) as { rows: { id: number }[] }
      late = rows[0]?.id ?? 0
      return { pending }
    })
    expect((await answer.pending).status).toBeLessThan(300)
    expect(await statesOf(console.deps.pool, [at.row, late])).toEqual(
      expected === undefined ? {} : { [at.row]: expected, [late]: expected },
    )
  })
})

/**
 * A worker holds the row that the change wants, and then wants the account that the change holds. Postgres ends whoever
 * looks for the circle first, each after its own patience: that of this worker is longer. Only a change that was kept
 * waiting for a second before the worker came (a machine under load) has looked too early, and the worker is ended instead.
 */
async function meetWithLocksReversed(at: Awaited<ReturnType<typeof armed>>) {
  let pending: ReturnType<typeof console.call> | undefined
  try {
    await inAnotherTransaction(async (query) => {
      await query(`SET LOCAL deadlock_timeout = '5s'`)
      await query('SELECT FROM automation_rule_pending_executions WHERE id = $1 FOR UPDATE', [at.row])
      pending = console.call('PATCH', at.rulePath, { active: false })
      await waitFor('somebody to wait for a lock', waiters)
      await query('SELECT FROM accounts WHERE id = $1 FOR SHARE', [at.account])
    })
    return { pending, changeWasEnded: true }
  } catch (error) {
    if ((error as { code?: string }).code !== DEADLOCK) throw error
    return { pending, changeWasEnded: false }
  }
}

const DEADLOCK = '40P01'

test('a change that meets a worker with its locks the other way round begins anew and succeeds', async () => {
  let at = await armed()
  let met = await meetWithLocksReversed(at)
  for (let more = 5; !met.changeWasEnded && more > 0; more -= 1) {
    await met.pending
    at = await armed()
    met = await meetWithLocksReversed(at)
  }
  expect(met.changeWasEnded).toBe(true)
  expect((await met.pending)?.status).toBe(200)
  expect(await statesOf(console.deps.pool, [at.row])).toEqual({ [at.row]: 'skipped:rule_inactive' })
  const { payload } = (await console.call('GET', `${at.path}/audit_logs`)).body
  expect(payload.filter(({ action }: { action: string }) => action === 'automation_rule.updated')).toHaveLength(1)
})

test('two changes of one rule at the same time both hold', async () => {
  const at = await armed()
  await Promise.all([
    console.call('PATCH', at.rulePath, { name: 'renamed' }),
    console.call('PATCH', at.rulePath, { description: 'described' }),
    console.call('PATCH', at.rulePath, { execution_delay: 90 }),
  ])
  expect((await console.call('GET', at.rulePath)).body.payload).toMatchObject({
    name: 'renamed',
    description: 'described',
    execution_delay: 90,
  })
})

test('accounts that are created at the same time, with and without a chosen id, each get their own', async () => {
  const base = await console.createAccount()
  const created = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      console.createAccount(i % 3 === 0 ? { id: base + 2 + i } : {}).catch(() => null),
    ),
  )
  const ids = created.filter((id) => id !== null)
  expect(new Set(ids).size).toBe(ids.length)
  // Only a chosen id can be taken already; whoever asked for none gets an account.
  expect(created.filter((id, i) => id === null && i % 3 !== 0)).toEqual([])
})
