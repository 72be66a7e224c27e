import { parseEvent } from '@dwell/contracts/parse-event'
import { useStores } from '@dwell/testing/stores'
import { ruleBody } from './testing/rules'
import { SUMMARY, useConsole } from './testing/running-console'

const console = useConsole(useStores())

const EVENT =
  '{ "id":"evt_1","event":"conversation_updated", "occurred_at":"2026-09-01T10:00:00.123456Z","account_id":1,\n' +
  '  "conversation":{"id":101,"status":"pending","custom_attributes":{"big":12345678901234567890,"one":1.0}} }'
const CLOUD_EVENT =
  '{"specversion":"1.0","id":"ce","source":"/desk","type":"conversation_updated","time":"2026-09-01T10:00:00Z",' +
  '"data":{"account_id":987654321,"conversation":{"id":101}}}'

async function stream(): Promise<string[]> {
  const entries = await console.deps.redis.xrange('dwell:events', '-', '+')
  return entries.map(([, fields]) => {
    expect(fields[0]).toBe('event')
    return fields[1] ?? ''
  })
}

describe('POST /events', () => {
  beforeEach(() => console.deps.redis.del('dwell:events'))

  test('puts an event on the stream exactly as it was sent', async () => {
    const reply = await console.call('POST', '/events', undefined, { raw: EVENT })
    expect(reply).toMatchObject({ status: 202, body: { payload: { accepted: 1 } } })
    expect(await stream()).toEqual([EVENT])
  })

  test('puts a list in its order, CloudEvents among them, each element as it was written', async () => {
    const raw = `[ ${CLOUD_EVENT} ,${EVENT}\n, ${EVENT}]`
    const headers = { 'content-type': 'application/cloudevents-batch+json' }
    expect((await console.call('POST', '/events', undefined, { raw, headers })).body.payload).toEqual({ accepted: 3 })
    expect(await stream()).toEqual([CLOUD_EVENT, EVENT, EVENT])
    expect((await stream()).every((text) => parseEvent(text).ok)).toBe(true)
  })

  test('takes none when one has a fault, and names each faulty one', async () => {
    const reply = await console.call('POST', '/events', [
      JSON.parse(EVENT),
      { ...JSON.parse(EVENT), account_id: -1 },
      'text',
      { ...JSON.parse(EVENT), event: 'rocket_launched' },
    ])
    expect(reply.status).toBe(422)
    expect(reply.body.errors).toEqual([
      { pointer: '/1/account_id', code: 'invalid_event', message: expect.any(String) },
      { pointer: '/2', code: 'invalid_event', message: expect.any(String) },
      { pointer: '/3/event', code: 'unknown_event', message: expect.stringContaining('rocket_launched') },
    ])
    expect(await stream()).toEqual([])
  })

  test('points at each fault where it was written, also inside a CloudEvents envelope', async () => {
    const pointersOf = async (event: object) => {
      const { body } = await console.call('POST', '/events', event)
      return body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()
    }
    const event = JSON.parse(EVENT)
    const broken = { ...event.conversation, id: 'x', labels: [1], status: 'gone' }
    expect(await pointersOf({ ...event, occurred_at: 'yesterday', conversation: broken })).toEqual([
      '/conversation/id',
      '/conversation/labels/0',
      '/conversation/status',
      '/occurred_at',
    ])
    const cloud = JSON.parse(CLOUD_EVENT)
    expect(await pointersOf({ ...cloud, time: 'yesterday', data: { ...cloud.data, conversation: broken } })).toEqual([
      '/data/conversation/id',
      '/data/conversation/labels/0',
      '/data/conversation/status',
      '/time',
    ])
    expect(await pointersOf({ ...cloud, type: 'rocket_launched' })).toEqual(['/type'])
    expect(await pointersOf({ ...cloud, data: 'x' })).toEqual(['/data'])
  })
})

describe('POST /sweeps', () => {
  test('answers the summary of the sweep it asked for', async () => {
    expect(await console.call('POST', '/sweeps')).toMatchObject({ status: 200, body: { payload: SUMMARY } })
    expect(await console.call('POST', '/sweeps', { retention: true })).toMatchObject({ status: 200 })
    expect(console.asked.sweeps).toEqual([{ retention: false }, { retention: true }])
  })

  test('the latest summaries are kept and read, newest first', async () => {
    for (const enqueued of [1, 2]) {
      await console.deps.pool.query(
        `INSERT INTO sweeps (started_at, trigger, event, due, enqueued, capped, remaining, expired, reclaimed, flag_disabled, steps, lateness_p50_ms, lateness_max_ms, duration_ms)
         VALUES ('2026-09-01T11:00:00.123Z', 'schedule', 'completed', 3, $1, true, 1, 0, 0, 0, 4, 20.5, 300, 12.5)`,
        [enqueued],
      )
    }
    const { body } = await console.call('GET', '/sweeps')
    expect(body.payload).toMatchObject([
      {
        enqueued: 2,
        started_at: '2026-09-01T11:00:00.123000Z',
        trigger: 'schedule',
        capped: true,
        steps: 4,
        lateness_p50_ms: 20.5,
        lateness_max_ms: 300,
        duration_ms: 12.5,
      },
      { enqueued: 1 },
    ])
  })
})

describe('the test clock', () => {
  test('goes forward and back, to the microsecond, and dates what is written', async () => {
    for (const now of ['2027-01-01T00:00:00.000001Z', '2026-09-01T09:00:00.000000Z']) {
      expect(await console.call('PUT', '/test_clock', { now })).toMatchObject({
        status: 200,
        body: { payload: { now } },
      })
      expect((await console.call('GET', '/test_clock')).body.payload).toEqual({ now })
    }
    await console.call('PUT', '/test_clock', { now: '2026-10-01T12:00:00+02:00' })
    const account = await console.createAccount()
    expect((await console.call('GET', `/accounts/${account}`)).body.payload.created_at).toBe(
      '2026-10-01T10:00:00.000000Z',
    )
  })
})

describe('the audit log', () => {
  test('has one entry for every change, newest first, and none for a refused one or a reading', async () => {
    const account = await console.createAccount()
    const path = `/accounts/${account}`
    const rule = (await console.call('POST', `${path}/automation_rules`, ruleBody())).body.payload.id
    await console.call('PATCH', `${path}/automation_rules/${rule}`, { name: 'renamed', execution_delay: 90 })
    await console.call('PATCH', `${path}/automation_rules/${rule}`, { execution_delay: 5 })
    await console.call('GET', `${path}/automation_rules/${rule}`)
    await console.call('POST', `${path}/automation_rules/${rule}/clone`)
    await console.call('DELETE', `${path}/automation_rules/${rule}`)
    await console.call('PATCH', path, { features: [] })
    const { payload } = (await console.call('GET', `${path}/audit_logs`)).body
    expect(payload.map(({ action }: { action: string }) => action)).toEqual([
      'account.updated',
      'automation_rule.deleted',
      'automation_rule.cloned',
      'automation_rule.updated',
      'automation_rule.created',
      'account.created',
    ])
    expect(payload[3].details).toEqual({
      name: { from: 'R1', to: 'renamed' },
      execution_delay: { from: 60, to: 90 },
    })
    const installation = await console.call('PUT', '/installation_configs/DISABLE_DELAYED_AUTOMATIONS', {
      value: 'false',
    })
    expect(installation.status).toBe(200)
    expect((await console.call('GET', '/audit_logs?limit=1')).body.payload).toMatchObject([
      {
        account_id: null,
        actor: 'admin',
        action: 'installation_config.updated',
        details: { from: false, to: 'false' },
      },
    ])
  })
})
