import { performanceStatsAnswers, performanceStatsQuery } from '@dwell/contracts/rest/automation-reads'
import { readPerformance } from '@dwell/database/automations/performance-stats'
import { readDateRange } from '@dwell/domain/calendar/date-range'
import { accountEndpoint, type Endpoint } from '../endpoint'
import { answeredAsWhole, invalidParameters, STATISTICS_PROBLEMS } from '../http/statistics-problem'
import { automationInPath, statisticsOf } from './automation-in-path'

export const automationPerformanceEndpoints: readonly Endpoint[] = [
  accountEndpoint({
    method: 'GET',
    path: '/accounts/{account_id}/automations/{id}/performance-stats',
    operation: 'getAutomationPerformanceStats',
    tag: 'Automations',
    summary:
      'How the runs that entered within the dates stand now: totals, and entries by hour (one day) or by day. Runs ' +
      'without steps are left out.',
    query: performanceStatsQuery,
    answer: { status: 200, description: 'One element.', schema: performanceStatsAnswers },
    problems: STATISTICS_PROBLEMS,
    find: automationInPath,
    handle: async ({ deps, found, query, change }) => {
      const read = readDateRange(query, change.now)
      if (!read.ok) throw invalidParameters(read.faults)
      const stats = await answeredAsWhole(() => readPerformance(statisticsOf(deps), found.id, read.range, change.now))
      return { automation_performance_stats: [stats] }
    },
  }),
]
