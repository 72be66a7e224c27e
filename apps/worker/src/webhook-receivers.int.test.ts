import { findExecution } from '@dwell/database/executions'
import { webhookSecret } from '@dwell/domain/rules/webhook-secret'
import { setTestClock } from '@dwell/runtime/clock'
import { instant } from '@dwell/testing/fixed-clock'
import { seedAccount } from '@dwell/testing/seeds'
import { useStores } from '@dwell/testing/stores'
import { at, CHASE, outgoing } from './testing/conversations'
import { openQueues, type Queues, type RunningWorker, startWorker } from './testing/running-worker'
import {
  answer,
  cutBeforeTheAnswer,
  cutInTheAnswer,
  silence,
  startWebhookReceiver,
  type WebhookReceiver,
} from './testing/webhook-receiver'
import { useWorkerParts } from './testing/worker-parts'

// A whole worker on real queues: an event arms a row, sweeps claim it, process executes it, deliver calls the receivers.

const stores = useStores()
const parts = useWorkerParts(stores)
let queues: Queues
let receiver: WebhookReceiver
let worker: RunningWorker

beforeAll(async () => {
  queues = openQueues(stores.redisUrl)
  stores.closeBefore(() => queues.close())
  receiver = await startWebhookReceiver()
  stores.closeBefore(() => receiver.close())
})

beforeEach(async () => {
  receiver.hooks.length = 0
  parts.account = await seedAccount(parts.pool, {
    settings: { webhook_secrets: [webhookSecret(new Uint8Array(32).fill(7))] },
  })
  worker = await startWorker(stores, { DWELL_ALLOW_PRIVATE_WEBHOOKS: '1', DWELL_WEBHOOK_TIMEOUT: '400ms' })
})

afterEach(() => worker.stop())

async function sweepAt(time: string): Promise<void> {
  parts.clock.set(at(time))
  await setTestClock(parts.redis, instant(at(time)))
  await queues.sweepNow()
}

/** A chase rule that writes to the customer and tells these receivers, in this order; its row is due at 11:00. */
async function armed(...paths: readonly string[]): Promise<number> {
  await parts.rule({
    ...CHASE,
    actions: [
      { action_name: 'send_message', action_params: ['Any news on your side?'] },
      ...paths.map((path) => ({ action_name: 'send_webhook_event', action_params: [receiver.url(path)] })),
    ],
  })
  await parts.take(outgoing(501, '10:00'))
  const [id] = await parts.column<number>('SELECT id FROM automation_rule_pending_executions WHERE account_id = $1', [
    parts.account,
  ])
  return Number(id)
}

async function deliveries(execution: number) {
  const found = await findExecution(parts.pool, parts.account, execution)
  return found?.deliveries ?? []
}

/** By position: `status`, and of each attempt what it met. */
async function outcomes(execution: number) {
  return (await deliveries(execution)).map(({ status, attempts }) => [
    status,
    ...attempts.map(({ outcome, error }) => error ?? outcome),
  ])
}

const callsOf = (path: string) => receiver.hooks.filter((hook) => hook.path === path)
const settings = async () =>
  (await parts.column<object>('SELECT settings FROM accounts WHERE id = $1', [parts.account]))[0]

test('each receiver has the outcome that is documented for it, and the message leaves exactly once throughout', async () => {
  receiver.behave('/busy', answer(503))
  receiver.behave('/limited', answer(429, { 'retry-after': '1200' }))
  receiver.behave('/silent', silence)
  receiver.behave('/moved', answer(302, { location: receiver.url('/elsewhere') }))
  receiver.behave('/gone', answer(410))
  receiver.behave('/cut', cutBeforeTheAnswer)
  receiver.behave('/torn', cutInTheAnswer)
  const id = await armed('/busy', '/limited', '/silent', '/moved', '/gone', '/cut', '/torn', '/fine')

  await sweepAt('11:00')
  const closed = expect.stringMatching(/^no answer: /)
  expect(await outcomes(id)).toEqual([
    ['delivered', 'delivered'],
    ['pending', 'the receiver answered 503'],
    ['pending', 'the receiver answered 429'],
    ['pending', 'no answer within 0.4 s'],
    ['failed', 'the receiver answered 302; redirects are not followed'],
    ['failed', 'the receiver answered 410'],
    ['pending', closed],
    ['pending', closed],
    ['delivered', 'delivered'],
  ])
  expect(receiver.hooks).toHaveLength(8)
  expect(callsOf('/elsewhere')).toEqual([])
  expect(await settings()).toMatchObject({ disabled_webhooks: [receiver.url('/gone')] })
  expect(await parts.states()).toEqual(['executed'])

  // Ours come again after some 10 s; who asked for twenty minutes is left alone for twenty.
  for (const path of ['/busy', '/silent', '/cut', '/torn', '/limited', '/moved', '/gone'])
    receiver.behave(path, answer(200))
  receiver.behave('/busy', answer(503))
  await sweepAt('11:01')
  expect((await outcomes(id)).map(([status]) => status)).toEqual([
    'delivered',
    'pending',
    'pending',
    'delivered',
    'failed',
    'failed',
    'delivered',
    'delivered',
    'delivered',
  ])
  await sweepAt('11:19:59')
  expect(callsOf('/limited')).toHaveLength(1)
  receiver.behave('/busy', answer(204))
  await sweepAt('11:23')
  expect(await outcomes(id)).toEqual([
    ['delivered', 'delivered'],
    ['delivered', 'the receiver answered 503', 'the receiver answered 503', 'the receiver answered 503', 'delivered'],
    ['delivered', 'the receiver answered 429', 'delivered'],
    ['delivered', 'no answer within 0.4 s', 'delivered'],
    ['failed', 'the receiver answered 302; redirects are not followed'],
    ['failed', 'the receiver answered 410'],
    ['delivered', closed, 'delivered'],
    ['delivered', closed, 'delivered'],
    ['delivered', 'delivered'],
  ])
  for (const { attempts } of await deliveries(id))
    expect(attempts.map(({ at: made }) => made)).toEqual(attempts.map(({ at: made }) => made).sort())

  // Whoever was called more than once can tell it by the id, which is the delivery's.
  for (const path of ['/busy', '/limited', '/silent', '/cut', '/torn'])
    expect(new Set(callsOf(path).map((hook) => hook.id)).size).toBe(1)
  expect(callsOf('/busy')[0]?.id).toBe(`${id}-1`)
  expect(callsOf('/fine')[0]?.body).toMatchObject({
    event: 'automation_event.message_created',
    execution_id: id,
    message: { id: 501 },
  })
  expect(await parts.actions()).toMatchObject([{ id: `${id}-0`, action_name: 'send_message' }])
})

test('a receiver that stays away is given up after the tenth attempt, all of them kept, and the message is not repeated', async () => {
  receiver.behave('/away', answer(503))
  const id = await armed('/away')
  for (const day of ['01', '02', '03'])
    for (let hour = 0; hour < 24; hour += 1) {
      if (day === '01' && hour < 11) continue
      const now = `2026-09-${day}T${String(hour).padStart(2, '0')}:00:00Z`
      parts.clock.set(now)
      await setTestClock(parts.redis, instant(now))
      await queues.sweepNow()
    }
  const [message, webhook] = await deliveries(id)
  expect(message?.status).toBe('delivered')
  expect(webhook).toMatchObject({ status: 'failed', error: 'the receiver answered 503', nextAttemptAt: null })
  expect(webhook?.attempts).toHaveLength(10)
  expect(receiver.hooks).toHaveLength(10)
  expect(await parts.actions()).toHaveLength(1)
})

test('an address that answered 410 is not called by the next execution either, whose message goes out all the same', async () => {
  receiver.behave('/gone', answer(410))
  await armed('/gone')
  await sweepAt('11:00')
  await parts.take(outgoing(601, '11:00', 202))
  await sweepAt('12:00')
  const [, second] = await parts.column<number>(
    'SELECT id FROM automation_rule_pending_executions WHERE account_id = $1 ORDER BY id',
    [parts.account],
  )
  expect(await deliveries(Number(second))).toMatchObject([
    { status: 'delivered' },
    { status: 'failed', attempts: [], error: expect.stringContaining('410') },
  ])
  expect(callsOf('/gone')).toHaveLength(1)
  expect(await parts.actions()).toHaveLength(2)
})
