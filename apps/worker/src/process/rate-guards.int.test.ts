import { useStores } from '@dwell/testing/stores'
import { at, pending } from '../testing/conversations'
import { useWorkerParts } from '../testing/worker-parts'
import { processBatch } from './process-batch'

const worker = useWorkerParts(useStores())

const MESSAGE = { action_name: 'send_message', action_params: ['hello'] }
const MAIL = { action_name: 'send_email_transcript', action_params: ['a@example.com'] }

const limit = (settings: object) =>
  worker.pool.query('UPDATE accounts SET settings = $2, rules_version = rules_version + 1 WHERE id = $1', [
    worker.account,
    JSON.stringify(settings),
  ])
const statuses = () =>
  worker.column<string>('SELECT status FROM action_deliveries WHERE account_id = $1 ORDER BY status', [worker.account])
const counters = () =>
  worker.column<number>('SELECT taken FROM rate_counters WHERE account_id = $1 ORDER BY window_start', [worker.account])

describe('limits of an account', () => {
  test('messages of one conversation and minute: what is too many fails visibly, is not sent, stops no other action', async () => {
    await limit({ max_messages_per_conversation_per_minute: 2 })
    await worker.rule({ actions: [MESSAGE, MESSAGE, MESSAGE, { action_name: 'add_label', action_params: ['x'] }] })
    await worker.take(pending(101))
    worker.clock.set(at('11:00'))
    expect(await processBatch(worker.processing(), await worker.claim())).toEqual([{ outcome: 'executed' }])
    expect((await worker.actions()).map(({ position }) => position)).toEqual([0, 1, 3])
    const [error] = await worker.column<string>(
      `SELECT error FROM action_deliveries WHERE account_id = $1 AND status = 'failed'`,
      [worker.account],
    )
    expect(error).toContain('max_messages_per_conversation_per_minute is 2')
    expect(await counters()).toEqual([2])
  })

  test('mails of one day: workers side by side let exactly so many pass as the limit says', async () => {
    await limit({ max_mails_per_account_per_day: 5 })
    await worker.rule({ actions: [MAIL] })
    await worker.take(...Array.from({ length: 12 }, (_, i) => pending(101 + i)))
    worker.clock.set(at('11:00'))
    const claims = await worker.claim()
    const outcomes = await Promise.all(claims.map((claim) => processBatch(worker.processing(), [claim])))
    expect(outcomes.flat()).toEqual(claims.map(() => ({ outcome: 'executed' })))
    expect(await statuses()).toEqual([...Array(7).fill('failed'), ...Array(5).fill('pending')])
    expect(await counters()).toEqual([5])
  })

  test('a day ends where it ends in the time zone of the account', async () => {
    await limit({ max_mails_per_account_per_day: 1, timezone: 'Asia/Tokyo' })
    await worker.rule({ actions: [MAIL] })
    await worker.take(pending(101), pending(102), pending(103))
    worker.clock.set('2026-09-01T14:59:00Z')
    const [first, second, third] = (await worker.claim()).map((claim) => [claim])
    await processBatch(worker.processing(), first ?? [])
    await processBatch(worker.processing(), second ?? [])
    worker.clock.set('2026-09-01T15:00:00Z')
    await processBatch(worker.processing(), third ?? [])
    expect(await statuses()).toEqual(['failed', 'pending', 'pending'])
    expect(await counters()).toEqual([1, 1])
  })

  test('a row that was lost meanwhile takes nothing from the limit', async () => {
    await limit({ max_mails_per_account_per_day: 1 })
    await worker.rule({ actions: [MAIL] })
    await worker.take(pending(101), pending(102))
    worker.clock.set(at('11:00'))
    const claims = await worker.claim()
    const lost = claims[0]?.id
    let stolen = false
    const rules = {
      at: async (...args: Parameters<typeof worker.books.at>) => {
        if (!stolen)
          await worker.pool.query('UPDATE automation_rule_pending_executions SET claim_token = $2 WHERE id = $1', [
            lost,
            '00000000-0000-4000-8000-000000000009',
          ])
        stolen = true
        return worker.books.at(...args)
      },
    } as typeof worker.books
    expect(await processBatch(worker.processing({ rules }), claims)).toEqual([
      { outcome: 'lost' },
      { outcome: 'executed' },
    ])
    expect(await statuses()).toEqual(['pending'])
    expect(await counters()).toEqual([1])
  })

  test('without limits nothing is counted', async () => {
    await worker.rule({ actions: [MESSAGE, MAIL] })
    await worker.take(pending(101))
    worker.clock.set(at('11:00'))
    await processBatch(worker.processing(), await worker.claim())
    expect(await statuses()).toEqual(['delivered', 'pending'])
    expect(await counters()).toEqual([])
  })
})
