import { Writable } from 'node:stream'
import { createLogger, type Logger, type LoggerOptions } from './logger'

function capture(options: Partial<LoggerOptions> = {}): { logger: Logger; lines: () => string[]; text: () => string } {
  let written = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk)
      done()
    },
  })
  const logger = createLogger({ process: 'worker', level: 'info', format: 'json', stream, ...options })
  return { logger, text: () => written, lines: () => written.split('\n').filter((line) => line !== '') }
}

describe('the logger', () => {
  test('writes one JSON object per call with time, level, message, process and fields', () => {
    const { logger, lines } = capture()
    logger.info('sweep completed', { event: 'sweep.completed', due: 3 })
    expect(lines()).toHaveLength(1)
    expect(JSON.parse(lines()[0] ?? '')).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      level: 'info',
      message: 'sweep completed',
      process: 'worker',
      event: 'sweep.completed',
      due: 3,
    })
  })

  test('leaves out what is less severe than its level', () => {
    const { logger, lines } = capture({ level: 'warn' })
    logger.info('not written')
    logger.debug('not written')
    logger.warn('written')
    logger.error('written')
    expect(lines()).toHaveLength(2)
  })

  test('a child adds its fields to every line', () => {
    const { logger, lines } = capture()
    logger.child({ queue: 'process' }).child({ row_id: 7 }).info('row skipped', { reason: 'expired' })
    expect(JSON.parse(lines()[0] ?? '')).toMatchObject({ queue: 'process', row_id: 7, reason: 'expired' })
  })

  test('an error keeps its name, code, message, stack and cause', () => {
    const { logger, lines } = capture()
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    logger.error('batch failed', { error: new TypeError('no connection', { cause }) })
    expect(JSON.parse(lines()[0] ?? '').error).toMatchObject({
      name: 'TypeError',
      message: 'no connection',
      stack: expect.stringContaining('logger.test'),
      cause: { code: 'ECONNREFUSED' },
    })
  })

  test('no field can pass itself off as the level or the message', () => {
    const { logger, lines } = capture()
    logger.info('true message', { level: 'error', message: 'false', time: 'never' })
    expect(JSON.parse(lines()[0] ?? '')).toMatchObject({ level: 'info', message: 'true message' })
  })

  test('values that JSON does not know do not stop a line', () => {
    const { logger, lines } = capture()
    const circle: Record<string, unknown> = { id: 10n }
    circle.self = circle
    logger.info('odd value logged', { circle })
    expect(JSON.parse(lines()[0] ?? '').circle.id).toBe('10')
  })

  test('goes on when nobody reads the log any more', async () => {
    let attempts = 0
    const stream = new Writable({
      autoDestroy: false,
      write(_chunk, _encoding, done) {
        attempts += 1
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
      },
    })
    const { logger } = capture({ stream })
    logger.info('first')
    await new Promise((resolve) => setImmediate(resolve))
    expect(() => logger.error('second')).not.toThrow()
    expect(attempts).toBeGreaterThan(0)
  })

  test('text is one readable line, an error’s stack below it', () => {
    const { logger, lines } = capture({ format: 'text' })
    logger.info('sweep completed', { event: 'sweep.completed', due: 3, reason: 'tick' })
    logger.error('batch failed', { error: new Error('boom') })
    expect(lines()[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info {2}worker {3}sweep completed due=3 reason=tick$/)
    expect(lines()[1]).toMatch(/error worker {3}batch failed$/)
    expect(lines()[2]).toContain('Error: boom')
  })
})

describe.each(['json', 'text'] as const)('secrets in %s', (format) => {
  const SECRET = 'hunter2hunter2hunter2'

  test.each<[string, (logger: Logger) => void]>([
    ['a field called password', (logger) => logger.info('x', { password: SECRET })],
    [
      'a field called token, deep inside',
      (logger) => logger.info('x', { request: { headers: [{ admin_token: SECRET }] } }),
    ],
    ['an authorization header', (logger) => logger.info('x', { headers: { Authorization: `Bearer ${SECRET}` } })],
    ['a cookie', (logger) => logger.info('x', { headers: { 'set-cookie': [SECRET] } })],
    ['a database URL', (logger) => logger.info('x', { url: `postgresql://dwell:${SECRET}@db:5432/dwell` })],
    [
      'a Redis URL without a user name',
      (logger) => logger.info('x', { url: `rediss+sentinel://:${SECRET}@h1:1,h2:2/main` }),
    ],
    [
      'a URL in an error’s message and stack',
      (logger) => logger.error('x', { error: new Error(`no answer from redis://u:${SECRET}@h`) }),
    ],
    [
      'a URL in the cause of an error',
      (logger) => logger.error('x', { error: new Error('x', { cause: new Error(`smtp://u:${SECRET}@h`) }) }),
    ],
    ['a bearer token in a text', (logger) => logger.info('x', { line: `authorization: bearer ${SECRET}` })],
    ['a webhook secret in a text', (logger) => logger.info('x', { line: `signed with whsec_${SECRET}` })],
    ['an API token in a text', (logger) => logger.info('x', { line: `used dwell_account_${SECRET}` })],
    ['a token in a query', (logger) => logger.info('x', { path: `/hook?a=1&access_token=${SECRET}&b=2` })],
    ['a secret in the message itself', (logger) => logger.info(`connected to postgres://u:${SECRET}@h`)],
    ['a secret bound to a child', (logger) => logger.child({ api_key: SECRET }).info('x')],
  ])('%s never reaches the log', (_, write) => {
    const { logger, text } = capture({ format })
    write(logger)
    expect(text()).toContain('[redacted]')
    expect(text()).not.toContain(SECRET)
  })

  test('claim tokens, hosts and user names stay readable', () => {
    const { logger, text } = capture({ format })
    logger.info('row claimed', { claim_token: 'c0ffee', url: `postgresql://dwell:${SECRET}@db:5432/dwell` })
    expect(text()).toContain('c0ffee')
    expect(text()).toContain('postgresql://dwell:[redacted]@db:5432/dwell')
  })
})
