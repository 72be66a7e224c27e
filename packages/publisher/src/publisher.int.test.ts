import { connect, createServer, type Server, type Socket } from 'node:net'
import { ACTION_FIELD, ACTIONS_STREAM, type ActionEnvelope } from '@dwell/contracts/action'
import { EVENTS_STREAM } from '@dwell/contracts/events'
import { messageCreated } from '@dwell/testing/event-builder'
import { type TestRedis, takeTestRedis } from '@dwell/testing/redis-database'
import { waitFor } from '@dwell/testing/wait-for'
import { Redis } from 'ioredis'
import type { ActionConsumer, ActionHandler, ActionProblem, ConsumeOptions } from './consume-actions'
import { createPublisher, type Publisher, type PublisherOptions } from './publisher'

let store: TestRedis
let redis: Redis
const publishers: Publisher[] = []
const unexpected: ActionProblem[] = []

beforeAll(async () => {
  store = await takeTestRedis()
  redis = new Redis(store.url)
})
afterEach(async () => {
  await Promise.all(publishers.splice(0).map((publisher) => publisher.close()))
  await redis.flushdb()
  expect(unexpected.splice(0)).toEqual([])
})
afterAll(async () => {
  redis.disconnect()
  await store.release()
})

function publisher(options: PublisherOptions = {}): Publisher {
  const made = createPublisher({ ...(options.redis ? {} : { redisUrl: store.url }), ...options })
  publishers.push(made)
  return made
}

async function eventsOnStream(stream = EVENTS_STREAM): Promise<{ id: string }[]> {
  return (await redis.xrange(stream, '-', '+')).map(([, fields]) => JSON.parse(fields[1] ?? ''))
}

function action(n: number): ActionEnvelope {
  return {
    id: `${n}-0`,
    account_id: 1,
    conversation_id: 100 + n,
    automation_rule_id: 7,
    automation_rule_name: 'Stale',
    execution_id: n,
    position: 0,
    action_name: 'add_label',
    action_params: ['stale'],
    content_attributes: { automation_rule_id: 7 },
    performed_by: { type: 'automation_rule', id: 7 },
    due_at: '2026-09-01T14:00:00.000000Z',
    executed_at: '2026-09-01T14:00:01.000000Z',
  }
}

const addActions = (...numbers: number[]) =>
  Promise.all(numbers.map((n) => redis.xadd(ACTIONS_STREAM, '*', ACTION_FIELD, JSON.stringify(action(n)))))

const pendingCount = async (group = 'desk') => Number((await redis.xpending(ACTIONS_STREAM, group))[0])

const groupExists = async () => ((await redis.xinfo('GROUPS', ACTIONS_STREAM)) as unknown[]).length === 1

/** A consumer; problems that the test does not ask for fail it. */
function consume(handler: ActionHandler, options: Partial<ConsumeOptions> = {}, from = publisher()): ActionConsumer {
  return from.consumeActions(handler, {
    group: 'desk',
    consumer: 'desk-1',
    onProblem: (problem) => unexpected.push(problem),
    ...options,
  })
}

describe('publish', () => {
  test('one event stands on the stream under the id that it answers', async () => {
    const event = messageCreated()
    const entryId = await publisher().publish(event)
    expect(await redis.xrange(EVENTS_STREAM, entryId, entryId)).toEqual([[entryId, ['event', JSON.stringify(event)]]])
  })

  test('many events stand there in the given order, whatever the chunks', async () => {
    const events = Array.from({ length: 1_234 }, () => messageCreated())
    const entryIds = await publisher({ chunkSize: 100 }).publish(events)
    expect(new Set(entryIds).size).toBe(1_234)
    expect((await eventsOnStream()).map(({ id }) => id)).toEqual(events.map(({ id }) => id))
  })

  test('where one of them is at fault none is sent', async () => {
    const events = [messageCreated(), { ...messageCreated(), account_id: -1 }]
    await expect(publisher().publish(events)).rejects.toMatchObject({ faults: [{ index: 1, path: 'account_id' }] })
    expect(await redis.exists(EVENTS_STREAM)).toBe(0)
  })

  test('another stream and a connection of the caller are used as given', async () => {
    const own = publisher({ redis, stream: 'desk:events' })
    await own.publish(messageCreated())
    await own.close()
    expect(await eventsOnStream('desk:events')).toHaveLength(1)
    expect(redis.status).toBe('ready')
  })

  test('an outage of Redis is waited out', async () => {
    const line = await breakableLine(store.url)
    const cut = publisher({ redisUrl: line.url })
    await cut.publish(messageCreated())
    line.cut()
    const event = messageCreated()
    const published = cut.publish([event])
    await line.mend()
    await published
    expect((await eventsOnStream()).map(({ id }) => id)).toContain(event.id)
    line.cut()
  })

  test('an outage that lasts too long is an error that names the cause', async () => {
    const line = await breakableLine(store.url)
    const cut = publisher({ redisUrl: line.url, giveUpAfterMs: 0 })
    await cut.publish(messageCreated())
    line.cut()
    await expect(cut.publish(messageCreated())).rejects.toMatchObject({ name: 'PublishError', entryIds: [null] })
  })
})

describe('consumeActions', () => {
  test('hands over what stood there before and what comes later, in order, and acknowledges it', async () => {
    await addActions(1, 2)
    const seen: string[] = []
    consume((given) => void seen.push(given.id))
    await waitFor('the older actions', () => seen.length === 2)
    await addActions(3)
    await waitFor('the new action', () => seen.length === 3)
    expect(seen).toEqual(['1-0', '2-0', '3-0'])
    await waitFor('acknowledgement', async () => (await pendingCount()) === 0)
  })

  test('a group that starts at $ is not given what stood there before', async () => {
    await addActions(1)
    const seen: string[] = []
    consume((given) => void seen.push(given.id), { startFrom: '$' })
    await waitFor('the group', groupExists)
    await addActions(2)
    await waitFor('the new action', () => seen.length > 0)
    expect(seen).toEqual(['2-0'])
  })

  test('each action goes to one consumer of a group, and to every group', async () => {
    const seen = { a: [] as string[], b: [] as string[], other: [] as string[] }
    consume((given) => void seen.a.push(given.id), { consumer: 'a', batch: 1 })
    consume((given) => void seen.b.push(given.id), { consumer: 'b', batch: 1 })
    consume((given) => void seen.other.push(given.id), { group: 'other' })
    const numbers = Array.from({ length: 40 }, (_, i) => i + 1)
    await addActions(...numbers)
    await waitFor('all actions', () => seen.a.length + seen.b.length >= 40 && seen.other.length >= 40)
    expect([...seen.a, ...seen.b].map((id) => Number.parseInt(id, 10)).sort((x, y) => x - y)).toEqual(numbers)
    expect(seen.other).toHaveLength(40)
  })

  test('an action whose handler rejects is reported, stays pending and comes again; the others go on', async () => {
    await addActions(1, 2)
    const attempts: [string, number][] = []
    const problems: ActionProblem[] = []
    consume(
      (given, { attempt }) => {
        attempts.push([given.id, attempt])
        if (given.id === '1-0' && attempt === 1) throw new Error('the desk is closed')
      },
      { redeliverAfterMs: 150, onProblem: (problem) => problems.push(problem) },
    )
    await waitFor('the second attempt', () => attempts.length === 3)
    expect(attempts).toEqual([
      ['1-0', 1],
      ['2-0', 1],
      ['1-0', 2],
    ])
    expect(problems).toMatchObject([{ kind: 'handler', action: { id: '1-0' }, attempt: 1 }])
    await waitFor('acknowledgement', async () => (await pendingCount()) === 0)
  })

  test('what a consumer that died had taken is taken over', async () => {
    await addActions(1, 2)
    await redis.xgroup('CREATE', ACTIONS_STREAM, 'desk', '0')
    await redis.xreadgroup('GROUP', 'desk', 'dead', 'COUNT', 1, 'STREAMS', ACTIONS_STREAM, '>')
    const seen: [string, number][] = []
    consume((given, { attempt }) => void seen.push([given.id, attempt]), { redeliverAfterMs: 100 })
    await waitFor('both actions', () => seen.length === 2)
    expect(seen).toEqual(
      expect.arrayContaining([
        ['1-0', 2],
        ['2-0', 1],
      ]),
    )
  })

  test('what it had taken itself before a restart comes first', async () => {
    await addActions(1, 2, 3)
    await redis.xgroup('CREATE', ACTIONS_STREAM, 'desk', '0')
    await redis.xreadgroup('GROUP', 'desk', 'desk-1', 'COUNT', 2, 'STREAMS', ACTIONS_STREAM, '>')
    const seen: string[] = []
    consume((given) => void seen.push(given.id))
    await waitFor('all actions', () => seen.length === 3)
    expect(seen).toEqual(['1-0', '2-0', '3-0'])
  })

  test('nobody takes over what a slow handler still works on', async () => {
    await addActions(1)
    const seen: string[] = []
    let finish = () => {}
    consume(
      (given) => {
        seen.push(`slow ${given.id}`)
        return new Promise<void>((resolve) => {
          finish = resolve
        })
      },
      { consumer: 'slow', redeliverAfterMs: 300 },
    )
    await waitFor('the slow handler', () => seen.length === 1)
    const idle = async () => (await redis.xpending(ACTIONS_STREAM, 'desk', '-', '+', 1))[0] as [string, string, number]
    let claims = 0
    let lastIdle = 0
    // Two thirds of a second pass, with the idle time set back again and again.
    consume((given) => void seen.push(`fast ${given.id}`), { consumer: 'fast', redeliverAfterMs: 300 })
    await waitFor('three signs of life', async () => {
      const [, , now] = await idle()
      if (now < lastIdle) claims++
      lastIdle = now
      return claims >= 3
    })
    finish()
    await waitFor('acknowledgement', async () => (await pendingCount()) === 0)
    expect(seen).toEqual(['slow 1-0'])
  })

  test('an entry that is no action is reported and left pending, the next one is handled', async () => {
    await redis.xadd(ACTIONS_STREAM, '*', ACTION_FIELD, '{"id": 5}')
    await addActions(2)
    const problems: ActionProblem[] = []
    const seen: string[] = []
    consume((given) => void seen.push(given.id), { onProblem: (problem) => problems.push(problem) })
    await waitFor('the readable action', () => seen.length === 1)
    expect(problems).toMatchObject([{ kind: 'unreadable' }])
    await waitFor('acknowledgement', async () => (await pendingCount()) === 1)
  })

  test('stop lets the action under way end and leaves the others to somebody else', async () => {
    await addActions(1, 2, 3)
    const seen: string[] = []
    let finish = () => {}
    const consumer = consume((given) => {
      seen.push(given.id)
      return new Promise<void>((resolve) => {
        finish = resolve
      })
    })
    await waitFor('the first action', () => seen.length === 1)
    const stopped = consumer.stop()
    finish()
    await stopped
    expect(seen).toEqual(['1-0'])
    expect(await pendingCount()).toBe(2)
  })

  test('the signal stops a consumer that waits, and its connection is gone', async () => {
    const controller = new AbortController()
    const connections = async () => String(await redis.client('LIST')).match(/^id=/gm)?.length
    const own = publisher()
    await own.publish(messageCreated())
    const before = await connections()
    const consumer = consume(() => {}, { signal: controller.signal }, own)
    await waitFor('the group', groupExists)
    controller.abort()
    await consumer.stopped
    await waitFor('the end of its connection', async () => (await connections()) === before)
  })

  test('a consumer that never reached Redis can be stopped', async () => {
    const line = await breakableLine(store.url)
    line.cut()
    const consumer = consume(() => {}, {}, publisher({ redisUrl: line.url }))
    await consumer.stop()
  })

  test('a flush takes the group away: it is made again and reading goes on', async () => {
    const seen: string[] = []
    const problems: ActionProblem[] = []
    consume((given) => void seen.push(given.id), { onProblem: (problem) => problems.push(problem) })
    await addActions(1)
    await waitFor('the first action', () => seen.length === 1)
    await redis.del(ACTIONS_STREAM)
    await addActions(2)
    await waitFor('the second action', () => seen.length === 2)
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.every(({ kind }) => kind === 'redis')).toBe(true)
  })
})

/** A line to Redis that can be cut and mended. */
async function breakableLine(redisUrl: string) {
  const target = new URL(redisUrl)
  const sockets = new Set<Socket>()
  let server: Server | undefined
  let port = 0
  const mend = async () => {
    server = createServer((near) => {
      const far = connect(Number(target.port || 6379), target.hostname)
      for (const socket of [near, far]) {
        sockets.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => sockets.delete(socket))
      }
      near.pipe(far).pipe(near)
    })
    await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve))
    const address = server.address()
    port = typeof address === 'object' && address ? address.port : port
  }
  const cut = () => {
    server?.close()
    for (const socket of sockets) socket.destroy()
  }
  await mend()
  return { url: `redis://127.0.0.1:${port}${target.pathname}`, cut, mend }
}
