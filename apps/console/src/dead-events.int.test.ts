import { DEAD_EVENTS_STREAM } from '@dwell/contracts/dead-letter'
import { useStores } from '@dwell/testing/stores'
import { ADMIN_TOKEN, useConsole } from './testing/running-console'

const console = useConsole(useStores(), { quiet: true })

const EVENT = JSON.stringify({
  id: 'evt_1',
  event: 'conversation_created',
  occurred_at: '2026-09-01T10:00:00Z',
  account_id: 7,
  conversation: { id: 1 },
})
const FAILED_AT = '2026-09-01T10:00:01.000001Z'

/** A dead letter as ingest writes it; answers its id. */
async function bury(fields: Partial<Record<'event' | 'error' | 'detail' | 'entry_id', string>> = {}): Promise<string> {
  const letter = { event: EVENT, error: 'unknown_account', detail: 'no account 7', entry_id: '5-0', ...fields }
  const id = await console.deps.redis.xadd(
    DEAD_EVENTS_STREAM,
    '*',
    ...Object.entries({ ...letter, failed_at: FAILED_AT }).flat(),
  )
  if (id === null) throw new Error('nothing was written')
  return id
}

const published = async (): Promise<string[]> =>
  (await console.deps.redis.xrange('dwell:events', '-', '+')).map(([, fields]) => fields[1] ?? '')
const idsOf = (reply: { body: { payload: { id: string }[] } }) => reply.body.payload.map(({ id }) => id)
const newestAudit = async () => (await console.call('GET', '/audit_logs?limit=1')).body.payload[0]

beforeEach(async () => {
  await console.deps.redis.del(DEAD_EVENTS_STREAM, 'dwell:events')
})

describe('dead events', () => {
  test('are listed with text and reason, the newest first, page by page', async () => {
    const ids = [await bury(), await bury({ error: 'invalid_json', detail: 'not JSON', event: '{' }), await bury()]
    const first = await console.call('GET', '/dead_events?limit=2')
    expect(first.body.payload[1]).toEqual({
      id: ids[1],
      event: '{',
      event_length: 1,
      error: 'invalid_json',
      detail: 'not JSON',
      entry_id: '5-0',
      failed_at: FAILED_AT,
    })
    expect([idsOf(first), first.body.meta.total]).toEqual([[ids[2], ids[1]], 3])
    const second = await console.call('GET', `/dead_events?limit=2&cursor=${first.body.meta.next_cursor}`)
    expect([idsOf(second), second.body.meta.next_cursor]).toEqual([[ids[0]], null])
  })

  test('are narrowed to one reason, also where those of it lie far apart', async () => {
    const one = await bury({ error: 'invalid_json' })
    const pipeline = console.deps.redis.pipeline()
    for (let i = 0; i < 1_200; i += 1) pipeline.xadd(DEAD_EVENTS_STREAM, '*', 'event', 'x', 'error', 'unknown_event')
    await pipeline.exec()
    const two = await bury({ error: 'invalid_json' })
    const first = await console.call('GET', '/dead_events?error=invalid_json&limit=1')
    expect([idsOf(first), first.body.meta.total]).toEqual([[two], 1_202])
    const second = await console.call(
      'GET',
      `/dead_events?error=invalid_json&limit=1&cursor=${first.body.meta.next_cursor}`,
    )
    expect(idsOf(second)).toEqual([one])
    expect(second.body.meta.next_cursor).toBeNull()
    expect((await console.call('GET', '/dead_events?error=nonsense')).status).toBe(422)
    expect((await console.call('GET', '/dead_events?cursor=nonsense')).status).toBe(422)
  })

  test('that somebody else wrote without our fields are shown as they are', async () => {
    await console.deps.redis.xadd(DEAD_EVENTS_STREAM, '*', 'something', 'else')
    expect((await console.call('GET', '/dead_events')).body.payload).toMatchObject([
      { event: '', error: '', failed_at: null },
    ])
  })

  test('a long text is shown from its beginning in the list and whole by itself', async () => {
    const id = await bury({ event: 'x'.repeat(20_000), error: 'oversized_event' })
    const [listed] = (await console.call('GET', '/dead_events')).body.payload
    expect([listed.event.length, listed.event_length]).toEqual([16_384, 20_000])
    expect((await console.call('GET', `/dead_events/${id}`)).body.payload.event).toHaveLength(20_000)
  })

  test('that are not there are 404', async () => {
    for (const id of ['1-1', 'nonsense', '-', '%2B', '1'])
      for (const [method, path] of [
        ['GET', ''],
        ['DELETE', ''],
        ['POST', '/publish'],
      ] as const)
        expect((await console.call(method, `/dead_events/${id}${path}`)).status).toBe(404)
  })
})

describe('publishing again', () => {
  test('puts the very text back on the stream, takes it from the dead ones and notes it', async () => {
    const id = await bury()
    const reply = await console.call('POST', `/dead_events/${id}/publish`, { note: 'account 7 is there now' })
    expect(reply).toMatchObject({
      status: 202,
      body: { payload: { id, entry_id: expect.stringMatching(/^\d+-\d+$/) } },
    })
    expect(await published()).toEqual([EVENT])
    expect((await console.call('GET', '/dead_events')).body).toMatchObject({ payload: [], meta: { total: 0 } })
    expect(await newestAudit()).toMatchObject({
      actor: 'admin',
      action: 'dead_event.published',
      subject: `dead_event ${id}`,
      details: { error: 'unknown_account', entry_id: '5-0', corrected: false, note: 'account 7 is there now' },
    })
  })

  test('never happens twice, however many try at once, and is noted once', async () => {
    const id = await bury()
    const before = (await console.call('GET', '/audit_logs?limit=500')).body.payload.length
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => console.call('POST', `/dead_events/${id}/publish`)),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([202, 404, 404, 404, 404, 404, 404, 404])
    expect(await published()).toEqual([EVENT])
    expect((await console.call('GET', '/audit_logs?limit=500')).body.payload).toHaveLength(before + 1)
  })

  test('takes a corrected text instead, which must be an event', async () => {
    const id = await bury({ event: '{"id": "evt_1"', error: 'invalid_json' })
    const wrong = await console.call('POST', `/dead_events/${id}/publish`, { event: '{"id": "evt_1"}' })
    expect(wrong).toMatchObject({ status: 422, body: { errors: [{ pointer: '/event', code: 'invalid_event' }] } })
    expect(await published()).toEqual([])
    expect((await console.call('POST', `/dead_events/${id}/publish`, { event: EVENT })).status).toBe(202)
    expect(await published()).toEqual([EVENT])
    expect((await newestAudit()).details).toMatchObject({ corrected: true })
  })

  test('of an entry that had no event needs a corrected text', async () => {
    const id = await bury({ event: '["body","x"]', error: 'missing_field' })
    expect(await console.call('POST', `/dead_events/${id}/publish`)).toMatchObject({
      status: 409,
      body: { code: 'no_event' },
    })
    expect((await console.call('POST', `/dead_events/${id}/publish`, { event: EVENT })).status).toBe(202)
  })

  test('does not happen where it cannot be noted', async () => {
    const id = await bury()
    await console.deps.pool.query('ALTER TABLE audit_logs RENAME TO audit_logs_away')
    try {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
      const path = `/api/v1/dead_events/${id}`
      expect((await console.fetch(`${path}/publish`, { method: 'POST', headers })).status).toBe(500)
      expect((await console.fetch(path, { method: 'DELETE', headers })).status).toBe(500)
    } finally {
      await console.deps.pool.query('ALTER TABLE audit_logs_away RENAME TO audit_logs')
    }
    expect(await published()).toEqual([])
    expect(idsOf(await console.call('GET', '/dead_events'))).toEqual([id])
  })
})

test('one that is given up is gone, and noted', async () => {
  const [kept, id] = [await bury(), await bury()]
  expect((await console.call('DELETE', `/dead_events/${id}`)).status).toBe(204)
  expect(idsOf(await console.call('GET', '/dead_events'))).toEqual([kept])
  expect(await newestAudit()).toMatchObject({ action: 'dead_event.deleted', details: { error: 'unknown_account' } })
  expect((await console.call('DELETE', `/dead_events/${id}`)).status).toBe(404)
})
