import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { createLogger } from './logger'
import { createTracing, NO_TRACING, parseTraceparent } from './tracing'

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const logger = createLogger({ process: 'test', level: 'error', format: 'json', stream: new PassThrough().resume() })

interface Received {
  readonly path: string | undefined
  readonly key: unknown
  // biome-ignore lint/suspicious/noExplicitAny: what came is what the test looks at
  readonly body: any
}

let collector: Server
let received: Received[]

beforeEach(async () => {
  received = []
  collector = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { url: path, headers } = request
      received.push({ path, key: headers['x-key'], body: JSON.parse(Buffer.concat(chunks).toString()) })
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((ready) => collector.listen(0, '127.0.0.1', ready))
})

afterEach(async () => {
  collector.closeAllConnections()
  await new Promise((closed) => collector.close(closed))
})

const tracingTo = (port = (collector.address() as AddressInfo).port) =>
  createTracing({
    endpoint: `http://127.0.0.1:${port}/`,
    headers: 'X-Key=secret%3D1, other=2',
    service: 'dwell-test',
    logger,
  })

test('spans are sent as OTLP/JSON with their service, parents, links, attributes and faults', async () => {
  const tracing = tracingTo()
  await tracing.span(
    'outer',
    { kind: 'server', parent: PARENT, attributes: { rows: 2, ratio: 0.5, done: true } },
    async (outer) => {
      const inner = tracing.begin('inner', { parent: outer.traceparent })
      inner.link(PARENT)
      inner.link(null)
      inner.link('nonsense')
      inner.set({ reason: 'x', left: undefined })
      inner.end()
      inner.end()
    },
  )
  await expect(
    tracing.span('broken', {}, async () => {
      throw new Error('no luck')
    }),
  ).rejects.toThrow('no luck')
  await tracing.close()

  expect(received).toHaveLength(1)
  expect(received[0]).toMatchObject({ path: '/v1/traces', key: 'secret=1' })
  const { resource, scopeSpans } = received[0]?.body.resourceSpans[0] ?? {}
  expect(resource.attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'dwell-test' } })
  const [inner, outer, broken] = scopeSpans[0].spans
  expect(outer).toMatchObject({
    name: 'outer',
    kind: 2,
    traceId: '0af7651916cd43dd8448eb211c80319c',
    parentSpanId: 'b7ad6b7169203331',
    attributes: [
      { key: 'rows', value: { intValue: '2' } },
      { key: 'ratio', value: { doubleValue: 0.5 } },
      { key: 'done', value: { boolValue: true } },
    ],
    links: [],
    status: {},
  })
  expect(inner).toMatchObject({
    name: 'inner',
    traceId: outer.traceId,
    parentSpanId: outer.spanId,
    attributes: [{ key: 'reason', value: { stringValue: 'x' } }],
    links: [{ traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }],
  })
  expect(broken).toMatchObject({ name: 'broken', status: { code: 2, message: 'no luck' } })
  expect(broken.parentSpanId).toBeUndefined()
  expect(broken.traceId).not.toBe(outer.traceId)
  expect(BigInt(outer.endTimeUnixNano) >= BigInt(outer.startTimeUnixNano)).toBe(true)
  expect(Math.abs(Number(BigInt(outer.startTimeUnixNano) / 1_000_000n) - Date.now())).toBeLessThan(60_000)
})

test('a trace that was not sampled where it began is not here', async () => {
  const tracing = tracingTo()
  await tracing.span('unsampled', { parent: `${PARENT.slice(0, -1)}0` }, async (span) => {
    expect(span.traceparent).toBeNull()
  })
  await tracing.close()
  expect(received).toEqual([])
})

test('a collector that is away holds nobody up', async () => {
  const { port } = collector.address() as AddressInfo
  const tracing = tracingTo(port)
  collector.closeAllConnections()
  await new Promise((closed) => collector.close(closed))
  expect(await tracing.span('work', {}, async () => 7)).toBe(7)
  await tracing.close()
  await new Promise<void>((ready) => collector.listen(0, '127.0.0.1', ready))
})

test('without an endpoint there is no tracing, and its spans do nothing', async () => {
  const tracing = createTracing({ endpoint: undefined, service: 'dwell-test', logger })
  expect(tracing).toBe(NO_TRACING)
  expect(tracing.on).toBe(false)
  expect(await tracing.span('work', {}, async (span) => span.traceparent)).toBeNull()
  expect(tracing.begin('a')).toBe(tracing.begin('b'))
})

test.each([
  [PARENT, true],
  [`${PARENT.slice(0, -2)}00`, false],
  [`${PARENT}-more`, true],
])('the trace context %s is read', (text, sampled) => {
  expect(parseTraceparent(text)).toMatchObject({ spanId: 'b7ad6b7169203331', sampled })
})

test.each([
  '',
  'x',
  PARENT.replace('b7ad6b7169203331', '0000000000000000'),
  `ff${PARENT.slice(2)}`,
  PARENT.toUpperCase(),
])('%j is no trace context', (text) => {
  expect(parseTraceparent(text)).toBeNull()
})
