import { useStores } from '@dwell/testing/stores'
import { useConsole } from './testing/running-console'

const console = useConsole(useStores())

/** Entries of two accounts and of the installation; answers what finds them, as the ids in the order they were written. */
async function inhabited() {
  const [mine, theirs] = [await console.createAccount(), await console.createAccount()]
  await console.deps.pool.query('DELETE FROM audit_logs')
  const { rows } = await console.deps.pool.query<{ id: number }>(
    `INSERT INTO audit_logs (account_id, actor, action, subject, created_at) VALUES
       ($1, 'admin', 'automation_rule.created', 'automation_rule 7', '2026-09-01T10:00:00Z'),
       ($1, 'token 3 (Ann)', 'automation_rule.updated', 'automation_rule 70', '2026-09-01T11:00:00Z'),
       ($2, 'token 4 (Ben)', 'automation_rule.updated', 'automation_rule 7', '2026-09-01T12:00:00Z'),
       (NULL, 'admin', 'installation_config.updated', 'installation_config X', '2026-09-01T13:00:00Z')
     RETURNING id`,
    [mine, theirs],
  )
  const ids = rows.map(({ id }) => id)
  const found = async (path: string) =>
    (await console.call('GET', path)).body.payload.map(({ id }: { id: number }) => ids.indexOf(id))
  return { mine, theirs, found }
}

test('the audit log is narrowed by action, actor, subject, account and time', async () => {
  const { mine, theirs, found } = await inhabited()
  const logs = (query: string) => found(`/audit_logs?${query}`)
  expect(await logs('')).toEqual([3, 2, 1, 0])
  expect(await logs('action=automation_rule')).toEqual([2, 1, 0])
  expect(await logs('action=automation_rule.updated')).toEqual([2, 1])
  expect(await logs('action=automation')).toEqual([])
  expect(await logs('actor=ANN')).toEqual([1])
  expect(await logs('actor=%25')).toEqual([])
  expect(await logs('subject=automation_rule+7')).toEqual([2, 0])
  expect(await logs('subject=automation_rule')).toEqual([2, 1, 0])
  expect(await logs('since=2026-09-01T11:00:00Z&until=2026-09-01T15:00:00%2B02:00')).toEqual([2, 1])
  expect(await logs(`account_id=${theirs}`)).toEqual([2])
  expect(await found(`/accounts/${mine}/audit_logs?action=automation_rule&subject=automation_rule+7`)).toEqual([0])
})

test('it pages through what is narrowed', async () => {
  const { found } = await inhabited()
  const first = await console.call('GET', '/audit_logs?action=automation_rule&limit=2')
  expect(await found(`/audit_logs?action=automation_rule&limit=2&cursor=${first.body.meta.next_cursor}`)).toEqual([0])
})

test.each([
  ['since=yesterday', '/since'],
  ['until=2026-09-01', '/until'],
  ['action=', '/action'],
  ['account_id=x', '/account_id'],
])('it refuses ?%s', async (query, pointer) => {
  const reply = await console.call('GET', `/audit_logs?${query}`)
  expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer }] } })
})
