import { type Micros, parseInstant } from '@dwell/contracts/instant'
import { automationAnswer, automationSummaryAnswer } from '@dwell/contracts/rest/automations'
import { answeredAutomation, answeredSummary, type WholeAutomation } from './automation-answer'

const at = (text: string) => parseInstant(`2026-09-01T${text}Z`) as Micros
const id = (n: number) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`

const FLOW: WholeAutomation = {
  id: id(1),
  slug: null,
  name: 'Flow A',
  description: '',
  status: 'active',
  version: 3,
  createdAt: at('10:00:00.123456'),
  updatedAt: at('11:00:00'),
  trigger: { scope: 'selected_paid', tierIds: ['t1'] },
  policy: { reEntry: 'after_days', days: 7 },
  path: [
    {
      action: {
        id: id(9),
        type: 'send_email',
        data: { email_subject: 'Hi', email_body: 'x', email_format: 'markdown' },
      },
      createdAt: at('10:00:00'),
      counters: [{ sent: 3, delivered: 2, opened: 1, clicked: 2, openTracked: 2, clickTracked: 3 }],
    },
    { action: { id: id(8), type: 'wait', data: { wait_hours: 1 } }, createdAt: at('10:00:00'), counters: [] },
    { action: { id: id(7), type: 'wait', data: { wait_hours: 2 } }, createdAt: at('10:30:00'), counters: [] },
  ],
}

describe('an automation is answered', () => {
  test('whole: actions by creation and id, the path in its edges, e-mails with their statistics', () => {
    const answer = automationAnswer.parse(answeredAutomation(FLOW))
    expect(answer).toMatchObject({
      version: 3,
      created_at: '2026-09-01T10:00:00.123Z',
      trigger_tier_scope: 'selected_paid',
      trigger_tier_ids: ['t1'],
      re_entry: 'after_days',
      re_entry_days: 7,
      edges: [
        { source_action_id: id(9), target_action_id: id(8) },
        { source_action_id: id(8), target_action_id: id(7) },
      ],
    })
    expect(answer.actions.map((action) => action.id)).toEqual([id(8), id(9), id(7)])
    expect(answer.actions[1]).toMatchObject({ stats: { sent_count: 3, opened_rate: 50, clicked_rate: 67 } })
  })

  test('in the list with its runs, and without them where they cannot be read', () => {
    const stats = { lastRunCreatedAt: at('12:00:00'), total: 2, inProgress: 1 }
    expect(automationSummaryAnswer.parse(answeredSummary(FLOW, stats)).stats).toEqual({
      last_run_created_at: '2026-09-01T12:00:00.000Z',
      total_run_count: 2,
      in_progress_run_count: 1,
    })
    expect(automationSummaryAnswer.parse(answeredSummary(FLOW, null))).not.toHaveProperty('stats')
  })
})

test('actions of one instant are answered by id, however the path runs', () => {
  const waits = [3, 1, 2].map((n) => ({
    action: { id: id(n), type: 'wait', data: { wait_hours: n } } as const,
    createdAt: at('10:00:00'),
    counters: [],
  }))
  const { actions } = answeredAutomation({ ...FLOW, path: waits })
  expect(actions).toEqual([1, 2, 3].map((n) => ({ id: id(n), type: 'wait', data: { wait_hours: n } })))
})
