import { connect, createServer, type Server, type Socket } from 'node:net'

export interface SeverableProxy {
  /** As the target's URL, but through the proxy. */
  readonly url: string
  /** Cuts every connection and refuses new ones, as when the server is gone. */
  sever(): void
  /** Cuts every connection but takes new ones, as when the server has been started again. */
  cut(): void
  /** Takes connections again. */
  restore(): Promise<void>
  /** Connections that stand right now. */
  connections(): number
  close(): Promise<void>
}

/** Stands between a test and Postgres or Redis, to take them away and give them back without touching the server. */
export async function startSeverableProxy(targetUrl: string): Promise<SeverableProxy> {
  const target = new URL(targetUrl)
  const pairs = new Set<readonly [Socket, Socket]>()
  let server = await listen(0, accept)
  const port = portOf(server)

  function accept(client: Socket): void {
    const upstream = connect(Number(target.port), target.hostname)
    const pair = [client, upstream] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      client.destroy()
      upstream.destroy()
    }
    for (const socket of pair) {
      socket.setNoDelay(true)
      socket.on('error', end)
      socket.on('close', end)
    }
    client.pipe(upstream)
    upstream.pipe(client)
  }

  function cut(): void {
    for (const [client, upstream] of [...pairs]) {
      client.destroy()
      upstream.destroy()
    }
  }

  const url = new URL(targetUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    cut,
    sever() {
      server.close()
      cut()
    },
    async restore() {
      if (!server.listening) server = await listen(port, accept)
    },
    connections: () => pairs.size,
    async close() {
      cut()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
    },
  }
}

function listen(port: number, accept: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(accept)
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port')
  return address.port
}
