import { refusedByRate } from '@dwell/domain/rules/rate-guards'
import { useStores } from '@dwell/testing/stores'
import { insertDelivery, insertRow } from './testing/rows'
import { ruleBody } from './testing/rules'
import { useConsole } from './testing/running-console'

const console = useConsole(useStores())
const MESSAGES = 'max_messages_per_conversation_per_minute'
const MAILS = 'max_mails_per_account_per_day'

const settingsOf = async (account: number) =>
  (await console.call('GET', `/accounts/${account}`)).body.payload.settings as Record<string, unknown>

describe.each([
  [MESSAGES, 10_000],
  [MAILS, 10_000_000],
])('the limit %s', (name, greatest) => {
  test('can be set on creation and changed, from 1 to its greatest value, and null takes it back', async () => {
    const account = await console.createAccount({ settings: { [name]: 1 } })
    expect(await settingsOf(account)).toMatchObject({ [name]: 1 })
    for (const value of [greatest, 7]) {
      const reply = await console.call('PATCH', `/accounts/${account}`, { settings: { [name]: value } })
      expect(reply).toMatchObject({ status: 200, body: { payload: { settings: { [name]: value } } } })
    }
    await console.call('PATCH', `/accounts/${account}`, { settings: { timezone: 'Asia/Tokyo' } })
    expect(await settingsOf(account)).toMatchObject({ [name]: 7, timezone: 'Asia/Tokyo' })
    expect((await console.call('PATCH', `/accounts/${account}`, { settings: { [name]: null } })).status).toBe(200)
    expect(await settingsOf(account)).not.toHaveProperty(name)
  })

  test.each([
    [0, 'out_of_range'],
    [-1, 'out_of_range'],
    [greatest + 1, 'out_of_range'],
    [1.5, 'wrong_type'],
    ['5', 'wrong_type'],
    [true, 'wrong_type'],
    [[], 'wrong_type'],
    [{}, 'wrong_type'],
  ])('refuses %j and changes nothing', async (value, code) => {
    const account = await console.createAccount({ settings: { [name]: 3 } })
    const before = await settingsOf(account)
    const reply = await console.call('PATCH', `/accounts/${account}`, { name: 'new', settings: { [name]: value } })
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer: `/settings/${name}`, code }] } })
    expect(await settingsOf(account)).toEqual(before)
    expect((await console.call('POST', '/accounts', { name: 'x', settings: { [name]: value } })).status).toBe(422)
  })

  test('holds from the next execution on: workers see another version of the rules', async () => {
    const account = await console.createAccount()
    const version = async () =>
      (await console.deps.pool.query('SELECT rules_version FROM accounts WHERE id = $1', [account])).rows[0]
        .rules_version
    const before = await version()
    await console.call('PATCH', `/accounts/${account}`, { settings: { [name]: 5 } })
    expect(await version()).not.toBe(before)
  })

  test('may be changed by an administrator of the account, not by an agent', async () => {
    const account = await console.createAccount()
    const path = `/accounts/${account}`
    const tokenOf = async (role: string) =>
      (await console.call('POST', `${path}/tokens`, { role, name: role })).body.payload.token as string
    const change = async (role: string) =>
      (await console.call('PATCH', path, { settings: { [name]: 2 } }, { token: await tokenOf(role) })).status
    expect(await change('agent')).toBe(403)
    expect(await change('administrator')).toBe(200)
  })
})

test('what a limit refused is a failed delivery that names the limit, waits for a person and can only be dismissed', async () => {
  const account = await console.createAccount({ settings: { [MESSAGES]: 1 } })
  const rule = (await console.call('POST', `/accounts/${account}/automation_rules`, ruleBody())).body.payload.id
  const execution = await insertRow(console.deps.pool, { accountId: account, ruleId: rule, status: 'executed' })
  const planned = {
    id: `${execution}-0`,
    position: 0,
    actionName: 'send_message',
    target: 'stream',
    status: 'pending',
    payload: {},
    error: null,
  } as const
  const claim = {
    deliveryId: planned.id,
    kind: 'conversation_messages',
    accountId: account,
    subject: 1,
    windowStart: 0 as never,
    limit: 1,
  } as const
  const { error } = refusedByRate(planned, claim)
  await insertDelivery(console.deps.pool, {
    accountId: account,
    executionId: execution,
    status: 'failed',
    error: String(error),
  })
  expect((await console.call('GET', `/accounts/${account}/executions/${execution}`)).body.payload).toMatchObject({
    status: 'executed',
    deliveries: [{ status: 'failed', attempts: [], error: `the limit of the account is reached: ${MESSAGES} is 1` }],
  })
  expect((await console.call('GET', `/accounts/${account}/deliveries`)).body.payload).toMatchObject([
    { id: planned.id, retryable: false },
  ])
  const decide = (action: string) =>
    console.call('POST', `/accounts/${account}/executions/${execution}/deliveries/${planned.id}/${action}`)
  expect(await decide('retry')).toMatchObject({ status: 409, body: { code: 'refused' } })
  expect((await decide('dismiss')).status).toBe(200)
})
