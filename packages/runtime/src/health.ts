import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Metrics } from './metrics'
import { redactText } from './redact'

/** Something the process cannot work without. Resolves when it is there, rejects with the reason when it is not. */
export interface ReadinessCheck {
  readonly name: string
  readonly check: () => Promise<unknown>
}

export interface Readiness {
  readonly ready: boolean
  /** `ok`, or why not, by the check's name. */
  readonly checks: Readonly<Record<string, string>>
}

/** What the probes of one process answer. */
export interface Health {
  /** Runs every check, each within its time limit. */
  readiness(): Promise<Readiness>
  /** From now on the process is not ready, whatever the checks say: the first step of every shutdown. */
  shutDown(): void
}

export function createHealth(
  checks: readonly ReadinessCheck[],
  options: { readonly checkLimitMs?: number } = {},
): Health {
  const limitMs = options.checkLimitMs ?? 2_000
  let shuttingDown = false
  return {
    async readiness() {
      if (shuttingDown) return { ready: false, checks: { process: 'is shutting down' } }
      const outcomes = await Promise.all(
        checks.map(async (check) => [check.name, await runCheck(check, limitMs)] as const),
      )
      return { ready: outcomes.every(([, outcome]) => outcome === 'ok'), checks: Object.fromEntries(outcomes) }
    },
    shutDown() {
      shuttingDown = true
    },
  }
}

async function runCheck({ check }: ReadinessCheck, limitMs: number): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`did not answer within ${limitMs} ms`)), limitMs)
  })
  try {
    await Promise.race([check(), limit])
    return 'ok'
  } catch (error) {
    return redactText(error instanceof Error ? error.message : String(error))
  } finally {
    clearTimeout(timer)
  }
}

export type HealthHandler = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void

/**
 * Answers `/livez` (the process runs; nothing else is asked), `/readyz` and `/metrics`; passes everything else on to
 * `next`, or answers 404. It fits Node's own server and, as middleware, Express.
 */
export function createHealthHandler(health: Health, metrics: Metrics): HealthHandler {
  return (request, response, next) => {
    const path = request.url?.split('?', 1)[0]
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return next ? next() : send(response, 404, { error: 'not found' })
    if (path === '/livez') return send(response, 200, { live: true })
    if (path === '/readyz') {
      health
        .readiness()
        .then((readiness) => send(response, readiness.ready ? 200 : 503, readiness))
        .catch(() => send(response, 503, { ready: false, checks: {} }))
      return
    }
    if (path === '/metrics') {
      metrics
        .render()
        .then((text) =>
          response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' }).end(text),
        )
        .catch(() => send(response, 500, { error: 'the metrics could not be read' }))
      return
    }
    if (next) next()
    else send(response, 404, { error: 'not found' })
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(body))
}

export interface HealthServer {
  readonly port: number
  close(): Promise<void>
}

/** The whole HTTP side of a process that has no other (ingest, worker). Port 0 takes a free one. */
export async function startHealthServer(options: {
  readonly host: string
  readonly port: number
  readonly health: Health
  readonly metrics: Metrics
}): Promise<HealthServer> {
  const server = createServer(createHealthHandler(options.health, options.metrics))
  await listen(server, options.port, options.host)
  return {
    port: (server.address() as AddressInfo).port,
    close: () => closeServer(server),
  }
}

/** Resolves when the server listens, rejects when it cannot, e.g. because the port is taken. */
export function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Takes no more requests, lets those under way end, and closes idle connections at once. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeIdleConnections()
  })
}
