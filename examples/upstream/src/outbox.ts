import type { InboundEventInput } from '@dwell/contracts/events'
import type { Publisher } from '@dwell/publisher/publisher'

const AT_ONCE = 500

/** Events on their way out, in order. Nothing is dropped while Redis is away: the desk has no other memory of them. */
export class Outbox {
  private waiting: InboundEventInput[] = []
  private last: Promise<void> = Promise.resolve()

  constructor(
    private readonly publisher: Pick<Publisher, 'publish'>,
    private readonly report: (error: unknown) => void,
  ) {}

  readonly add = (event: InboundEventInput): void => {
    this.waiting.push(event)
  }

  /** Resolves when everything that was added before is on the stream. */
  flush(): Promise<void> {
    const sent = this.last.then(() => this.send())
    this.last = sent.catch(() => {})
    return sent
  }

  private async send(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.slice(0, AT_ONCE)
      try {
        await this.publisher.publish(batch)
        this.waiting = this.waiting.slice(batch.length)
      } catch (error) {
        // An event at fault would fail for ever, and with it everything behind it.
        if (error instanceof Error && error.name === 'InvalidEventsError') throw error
        this.report(error)
      }
    }
  }
}
