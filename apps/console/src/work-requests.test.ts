import { createWorkRequests } from './work-requests'

type Parts = Parameters<typeof createWorkRequests>[0]

/** Queues that take a request and then behave as the test says. */
function requests(getJob: () => Promise<unknown>, ending = new AbortController().signal) {
  const queue = { add: async () => ({}), getJob } as unknown as Parts['byName']['sweep']
  const byName = { sweep: queue, settle: queue } as unknown as Parts['byName']
  return createWorkRequests({ pool: {} as Parts['pool'], byName, queues: [], wake: null, ending })
}

const sweep = (getJob: () => Promise<unknown>, limitMs = 10_000, ending?: AbortSignal) =>
  requests(getJob, ending).sweep({ retention: false }, limitMs)

describe('a sweep that was asked for', () => {
  test('and that Redis has forgotten is a 503 that says what to do', async () => {
    await expect(sweep(async () => undefined)).rejects.toMatchObject({ status: 503, code: 'sweep_lost' })
  })

  test('and failed is a 503, whatever the workers met', async () => {
    const failed = { finishedOn: 1, failedReason: 'Connection is closed.' }
    await expect(sweep(async () => failed)).rejects.toMatchObject({
      status: 503,
      code: 'sweep_failed',
      more: { headers: { 'retry-after': '5' } },
    })
  })

  test('and does not end in time is a 504: it goes on', async () => {
    await expect(sweep(async () => ({}), 20)).rejects.toMatchObject({ status: 504, code: 'sweep_unfinished' })
  })

  test('is not waited for by a process that ends', async () => {
    const ending = new AbortController()
    const answer = sweep(async () => ({}), 10_000, ending.signal)
    ending.abort()
    await expect(answer).rejects.toMatchObject({ status: 503, code: 'unavailable' })
  })
})
