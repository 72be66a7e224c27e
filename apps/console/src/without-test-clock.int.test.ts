import { useStores } from '@dwell/testing/stores'
import { useConsole } from './testing/running-console'

const console = useConsole(useStores(), { testClock: false })

test('where time passes by itself there is no clock to be set', async () => {
  expect((await console.call('GET', '/test_clock')).status).toBe(404)
  expect((await console.call('PUT', '/test_clock', { now: '2026-09-01T09:00:00Z' })).status).toBe(404)
})
