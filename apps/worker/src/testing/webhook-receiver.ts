import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What came to one address of the receiver. */
export interface ReceivedHook {
  readonly path: string
  readonly id: string
  readonly body: Record<string, unknown>
  readonly headers: IncomingHttpHeaders
}

export type Behaviour = (response: ServerResponse) => void

/** Answers with this status and headers. */
export const answer =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    void response.writeHead(status, headers).end()

/** Takes the request and never says anything. */
export const silence: Behaviour = () => undefined

/** Cuts the connection before there is a status. */
export const cutBeforeTheAnswer: Behaviour = (response) => void response.socket?.destroy()

/** Begins to answer and cuts the connection in the middle of the headers. */
export const cutInTheAnswer: Behaviour = (response) => {
  response.socket?.end('HTTP/1.1 200 OK\r\ncontent-le')
}

/** A receiver whose behaviour at each path a test sets; everything that came is kept, in order. */
export interface WebhookReceiver {
  readonly hooks: ReceivedHook[]
  url(path: string): string
  /** From now on; 200 at paths of which nothing was said. */
  behave(path: string, behaviour: Behaviour): void
  close(): Promise<void>
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const hooks: ReceivedHook[] = []
  const behaviours = new Map<string, Behaviour>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      hooks.push({ path, id: String(request.headers['webhook-id']), body, headers: request.headers })
      const behave = behaviours.get(path) ?? answer(200)
      behave(response)
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    hooks,
    url: (path) => `${base}${path}`,
    behave: (path, behaviour) => void behaviours.set(path, behaviour),
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
