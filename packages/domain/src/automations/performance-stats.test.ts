import { type Micros, parseInstant } from '@dwell/contracts/instant'
import { performanceStatsAnswer } from '@dwell/contracts/rest/automations'
import { readDateRange } from '../calendar/date-range'
import { entryWindow } from '../calendar/entry-window'
import { performanceStats } from './performance-stats'

const NOW = parseInstant('2026-09-11T00:30:00Z') as Micros
const AUTOMATION = '01900000-0000-7000-8000-00000000000a'

test('the cards of performance sum to its total, and so does its chart', () => {
  const range = readDateRange({ date_from: '2026-09-09', date_to: '2026-09-11' }, NOW)
  if (!range.ok) throw new Error('a valid range')
  const window = entryWindow(range.range, NOW, null)
  const rows = [
    { bucket: 1, status: 'in_progress', count: 2 },
    { bucket: 1, status: 'completed', count: 2 },
    { bucket: 1, status: 'exited_early', count: 4 },
  ] as const
  const stats = performanceStats(AUTOMATION, window, rows, NOW)
  expect(performanceStatsAnswer.parse(stats)).toEqual({
    automation_id: AUTOMATION,
    total_run_count: 8,
    in_progress_run_count: 2,
    completed_run_count: 2,
    exited_early_run_count: 4,
    entries: [
      { date: '2026-09-09', count: 0 },
      { date: '2026-09-10', count: 8 },
      { date: '2026-09-11', count: 0 },
    ],
    entry_window: { date_from: '2026-09-09', date_to: '2026-09-12', bucket: 'day', timezone: 'UTC' },
  })
})
