import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { useStores } from '@dwell/testing/stores'
import { ruleBody } from './testing/rules'
import { ADMIN_TOKEN, type RequestOptions, useConsole } from './testing/running-console'

const console = useConsole(useStores())

const JSON_TYPE = { 'content-type': 'application/json' }
const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
const event = (overrides: object = {}): object => ({
  id: 'evt_1',
  event: 'conversation_updated',
  occurred_at: '2026-09-01T10:00:00Z',
  account_id: 1,
  conversation: { id: 101, status: 'pending' },
  ...overrides,
})

interface Case {
  readonly what: string
  readonly method?: string
  readonly path?: string
  readonly options: RequestOptions
  readonly status: number
  readonly code: string
}

const CASES: readonly Case[] = [
  { what: 'half an object', options: { raw: '{"name":' }, status: 400, code: 'malformed_json' },
  { what: 'text around JSON', options: { raw: '{} {}' }, status: 400, code: 'malformed_json' },
  { what: 'single quotes', options: { raw: "{'name':'x'}" }, status: 400, code: 'malformed_json' },
  { what: 'a number that is none', options: { raw: '{"id":NaN}' }, status: 400, code: 'malformed_json' },
  { what: 'white space alone', options: { raw: '   ' }, status: 400, code: 'malformed_json' },
  {
    what: 'bytes that are not UTF-8',
    options: { raw: Uint8Array.of(0x22, 0xff, 0x22) },
    status: 400,
    code: 'malformed_text',
  },
  {
    what: 'gzip that is none',
    options: { raw: '{}', headers: { 'content-encoding': 'gzip' } },
    status: 400,
    code: 'malformed_body',
  },
  {
    what: 'an encoding that is unknown',
    options: { raw: '{}', headers: { 'content-encoding': 'zip' } },
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    what: 'a form',
    options: { raw: 'name=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    what: 'JSON called text',
    options: { raw: '{}', headers: { 'content-type': 'text/plain' } },
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    what: 'JSON without a type',
    options: { raw: '{}', headers: { 'content-type': '' } },
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    what: 'JSON in Latin-1',
    options: { raw: '{}', headers: { 'content-type': 'application/json; charset=latin1' } },
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    what: 'a body above the limit',
    options: { raw: JSON.stringify({ name: 'x'.repeat(70_000) }) },
    status: 413,
    code: 'too_large',
  },
  {
    what: 'a bomb of gzip',
    options: { raw: gzipSync(Buffer.alloc(5_000_000, 0x20)), headers: { 'content-encoding': 'gzip' } },
    status: 413,
    code: 'too_large',
  },
  { what: 'no body', options: {}, status: 422, code: 'invalid' },
  { what: 'null', options: { raw: 'null' }, status: 422, code: 'invalid' },
  { what: 'a list', options: { raw: '[]' }, status: 422, code: 'invalid' },
  { what: 'a text', options: { raw: '"name"' }, status: 422, code: 'invalid' },
  { what: 'a number', options: { raw: '7' }, status: 422, code: 'invalid' },
  { what: 'a NUL in a text', options: { raw: '{"name":"a\\u0000"}' }, status: 422, code: 'invalid' },
  { what: 'half a surrogate pair', options: { raw: '{"name":"a\\ud800"}' }, status: 422, code: 'invalid' },
  {
    what: 'a prototype as a key',
    options: { raw: '{"name":"x","__proto__":{"admin":true}}' },
    status: 422,
    code: 'invalid',
  },
  { what: 'nesting without end', options: { raw: deep(30_000) }, status: 422, code: 'invalid' },
  {
    what: 'nesting without end in a rule',
    path: '/accounts/$account/automation_rules',
    options: { raw: JSON.stringify(ruleBody()).replace('"stale-pending"', deep(20_000)) },
    status: 422,
    code: 'invalid',
  },
  {
    what: 'a rule that is a list',
    path: '/accounts/$account/automation_rules',
    options: { raw: '[{}]' },
    status: 422,
    code: 'invalid',
  },
  {
    what: 'a rule with a number that JSON cannot hold',
    path: '/accounts/$account/automation_rules',
    options: {
      raw: JSON.stringify(ruleBody({ execution_delay: 0 })).replace('"execution_delay":0', '"execution_delay":1e999'),
    },
    status: 422,
    code: 'invalid',
  },
  { what: 'no event', path: '/events', options: {}, status: 422, code: 'invalid' },
  { what: 'an empty list of events', path: '/events', options: { raw: '[]' }, status: 422, code: 'invalid' },
  {
    what: 'one bad event among good ones',
    path: '/events',
    options: { raw: JSON.stringify([event(), event({ event: 'rocket' }), event()]) },
    status: 422,
    code: 'invalid',
  },
  {
    what: 'an event whose time is none',
    path: '/events',
    options: { raw: JSON.stringify(event({ occurred_at: '2026-02-30T10:00:00Z' })) },
    status: 422,
    code: 'invalid',
  },
  {
    what: 'an instant without an offset',
    method: 'PUT',
    path: '/test_clock',
    options: { raw: '{"now":"2026-09-01T10:00:00"}' },
    status: 422,
    code: 'invalid',
  },
  {
    what: 'an instant that is a number',
    method: 'PUT',
    path: '/test_clock',
    options: { raw: '{"now":1788256800}' },
    status: 422,
    code: 'invalid',
  },
  {
    what: 'an option that is unknown',
    path: '/sweeps',
    options: { raw: '{"retain":true}' },
    status: 422,
    code: 'invalid',
  },
  { what: 'an address that is not there', path: '/rockets', options: { raw: '{}' }, status: 404, code: 'not_found' },
  {
    what: 'an address that goes up',
    method: 'GET',
    path: '/accounts/..%2f..%2fetc',
    options: {},
    status: 404,
    code: 'not_found',
  },
  {
    what: 'an address with broken percent-encoding',
    method: 'GET',
    path: '/accounts/%E0%A4%A',
    options: {},
    status: 400,
    code: 'malformed_address',
  },
  {
    what: 'a method that is not offered',
    method: 'PUT',
    path: '/accounts',
    options: { raw: '{}' },
    status: 405,
    code: 'method_not_allowed',
  },
  {
    what: 'a method nobody knows',
    method: 'PROPFIND',
    path: '/accounts',
    options: {},
    status: 405,
    code: 'method_not_allowed',
  },
]

let account = 0
beforeAll(async () => {
  account = await console.createAccount()
})

describe('a malformed request gets its reason, changes nothing and breaks nothing', () => {
  test.each(CASES.map((one) => [one.what, one] as const))('%s', async (_what, one) => {
    const counted =
      'SELECT (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM automation_rules) AS rules'
    const before = (await console.deps.pool.query(counted)).rows
    const path = (one.path ?? '/accounts').replace('$account', String(account))
    const reply = await console.call(one.method ?? 'POST', path, undefined, one.options)
    expect(reply).toMatchObject({ status: one.status, body: { status: one.status, code: one.code } })
    expect(reply.headers.get('content-type')).toContain('application/problem+json')
    expect(reply.body).toEqual({
      type: `urn:dwell:problem:${one.code}`,
      title: expect.any(String),
      status: one.status,
      detail: expect.any(String),
      instance: expect.stringMatching(/^\/api\/v1\//),
      code: one.code,
      request_id: reply.headers.get('x-request-id'),
      errors: expect.any(Array),
    })
    if (one.status === 422) expect(reply.body.errors.length).toBeGreaterThan(0)
    expect(reply.text).not.toMatch(/node_modules|\.ts:|\.js:|at async/)
    expect((await console.deps.pool.query(counted)).rows).toEqual(before)
    expect(await console.deps.redis.xlen('dwell:events')).toBe(0)
    expect((await console.fetch('/readyz')).status).toBe(200)
  })

  test('a method that is not offered is told what is', async () => {
    const reply = await console.call('DELETE', '/accounts')
    expect(reply.headers.get('allow')).toBe('GET, POST, OPTIONS')
    const options = await console.fetch('/api/v1/accounts', { method: 'OPTIONS' })
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, POST, OPTIONS'])
  })

  test('a body that ends before its announced length, and a line that is no HTTP, only cost their connection', async () => {
    const { port, hostname } = new URL(console.url)
    await new Promise<void>((resolve) => {
      const request = httpRequest({
        port,
        hostname,
        method: 'POST',
        path: '/api/v1/accounts',
        headers: { ...JSON_TYPE, authorization: `Bearer ${ADMIN_TOKEN}`, 'content-length': '500' },
      })
      request.on('error', () => resolve())
      request.write('{"name":', () => request.destroy())
    })
    const answer = await new Promise<string>((resolve, reject) => {
      let text = ''
      const socket = connect(Number(port), hostname, () => socket.write('ROCKETS\r\n\r\n'))
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('close', () => resolve(text))
      socket.on('error', reject)
    })
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect((await console.fetch('/readyz')).status).toBe(200)
  })

  test('unknown addresses outside the API answer a problem document too', async () => {
    const reply = await console.fetch('/nowhere', { headers: { accept: 'application/json' } })
    expect(reply.status).toBe(404)
    expect(await reply.json()).toMatchObject({ code: 'not_found', instance: '/nowhere' })
  })
})
