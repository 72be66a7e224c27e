import type { Micros } from '@dwell/contracts/instant'
import { type ClockStore, createClock, createTestClock, setTestClock, systemClock, TEST_CLOCK_KEY } from './clock'

function memoryStore(): ClockStore & { readonly values: Map<string, string> } {
  const values = new Map<string, string>()
  return {
    values,
    get: async (key) => values.get(key) ?? null,
    set: async (key, value) => values.set(key, value),
    setnx: async (key, value) => (values.has(key) ? 0 : values.set(key, value)),
  }
}

describe('the system clock', () => {
  test('answers the machine’s time in whole microseconds', async () => {
    const before = Date.now() * 1_000
    const now = await systemClock.now()
    expect(now).toBeGreaterThanOrEqual(before)
    expect(now).toBeLessThanOrEqual(Date.now() * 1_000)
    expect(Number.isSafeInteger(now)).toBe(true)
  })
})

describe('the test clock', () => {
  test('keeps every microsecond and may be put back', async () => {
    const store = memoryStore()
    const clock = createTestClock(store)
    for (const instant of [1_788_253_200_123_456, 1_788_253_200_123_455, 0]) {
      await setTestClock(store, instant as Micros)
      expect(await clock.now()).toBe(instant)
    }
  })

  test('a new time holds at once for every clock on the same store', async () => {
    const store = memoryStore()
    const [first, second] = [createTestClock(store), createTestClock(store)]
    await setTestClock(store, 5 as Micros)
    expect([await first.now(), await second.now()]).toEqual([5, 5])
    await setTestClock(store, 7 as Micros)
    expect([await first.now(), await second.now()]).toEqual([7, 7])
  })

  test('stands still before anybody has set it', async () => {
    const store = memoryStore()
    const first = await createTestClock(store).now()
    expect(store.values.get(TEST_CLOCK_KEY)).toBe(String(first))
    expect(await createTestClock(store).now()).toBe(first)
  })

  test('refuses a value that is no instant instead of guessing', async () => {
    const store = memoryStore()
    store.values.set(TEST_CLOCK_KEY, 'tomorrow')
    await expect(createTestClock(store).now()).rejects.toThrow('holds no instant')
  })

  test('is used only where the configuration asks for it', async () => {
    const store = memoryStore()
    await setTestClock(store, 5 as Micros)
    expect(await createClock({ testClock: true }, store).now()).toBe(5)
    expect(await createClock({ testClock: false }, store).now()).toBeGreaterThan(5)
  })
})
