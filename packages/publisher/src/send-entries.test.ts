import { PublishError, type RedisClient, sendEntries } from './send-entries'

type Answer = [Error | null, unknown] | 'lost'

/** A connection whose pipelines answer as scripted; remembers every XADD. */
function scriptedRedis(...pipelines: Answer[][]) {
  const added: unknown[][] = []
  const redis = {
    pipeline() {
      const answers = pipelines.shift()
      let commands = 0
      return {
        xadd(...args: unknown[]) {
          added.push(args)
          commands++
        },
        async exec() {
          if (answers === undefined) return Array.from({ length: commands }, (_, i) => [null, `9-${i}`])
          if (answers.includes('lost')) throw new Error('Connection is closed.')
          return answers
        },
      }
    },
  }
  return { redis: redis as unknown as RedisClient, added }
}

function replyError(message: string): Error {
  return Object.assign(new Error(message), { name: 'ReplyError' })
}

const options = { stream: 's', field: 'event', chunkSize: 2, giveUpAfterMs: 5_000 }

describe('sending entries', () => {
  test('goes in chunks, in order, and answers the ids in order', async () => {
    const { redis, added } = scriptedRedis(
      [
        [null, '1-0'],
        [null, '2-0'],
      ],
      [[null, '3-0']],
    )
    expect(await sendEntries(redis, ['a', 'b', 'c'], options)).toEqual(['1-0', '2-0', '3-0'])
    expect(added).toEqual(['a', 'b', 'c'].map((text) => ['s', '*', 'event', text]))
  })

  test('a lost connection is tried again with what was not acknowledged, and only that', async () => {
    const { redis, added } = scriptedRedis(
      ['lost'],
      [
        [null, '1-0'],
        [new Error('Connection is closed.'), null],
      ],
      [[null, '2-0']],
    )
    expect(await sendEntries(redis, ['a', 'b'], options)).toEqual(['1-0', '2-0'])
    expect(added.map((args) => args.at(-1))).toEqual(['a', 'b', 'a', 'b', 'b'])
  })

  test.each(['LOADING Redis is loading', 'OOM command not allowed', "READONLY You can't write"])(
    'the answer %s passes: it is tried again',
    async (answer) => {
      const { redis } = scriptedRedis([[replyError(answer), null]], [[null, '1-0']])
      expect(await sendEntries(redis, ['a'], options)).toEqual(['1-0'])
    },
  )

  test('an answer that does not pass by itself ends it at once and says what was taken', async () => {
    const { redis } = scriptedRedis([
      [null, '1-0'],
      [replyError('WRONGTYPE Operation against a key'), null],
    ])
    const failure = await sendEntries(redis, ['a', 'b', 'c'], options).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(PublishError)
    expect(failure).toMatchObject({ entryIds: ['1-0', null, null], message: expect.stringContaining('WRONGTYPE') })
  })

  test('it is given up when the time is over', async () => {
    const { redis, added } = scriptedRedis(['lost'], ['lost'])
    await expect(sendEntries(redis, ['a'], { ...options, giveUpAfterMs: 0 })).rejects.toThrow('1 of 1 events')
    expect(added).toHaveLength(1)
  })

  test('maxLen is passed on with each entry', async () => {
    const { redis, added } = scriptedRedis()
    await sendEntries(redis, ['a'], { ...options, maxLen: 1_000 })
    expect(added).toEqual([['s', 'MAXLEN', '~', 1_000, '*', 'event', 'a']])
  })

  test('nothing to send is sent at once', async () => {
    const { redis, added } = scriptedRedis()
    expect(await sendEntries(redis, [], options)).toEqual([])
    expect(added).toEqual([])
  })
})
