import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A receiver of webhooks that answers as it is told. */
export interface HookReceiver {
  readonly url: string
  /** Status of the next answers. */
  answer: number
  close(): void
}

export async function openHooks(answer: number): Promise<HookReceiver> {
  const receiver = { url: '', answer, close: () => void server.close() }
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.statusCode = receiver.answer
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}
