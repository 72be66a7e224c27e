import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConsoleConfig, loadIngestConfig, loadWorkerConfig, settingsByProcess } from './config'
import { ConfigError, type Setting } from './settings'

const stores = { DATABASE_URL: 'postgresql://u:hunter2@db/dwell', REDIS_URL: 'redis://cache:6379' }
const complete = { ...stores, DWELL_ADMIN_TOKEN: 'a-token-of-ours' }

function faultsOf(load: () => unknown): Record<string, string> {
  try {
    load()
  } catch (error) {
    if (error instanceof ConfigError)
      return Object.fromEntries(error.faults.map((fault) => [fault.variable, fault.message]))
    throw error
  }
  throw new Error('expected the configuration to be refused')
}

describe('configuration', () => {
  test('the stores and the admin token are enough; everything else has a default', () => {
    expect(loadConsoleConfig(complete)).toMatchObject({
      databaseUrl: stores.DATABASE_URL,
      redis: { kind: 'single', host: 'cache' },
      port: 3000,
      testClock: false,
      eventStreams: ['dwell:events'],
      logLevel: 'info',
      shutdownDeadlineMs: 25_000,
    })
    expect(loadIngestConfig(stores)).toMatchObject({ port: 3001, batchSize: 500, takeoverAfterMs: 60_000 })
    expect(loadWorkerConfig(stores)).toMatchObject({ port: 3002, smtpUrl: undefined, allowPrivateWebhooks: false })
  })

  test('all faults are reported at once, by variable', () => {
    const faults = faultsOf(() =>
      loadConsoleConfig({
        REDIS_URL: 'http://cache',
        CONSOLE_PORT: '99999',
        DWELL_LOG_LEVEL: 'loud',
        DWELL_SHUTDOWN_DEADLINE: '25',
      }),
    )
    expect(Object.keys(faults).sort()).toEqual([
      'CONSOLE_PORT',
      'DATABASE_URL',
      'DWELL_ADMIN_TOKEN',
      'DWELL_LOG_LEVEL',
      'DWELL_SHUTDOWN_DEADLINE',
      'REDIS_URL',
    ])
    expect(faults.CONSOLE_PORT).toContain('got "99999"')
    expect(faults.DATABASE_URL).toMatch(/^is missing\. Example: postgresql:/)
  })

  test('the report has one line per fault and says where the variables are described', () => {
    const error = new ConfigError([
      { variable: 'A', message: 'is missing' },
      { variable: 'LONGER', message: 'must be 1 or 0' },
    ])
    expect(error.message.split('\n')).toEqual([
      'The configuration has 2 faults:',
      '  A       is missing',
      '  LONGER  must be 1 or 0',
      'Every variable is described in docs/config.md.',
    ])
  })

  test('a secret is never shown, not even when it is wrong', () => {
    const faults = faultsOf(() =>
      loadConsoleConfig({ ...complete, DATABASE_URL: 'mysql://u:hunter2@db/x', REDIS_URL: 'redis://u:hunter2@h/x' }),
    )
    expect(Object.keys(faults)).toHaveLength(2)
    expect(JSON.stringify(faults)).not.toContain('hunter2')
  })

  test('an empty variable counts as not set', () => {
    expect(loadConsoleConfig({ ...complete, CONSOLE_PORT: '', DWELL_LOG_LEVEL: ' ' })).toMatchObject({
      port: 3000,
      logLevel: 'info',
    })
    expect(faultsOf(() => loadConsoleConfig({ ...complete, DATABASE_URL: '' }))).toHaveProperty('DATABASE_URL')
  })

  test.each([
    ['1', true],
    ['true', true],
    ['0', false],
    ['false', false],
    ['No', false],
  ])('DWELL_TEST_CLOCK=%s is %s', (text, value) => {
    expect(loadWorkerConfig({ ...stores, DWELL_TEST_CLOCK: text }).testClock).toBe(value)
  })

  test('two ingest processes on one machine have different consumer names without being told', () => {
    const first = loadIngestConfig({ ...stores, INGEST_PORT: '4001' }).consumerName
    const second = loadIngestConfig({ ...stores, INGEST_PORT: '4002' }).consumerName
    expect(first).not.toBe(second)
    expect(loadIngestConfig({ ...stores, INGEST_PORT: '4001' }).consumerName).toBe(first)
    expect(loadIngestConfig({ ...stores, DWELL_INGEST_CONSUMER: 'mine' }).consumerName).toBe('mine')
  })

  test('the streams are a list of distinct names', () => {
    expect(loadIngestConfig({ ...stores, DWELL_EVENT_STREAMS: 'a, b' }).eventStreams).toEqual(['a', 'b'])
    expect(faultsOf(() => loadIngestConfig({ ...stores, DWELL_EVENT_STREAMS: 'a,a' }))).toHaveProperty(
      'DWELL_EVENT_STREAMS',
    )
    expect(faultsOf(() => loadIngestConfig({ ...stores, DWELL_EVENT_STREAMS: 'a,,b' }))).toHaveProperty(
      'DWELL_EVENT_STREAMS',
    )
  })

  describe('secrets from files', () => {
    let directory: string
    beforeEach(() => {
      directory = mkdtempSync(join(tmpdir(), 'dwell-config-'))
    })
    afterEach(() => rmSync(directory, { recursive: true }))

    test('a secret is read from the file that <VARIABLE>_FILE names, without its last newline', () => {
      const file = join(directory, 'token')
      writeFileSync(file, 'from-a-file-0123456789\n')
      expect(loadConsoleConfig({ ...stores, DWELL_ADMIN_TOKEN_FILE: file }).adminToken).toBe('from-a-file-0123456789')
    })

    test('an unreadable file, and a secret given twice, are faults', () => {
      const missing = join(directory, 'missing')
      expect(faultsOf(() => loadConsoleConfig({ ...stores, DWELL_ADMIN_TOKEN_FILE: missing }))).toEqual({
        DWELL_ADMIN_TOKEN: `cannot be read from the file ${missing}: ENOENT`,
      })
      expect(faultsOf(() => loadConsoleConfig({ ...complete, DWELL_ADMIN_TOKEN_FILE: missing }))).toEqual({
        DWELL_ADMIN_TOKEN: 'is set twice, also as DWELL_ADMIN_TOKEN_FILE',
      })
    })
  })

  test('every default is a value that its own setting accepts, and every setting is described', () => {
    for (const settings of Object.values(settingsByProcess)) {
      for (const setting of Object.values(settings) as Setting<unknown>[]) {
        expect(setting.about.length).toBeGreaterThan(10)
        for (const sample of [setting.default, setting.example]) {
          if (sample !== undefined)
            expect([setting.variable, setting.schema.safeParse(sample).success]).toEqual([setting.variable, true])
        }
        expect([setting.variable, setting.schema.safeParse(undefined).success]).toEqual([
          setting.variable,
          !setting.required,
        ])
      }
    }
  })
})
