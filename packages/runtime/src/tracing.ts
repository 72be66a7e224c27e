import { randomBytes } from 'node:crypto'
import type { Logger } from './logger'
import { createOtlpExporter, type SpanRecord } from './otlp-exporter'

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer'
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** A piece of work as it is traced. Names and attributes hold ids, counts and outcomes, never payloads or addresses. */
export interface Span {
  /** W3C trace context of this span, for whoever goes on with its work; null where nothing is traced. */
  readonly traceparent: string | null
  set(attributes: Attributes): void
  /** What it also goes back to: the event of a row that waited for days has a trace of its own. Others are ignored. */
  link(traceparent: string | null | undefined): void
  fail(error: unknown): void
  end(): void
}

export interface SpanOptions {
  readonly kind?: SpanKind
  /** `traceparent` of whoever asked for it. A trace that was not sampled there is not here. */
  readonly parent?: string | null | undefined
  readonly attributes?: Attributes
}

export interface Tracing {
  /** False: spans cost nothing and go nowhere; whatever it costs to fill one can be left out. */
  readonly on: boolean
  begin(name: string, options?: SpanOptions): Span
  /** Around work; it fails as the work does. */
  span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>
  /** Sends what has not been sent, for two seconds at most. */
  close(): Promise<void>
}

const NO_SPAN: Span = {
  traceparent: null,
  set: () => undefined,
  link: () => undefined,
  fail: () => undefined,
  end: () => undefined,
}

/** Where tracing is switched off. */
export const NO_TRACING: Tracing = {
  on: false,
  begin: () => NO_SPAN,
  span: (_name, _options, work) => work(NO_SPAN),
  close: async () => undefined,
}

/** Of a batch of hundreds of rows the first say enough. */
const MAX_LINKS = 64
const SAMPLED = 1

/**
 * Spans by OTLP over HTTP, as `OTEL_EXPORTER_OTLP_ENDPOINT` says; without it nothing is traced. Why not by an SDK:
 * docs/adr/0012-tracing-without-an-sdk.md.
 */
export function createTracing(options: {
  readonly endpoint: string | undefined
  /** `name=value` pairs separated by commas, e.g. the key of whoever collects them. */
  readonly headers?: string | undefined
  readonly service: string
  readonly logger: Logger
}): Tracing {
  if (options.endpoint === undefined) return NO_TRACING
  const exporter = createOtlpExporter({ ...options, endpoint: options.endpoint })

  function begin(name: string, { kind = 'internal', parent, attributes = {} }: SpanOptions = {}): Span {
    const from = parent == null ? null : parseTraceparent(parent)
    if (from !== null && !from.sampled) return NO_SPAN
    const record: SpanRecord = {
      traceId: from?.traceId ?? randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      ...(from === null ? {} : { parentSpanId: from.spanId }),
      name,
      kind,
      startedAt: performance.timeOrigin + performance.now(),
      endedAt: 0,
      attributes: { ...attributes },
      links: [],
      error: null,
    }
    return {
      traceparent: `00-${record.traceId}-${record.spanId}-01`,
      set: (more) => void Object.assign(record.attributes, more),
      link(traceparent) {
        const to = traceparent == null ? null : parseTraceparent(traceparent)
        if (to !== null && record.links.length < MAX_LINKS) record.links.push(to)
      },
      fail(error) {
        record.error = error instanceof Error ? error.message : String(error)
      },
      end() {
        if (record.endedAt !== 0) return
        record.endedAt = performance.timeOrigin + performance.now()
        exporter.add(record)
      },
    }
  }

  return {
    on: true,
    begin,
    async span(name, spanOptions, work) {
      const span = begin(name, spanOptions)
      try {
        return await work(span)
      } catch (error) {
        span.fail(error)
        throw error
      } finally {
        span.end()
      }
    },
    close: () => exporter.close(),
  }
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/

/** Of a W3C `traceparent`; null where the text is none. */
export function parseTraceparent(text: string): { traceId: string; spanId: string; sampled: boolean } | null {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text) ?? []
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId) || text.startsWith('ff')) return null
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED }
}
