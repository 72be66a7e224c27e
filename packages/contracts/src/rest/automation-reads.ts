import { z } from 'zod'
import { MAX_CURSOR_CHARACTERS, MAX_SEARCH_BYTES, RUN_ORDERS, RUN_STATUSES, RUNS_PAGE_SIZE } from '../automations'
import { performanceStatsAnswer, runAnswer, runHistoryAnswer, runPagination } from './automations'

/** Described here, judged by `@dwell/domain`: whether a parameter matters depends on others. */
function parameter(meta: { readonly [key: string]: unknown; readonly description: string }) {
  return z
    .unknown()
    .optional()
    .meta({ type: 'string', ...meta })
}

const dates = {
  date_from: parameter({ format: 'date', description: 'The first day of entry. Without dates: all history.' }),
  date_to: parameter({ format: 'date', description: 'The last day, included; today unless given. Needs date_from.' }),
  timezone: parameter({
    description: 'A zone of the IANA database; UTC unless given. Days are days there.',
    example: 'Europe/Berlin',
  }),
}

export const performanceStatsQuery = z.object(dates)

export const runsQuery = z.object({
  status: parameter({ enum: [...RUN_STATUSES], description: 'Only runs that stand so. Ignored by a search.' }),
  order: parameter({ enum: [...RUN_ORDERS], description: 'By entry, then id; newest first unless given.' }),
  cursor: parameter({
    maxLength: MAX_CURSOR_CHARACTERS,
    description: '`next_cursor` of the page before, with the same parameters.',
  }),
  ...dates,
  search: parameter({
    description:
      `Part of the present name or address of a member, at most ${MAX_SEARCH_BYTES} bytes in UTF-8. Searches all of history; ` +
      'dates and status are ignored.',
  }),
})

export const performanceStatsAnswers = z.object({ automation_performance_stats: z.array(performanceStatsAnswer) })

export const runsAnswer = z.object({
  automation_runs: z.array(runAnswer).max(RUNS_PAGE_SIZE),
  meta: z.object({ pagination: runPagination }),
})

export const runHistoriesAnswer = z.object({ automation_run_history: z.array(runHistoryAnswer) })

export const actionLinksAnswer = z.object({
  automation_action_links: z.array(
    z
      .object({
        url: z.string(),
        click_count: z.int().meta({ description: 'Members who followed it, each once.' }),
      })
      .meta({ id: 'AutomationActionLink' }),
  ),
})
