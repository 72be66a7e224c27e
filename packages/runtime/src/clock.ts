import { MICROS_PER_MILLISECOND, type Micros } from '@dwell/contracts/instant'

/** The only source of "now" in the product: everything below the processes' edge is handed an instant. */
export interface Clock {
  now(): Promise<Micros>
}

/** Where the test clock's time lies in Redis, as integer microseconds in decimal text. */
export const TEST_CLOCK_KEY = 'dwell:test_clock'

/** The two commands of Redis that the test clock needs. */
export interface ClockStore {
  get(key: string): Promise<string | null>
  set(key: string, value: string): Promise<unknown>
  setnx(key: string, value: string): Promise<unknown>
}

/**
 * The machine's time. Its resolution is the millisecond: a monotonic counter would add digits, but drifts away from
 * the corrected wall clock in a process that lives for weeks.
 */
export const systemClock: Clock = {
  now: async () => systemNow(),
}

/**
 * Time that stands still until it is set. Every reading asks Redis, so a new time holds for all processes at once;
 * where nobody has set it yet it stands at the machine's time of the first reading.
 */
export function createTestClock(store: ClockStore): Clock {
  return {
    async now() {
      const kept = await store.get(TEST_CLOCK_KEY)
      if (kept !== null) return readMicros(kept)
      await store.setnx(TEST_CLOCK_KEY, String(systemNow()))
      return readMicros((await store.get(TEST_CLOCK_KEY)) ?? '')
    },
  }
}

/** Puts the test clock forward or back, for every process that shares the store. */
export async function setTestClock(store: ClockStore, now: Micros): Promise<void> {
  await store.set(TEST_CLOCK_KEY, String(now))
}

/** The clock that the configuration asks for. */
export function createClock(config: { readonly testClock: boolean }, store: ClockStore): Clock {
  return config.testClock ? createTestClock(store) : systemClock
}

function systemNow(): Micros {
  return (Date.now() * MICROS_PER_MILLISECOND) as Micros
}

function readMicros(text: string): Micros {
  const value = Number(text)
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new Error(`The test clock holds no instant: ${JSON.stringify(text)}`)
  return value as Micros
}
