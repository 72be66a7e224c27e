import { formatInstant } from '@dwell/contracts/instant'
import { pageOf, pageQuery, payloadOf } from '@dwell/contracts/rest/answers'
import { type SweepAnswer, sweepAnswer, sweepBody, sweepSummaryAnswer } from '@dwell/contracts/rest/sweeps'
import { recordAudit } from '@dwell/database/audit-log'
import { listSweeps, type StoredSweep } from '@dwell/database/sweep-history'
import { type Endpoint, installationEndpoint } from '../endpoint'
import { checkedOptional } from '../http/body'
import { pageAnswer, readPage } from '../http/cursor'

const tag = 'Sweeps'
const LIMIT_MS = 120_000

export const sweepEndpoints: readonly Endpoint[] = [
  installationEndpoint({
    method: 'GET',
    path: '/sweeps',
    operation: 'listSweeps',
    tag,
    summary: 'What the latest sweeps did, the newest first.',
    query: pageQuery,
    answer: { status: 200, description: 'A page of summaries.', schema: pageOf(sweepAnswer) },
    handle: async ({ deps, query }) => pageAnswer(await listSweeps(deps.database, readPage(query)), viewSweep),
  }),
  installationEndpoint({
    method: 'POST',
    path: '/sweeps',
    operation: 'runSweep',
    tag,
    summary: 'Runs a sweep now and answers when all it enqueued has ended and its actions stand on the stream.',
    body: checkedOptional(sweepBody),
    answer: { status: 200, description: 'What it did.', schema: payloadOf(sweepSummaryAnswer) },
    problems: {
      503: 'It failed, or Redis does not answer or has lost the request (`code`). Another one does no harm.',
      504: 'It did not end within two minutes; it goes on.',
    },
    handle: async ({ deps, body, change }) => {
      const retention = body.retention ?? false
      const summary = await deps.work.sweep({ retention }, LIMIT_MS)
      await recordAudit(deps.database, change, {
        accountId: null,
        action: 'sweep.requested',
        subject: 'sweep',
        details: { retention },
      })
      return { payload: summary }
    },
  }),
]

function viewSweep(sweep: StoredSweep): SweepAnswer {
  const { startedAt, ...rest } = sweep
  return { ...rest, started_at: formatInstant(startedAt) }
}
