import { type Micros, parseInstant } from '@dwell/contracts/instant'
import type { Clock } from '@dwell/runtime/clock'

/** An instant from its ISO text; a text that is none is a fault of the test. */
export function instant(text: string): Micros {
  const micros = parseInstant(text)
  if (micros === null) throw new Error(`${JSON.stringify(text)} is no instant`)
  return micros
}

/** Time that stands still, in the memory of this process. */
export class FixedClock implements Clock {
  private current: Micros

  /** @param start an ISO instant; 1 September 2026, 09:00 UTC unless given */
  constructor(start = '2026-09-01T09:00:00Z') {
    this.current = instant(start)
  }

  async now(): Promise<Micros> {
    return this.current
  }

  /** Forward or back. */
  set(time: string | Micros): void {
    this.current = typeof time === 'string' ? instant(time) : time
  }

  advance(by: { readonly minutes?: number; readonly seconds?: number; readonly micros?: number }): Micros {
    const { minutes = 0, seconds = 0, micros = 0 } = by
    this.current = (this.current + minutes * 60_000_000 + seconds * 1_000_000 + micros) as Micros
    return this.current
  }
}
