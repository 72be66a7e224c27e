import { createHmac } from 'node:crypto'
import { formatMilliseconds } from '@dwell/contracts/instant'
import { runHistoriesAnswer, runsAnswer, runsQuery } from '@dwell/contracts/rest/automation-reads'
import { findRun } from '@dwell/database/automations/run-history'
import { type ListedRun, readRuns } from '@dwell/database/automations/run-list'
import { searchRuns } from '@dwell/database/automations/run-search'
import { uuidOf } from '@dwell/domain/automations/body'
import { runHistory } from '@dwell/domain/automations/run-history'
import { type RunListing, readRunList } from '@dwell/domain/automations/run-list-query'
import { runsPage } from '@dwell/domain/automations/runs-page'
import type { Dependencies } from '../dependencies'
import { accountEndpoint, type Endpoint } from '../endpoint'
import { notFound } from '../http/problem'
import { answeredAsWhole, invalidParameters, STATISTICS_PROBLEMS } from '../http/statistics-problem'
import { automationInPath, statisticsOf } from './automation-in-path'

const tag = 'Automations'

export const automationRunEndpoints: readonly Endpoint[] = [
  accountEndpoint({
    method: 'GET',
    path: '/accounts/{account_id}/automations/{id}/runs',
    operation: 'listAutomationRuns',
    tag,
    summary:
      'Fifty runs by entry, with the member as it is now. With `search` those of members whose name or address contains it; ' +
      '`state` says whether to go on: `more`, `scanning` (go on even after an empty page), `exhausted`.',
    query: runsQuery,
    answer: { status: 200, description: 'A page of runs.', schema: runsAnswer },
    problems: STATISTICS_PROBLEMS,
    find: automationInPath,
    handle: async ({ deps, account, found, query, change }) => {
      const key = cursorKey(deps.config)
      const read = readRunList({
        parameters: query,
        accountId: account.id,
        automationId: found.id,
        now: change.now,
        key,
      })
      if (!read.ok) throw invalidParameters(read.faults)
      const { listing } = read
      const { runs, unfinished } = await answeredAsWhole(() => readListing(deps, account.id, found.id, listing))
      const page = runsPage(key, listing, runs, unfinished)
      return { automation_runs: page.rows.map(answeredRun), meta: { pagination: page.pagination } }
    },
  }),
  accountEndpoint({
    method: 'GET',
    path: '/accounts/{account_id}/automations/{id}/runs/{run_id}',
    operation: 'getAutomationRunHistory',
    tag,
    summary: 'One run with its recorded steps, each with the content it was queued with.',
    answer: { status: 200, description: 'One element.', schema: runHistoriesAnswer },
    problems: STATISTICS_PROBLEMS,
    find: automationInPath,
    handle: async ({ deps, account, found, params }) => {
      const id = uuidOf(params.run_id)
      const history = await answeredAsWhole(async () => {
        const run = id === null ? null : await findRun(statisticsOf(deps), account.id, found.id, id)
        return run === null ? null : runHistory(run)
      })
      if (history === null) throw notFound()
      return { automation_run_history: [history] }
    },
  }),
]

async function readListing(deps: Dependencies, accountId: number, automationId: string, listing: RunListing) {
  const source = statisticsOf(deps)
  if (listing.kind === 'browse') {
    return { runs: await readRuns(source, accountId, automationId, listing), unfinished: null }
  }
  const began = performance.now()
  return searchRuns(source, accountId, automationId, listing, () => performance.now() - began)
}

function answeredRun({ id, createdAt, status, failed, member }: ListedRun) {
  return { id, created_at: formatMilliseconds(createdAt), status, failed, member }
}

/** Without a signing key one that only this installation can make: cursors are for nobody else and for a while only. */
function cursorKey({ signingKey, adminToken }: Dependencies['config']): Uint8Array {
  return signingKey === undefined
    ? createHmac('sha256', adminToken).update('cursors').digest()
    : Buffer.from(signingKey, 'utf8')
}
