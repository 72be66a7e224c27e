import { randomUUID } from 'node:crypto'
import PostalMime from 'postal-mime'

/** A message as the server took it, and as a mail program would read it. */
export interface Message {
  readonly id: string
  /** ISO. */
  readonly received_at: string
  /** Of the envelope; empty for a bounce. */
  readonly from: string
  readonly to: readonly string[]
  readonly message_id: string | null
  readonly subject: string
  readonly text: string | null
  readonly html: string | null
  readonly headers: readonly { readonly name: string; readonly value: string }[]
}

export interface Envelope {
  readonly from: string
  readonly to: readonly string[]
}

/** The latest messages, in memory. */
export class Mailbox {
  readonly #kept: { readonly message: Message; readonly raw: Buffer }[] = []
  readonly #limit: number

  constructor(limit = 5_000) {
    this.#limit = limit
  }

  async add(envelope: Envelope, raw: Buffer, receivedAt: Date): Promise<Message> {
    const parsed = await PostalMime.parse(raw)
    const message: Message = {
      id: randomUUID(),
      received_at: receivedAt.toISOString(),
      from: envelope.from,
      to: [...envelope.to],
      message_id: parsed.messageId ?? null,
      subject: parsed.subject ?? '',
      text: parsed.text ?? null,
      html: parsed.html ?? null,
      headers: parsed.headers.map(({ originalKey: name, value }) => ({ name, value })),
    }
    this.#kept.push({ message, raw })
    if (this.#kept.length > this.#limit) this.#kept.shift()
    return message
  }

  /** In the order they came; with `to` those for this address. */
  list(to?: string): readonly Message[] {
    const wanted = to?.toLowerCase()
    return this.#kept
      .map(({ message }) => message)
      .filter((message) => wanted === undefined || message.to.some((address) => address.toLowerCase() === wanted))
  }

  find(id: string): { readonly message: Message; readonly raw: Buffer } | undefined {
    return this.#kept.find(({ message }) => message.id === id)
  }

  clear(): void {
    this.#kept.length = 0
  }
}
