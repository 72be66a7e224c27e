import { EventEmitter } from 'node:events'
import type { LogFields, Logger } from './logger'
import { createShutdown, type Shutdown, type ShutdownHost } from './shutdown'

class FakeHost extends EventEmitter implements ShutdownHost {
  exitCode: number | string | null | undefined
  readonly exits: number[] = []
  exit(code: number): void {
    this.exits.push(code)
  }
}

function setUp(deadlineMs = 1_000): { shutdown: Shutdown; host: FakeHost; done: string[]; events: LogFields[] } {
  const events: LogFields[] = []
  const record = (_message: string, fields?: LogFields) => void events.push(fields ?? {})
  const logger: Logger = { error: record, warn: record, info: record, debug: record, child: () => logger }
  const host = new FakeHost()
  return { shutdown: createShutdown({ logger, deadlineMs, host }), host, done: [], events }
}

const never = () => new Promise<never>(() => {})

describe('shutdown', () => {
  test('runs its steps in order, each after the one before has ended', async () => {
    const { shutdown, done } = setUp()
    shutdown.add({
      name: 'slow',
      run: async () => {
        await new Promise((resolve) => setImmediate(resolve))
        done.push('slow')
      },
    })
    shutdown.add({ name: 'fast', run: () => done.push('fast') })
    await shutdown.begin('test')
    expect(done).toEqual(['slow', 'fast'])
  })

  test('happens once, however often it is asked for', async () => {
    const { shutdown, done, host } = setUp()
    shutdown.add({ name: 'only', run: () => done.push('only') })
    await Promise.all([shutdown.begin('a'), shutdown.begin('b')])
    expect(done).toEqual(['only'])
    expect(host.exitCode).toBe(0)
  })

  test.each(['SIGTERM', 'SIGINT'])('%s begins it', async (signal) => {
    const { shutdown, host, done } = setUp()
    shutdown.add({ name: 'only', run: () => done.push('only') })
    shutdown.listen()
    host.emit(signal)
    await shutdown.begin('test')
    expect(done).toEqual(['only'])
  })

  test('the same signal, passed on by two at once, is one wish', () => {
    const { shutdown, host } = setUp()
    shutdown.add({ name: 'hangs', run: never })
    shutdown.listen()
    host.emit('SIGTERM')
    host.emit('SIGTERM')
    host.emit('SIGINT')
    expect(host.exits).toEqual([])
  })

  test('a second signal later on ends the process at once', () => {
    jest.useFakeTimers()
    try {
      const { shutdown, host } = setUp(60_000)
      shutdown.add({ name: 'hangs', run: never })
      shutdown.listen()
      host.emit('SIGINT')
      jest.advanceTimersByTime(1_500)
      host.emit('SIGINT')
      expect(host.exits).toEqual([1])
    } finally {
      jest.useRealTimers()
    }
  })

  test('a step that fails is reported and stops none of the others; the exit code says so', async () => {
    const { shutdown, host, done, events } = setUp()
    shutdown.add({ name: 'fails', run: () => Promise.reject(new Error('boom')) })
    shutdown.add({
      name: 'throws',
      run: () => {
        throw new Error('boom')
      },
    })
    shutdown.add({ name: 'last', run: () => done.push('last') })
    await shutdown.begin('test')
    expect(done).toEqual(['last'])
    expect(host.exitCode).toBe(1)
    expect(events.filter((fields) => fields.event === 'shutdown.step_failed').map((fields) => fields.step)).toEqual([
      'fails',
      'throws',
    ])
  })

  test('a step that takes too long is told to stop and left behind', async () => {
    const { shutdown, host, done } = setUp()
    let told: AbortSignal | undefined
    shutdown.add({
      name: 'hangs',
      limitMs: 10,
      run: (signal) => {
        told = signal
        return never()
      },
    })
    shutdown.add({ name: 'last', run: () => done.push('last') })
    await shutdown.begin('test')
    expect(told?.aborted).toBe(true)
    expect(done).toEqual(['last'])
    expect(host.exitCode).toBe(1)
  })

  test('when the deadline is over the rest is left out', async () => {
    const { shutdown, host, done, events } = setUp(20)
    shutdown.add({ name: 'hangs', run: never })
    shutdown.add({ name: 'left', run: () => done.push('left') })
    await shutdown.begin('test')
    expect(done).toEqual([])
    expect(events.find((fields) => fields.step === 'left')).toMatchObject({ outcome: 'left out' })
    expect(host.exitCode).toBe(1)
  })

  test.each(['uncaughtException', 'unhandledRejection'])(
    '%s is reported and ends the process with 1',
    async (event) => {
      const { shutdown, host, events } = setUp()
      shutdown.listen()
      host.emit(event, new Error('nobody caught me'))
      await shutdown.begin('test')
      expect(events[0]).toMatchObject({ event: 'process.failed', error: expect.any(Error) })
      expect(host.exitCode).toBe(1)
    },
  )

  test('of many unexpected errors the first is reported: the others follow from it', async () => {
    const { shutdown, host, events } = setUp()
    shutdown.add({ name: 'hangs', limitMs: 10, run: never })
    shutdown.listen()
    for (const message of ['first', 'second', 'third']) host.emit('uncaughtException', new Error(message))
    await shutdown.begin('test')
    expect(events.filter((fields) => fields.event === 'process.failed')).toHaveLength(1)
  })

  test('its listeners go with it', async () => {
    const { shutdown, host } = setUp()
    shutdown.listen()
    await shutdown.begin('test')
    expect(host.eventNames()).toEqual([])
  })
})
