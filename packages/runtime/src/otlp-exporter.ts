import type { Logger } from './logger'
import type { SpanKind } from './tracing'

/** A span that is over. Times in milliseconds since the epoch, with fractions. */
export interface SpanRecord {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: SpanKind
  readonly startedAt: number
  endedAt: number
  readonly attributes: Record<string, string | number | boolean | undefined>
  readonly links: { readonly traceId: string; readonly spanId: string }[]
  error: string | null
}

export interface OtlpExporter {
  add(span: SpanRecord): void
  close(): Promise<void>
}

const SEND_EVERY_MS = 5_000
const BATCH = 512
/** Beyond this spans are dropped: whoever collects them is away, and the process has other work. */
const MAX_WAITING = 4_096
const REQUEST_LIMIT_MS = 10_000
const CLOSE_LIMIT_MS = 2_000

const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 }
const STATUS_ERROR = 2

/** Sends spans in batches as OTLP/JSON. What cannot be sent is dropped; an outage is told once. */
export function createOtlpExporter(options: {
  readonly endpoint: string
  readonly headers?: string | undefined
  readonly service: string
  readonly logger: Logger
}): OtlpExporter {
  const { logger, service } = options
  const url = `${options.endpoint.replace(/\/+$/, '')}/v1/traces`
  const headers = { 'content-type': 'application/json', ...readHeaders(options.headers ?? '') }
  let waiting: SpanRecord[] = []
  let dropped = 0
  let away = false
  let sending: Promise<void> = Promise.resolve()
  const timer = setInterval(() => void flush(REQUEST_LIMIT_MS), SEND_EVERY_MS)
  timer.unref()

  async function send(spans: readonly SpanRecord[], limitMs: number): Promise<void> {
    try {
      const body = JSON.stringify(toOtlp(service, spans))
      const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(limitMs) })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`answered ${response.status}`)
      if (away) logger.info('traces are taken again', { event: 'tracing.restored', dropped })
      away = false
      dropped = 0
    } catch (error) {
      dropped += spans.length
      if (!away) logger.warn('traces could not be sent', { event: 'tracing.failed', error })
      away = true
    }
  }

  function flush(limitMs: number): Promise<void> {
    sending = sending.then(async () => {
      while (waiting.length > 0) {
        const spans = waiting.slice(0, BATCH)
        waiting = waiting.slice(BATCH)
        await send(spans, limitMs)
      }
    })
    return sending
  }

  return {
    add(span) {
      if (waiting.length >= MAX_WAITING) dropped += 1
      else waiting.push(span)
      if (waiting.length === BATCH) void flush(REQUEST_LIMIT_MS)
    },
    async close() {
      clearInterval(timer)
      let limit: NodeJS.Timeout | undefined
      const over = new Promise<void>((resolve) => {
        limit = setTimeout(resolve, CLOSE_LIMIT_MS)
      })
      await Promise.race([flush(CLOSE_LIMIT_MS), over])
      clearTimeout(limit)
    },
  }
}

function readHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? []
    return name === undefined || value === undefined ? [] : [[name.toLowerCase(), decodeURIComponent(value)] as const]
  })
  return Object.fromEntries(pairs)
}

function toOtlp(service: string, spans: readonly SpanRecord[]) {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.name': service, 'service.namespace': 'dwell' }) },
        scopeSpans: [{ scope: { name: 'dwell' }, spans: spans.map(spanOf) }],
      },
    ],
  }
}

function spanOf(span: SpanRecord) {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: nanos(span.startedAt),
    endTimeUnixNano: nanos(span.endedAt),
    attributes: attributesOf(span.attributes),
    links: span.links.map(({ traceId, spanId }) => ({ traceId, spanId })),
    status: span.error === null ? {} : { code: STATUS_ERROR, message: span.error },
  }
}

/** 64-bit numbers are texts in OTLP/JSON. */
function nanos(milliseconds: number): string {
  return `${BigInt(Math.round(milliseconds * 1_000)) * 1_000n}`
}

function attributesOf(attributes: Readonly<Record<string, string | number | boolean | undefined>>) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  )
}

function anyValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
