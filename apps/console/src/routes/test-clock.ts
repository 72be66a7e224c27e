import { formatInstant, parseInstant } from '@dwell/contracts/instant'
import { payloadOf } from '@dwell/contracts/rest/answers'
import { testClockAnswer, testClockBody } from '@dwell/contracts/rest/test-clock'
import { setTestClock } from '@dwell/runtime/clock'
import type { Dependencies } from '../dependencies'
import { type Endpoint, installationEndpoint } from '../endpoint'
import { checked } from '../http/body'
import { notFound } from '../http/problem'

const tag = 'Test clock'

/** Where time passes by itself there is no clock to be set. */
const find = async ({ deps }: { readonly deps: Dependencies }): Promise<true> => {
  if (!deps.config.testClock) throw notFound()
  return true
}

export const testClockEndpoints: readonly Endpoint[] = [
  installationEndpoint({
    method: 'GET',
    path: '/test_clock',
    operation: 'getTestClock',
    tag,
    summary: 'The time that stands still. Only with DWELL_TEST_CLOCK=1.',
    answer: { status: 200, description: 'The time.', schema: payloadOf(testClockAnswer) },
    problems: { 404: 'Time passes by itself here.' },
    find,
    handle: async ({ deps }) => ({ payload: { now: formatInstant(await deps.clock.now()) } }),
  }),
  installationEndpoint({
    method: 'PUT',
    path: '/test_clock',
    operation: 'putTestClock',
    tag,
    summary: 'Puts the time forward or back, for every process at once. Only with DWELL_TEST_CLOCK=1.',
    body: checked(testClockBody),
    answer: { status: 200, description: 'The time.', schema: payloadOf(testClockAnswer) },
    problems: { 404: 'Time passes by itself here.' },
    find,
    handle: async ({ deps, body }) => {
      const now = parseInstant(body.now)
      if (now === null) throw new Error('the schema let something pass that is no instant')
      await setTestClock(deps.redis, now)
      return { payload: { now: formatInstant(now) } }
    },
  }),
]
