import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ScriptedAnswers } from './scripted-answers'

export interface HookScript {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly path?: string
  readonly drop?: boolean
  readonly times?: number
}

export interface CaughtHook {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Parsed where it is JSON. */
  readonly body: unknown
}

/** A web server that keeps every request, and answers 200 or as it was told to. */
export class HookReceiver {
  readonly script = new ScriptedAnswers<HookScript>()
  private hooks: CaughtHook[] = []
  private readonly server: Server

  constructor() {
    this.server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      try {
        for await (const chunk of request) chunks.push(chunk as Buffer)
      } catch {
        // Cut off by the sender: what never came completely is no request.
        return
      }
      const { method = '', url: path = '', headers } = request
      this.hooks.push({ method, path, headers, body: parsed(Buffer.concat(chunks).toString('utf8')) })
      const answer = this.script.next((a) => a.path === undefined || a.path === path)
      if (answer?.drop) request.socket.destroy()
      else response.writeHead(answer?.status ?? 200, answer?.headers ?? {}).end()
    })
  }

  get caught(): readonly CaughtHook[] {
    return this.hooks
  }

  forget(): void {
    this.hooks = []
    this.script.clear()
  }

  /** Answers its base URL. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
