import { parseRedisUrl } from './redis-url'

describe('REDIS_URL', () => {
  test('a plain server has defaults for port and database', () => {
    expect(parseRedisUrl('redis://cache')).toEqual({ kind: 'single', host: 'cache', port: 6379, db: 0, tls: false })
  })

  test('credentials, port and database are read, percent-encoding undone', () => {
    expect(parseRedisUrl('rediss://app:p%40ss%3A@cache.example:7000/3')).toEqual({
      kind: 'single',
      host: 'cache.example',
      port: 7000,
      db: 3,
      tls: true,
      username: 'app',
      password: 'p@ss:',
    })
  })

  test('a password may stand without a user name', () => {
    expect(parseRedisUrl('redis://:secret@cache')).toMatchObject({ password: 'secret' })
    expect(parseRedisUrl('redis://:secret@cache')).not.toHaveProperty('username')
    expect(parseRedisUrl('redis://secret@cache')).toMatchObject({ password: 'secret' })
  })

  test('an IPv6 address is kept without its brackets', () => {
    expect(parseRedisUrl('redis://[::1]:6380')).toMatchObject({ host: '::1', port: 6380 })
  })

  test('the sentinel form names its master and may name a database and a password of its own', () => {
    expect(parseRedisUrl('redis+sentinel://:pw@s1:26380,s2/main/2?sentinel_password=other')).toEqual({
      kind: 'sentinel',
      sentinels: [
        { host: 's1', port: 26380 },
        { host: 's2', port: 26379 },
      ],
      name: 'main',
      db: 2,
      tls: false,
      password: 'pw',
      sentinelPassword: 'other',
    })
  })

  test('the cluster form lists its first nodes', () => {
    expect(parseRedisUrl('rediss+cluster://n1:7001,n2:7002')).toEqual({
      kind: 'cluster',
      nodes: [
        { host: 'n1', port: 7001 },
        { host: 'n2', port: 7002 },
      ],
      tls: true,
    })
  })

  test.each([
    'http://cache',
    'redis://',
    'redis://a,b',
    'redis://cache/three',
    'redis://cache/1/2',
    'redis://cache:99999',
    'redis://cache:0',
    'redis+sentinel://s1',
    'redis+sentinel://s1/a/1/b',
    'redis+cluster://n1/4',
    'redis://%E0%A4%A@cache',
  ])('%s is refused', (text) => {
    expect(() => parseRedisUrl(text)).toThrow()
  })

  test('a refusal does not repeat the password', () => {
    expect(() => parseRedisUrl('redis://u:hunter2@cache/x')).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('hunter2') }),
    )
  })
})
