import { type Micros, parseInstant } from '@dwell/contracts/instant'
import { runHistoryAnswer } from '@dwell/contracts/rest/automations'
import { UnknownStepStatusError } from './classification'
import { BrokenHistoryError, type RecordedRun, type RecordedStep, runHistory } from './run-history'

const at = (text: string) => parseInstant(`2026-09-01T${text}Z`) as Micros

const WAIT: RecordedStep = {
  id: 's1',
  revisionId: 'r1',
  status: 'finished',
  createdAt: at('10:00:00.123456'),
  updatedAt: at('11:00:03'),
  readyAt: at('11:00:00.123456'),
  startedAt: at('11:00:03'),
  finishedAt: at('11:00:03'),
  emailSentAt: null,
  emailDeliveredAt: null,
  action: { id: 'w', type: 'wait', data: { wait_hours: 1 } },
}
const MAIL: RecordedStep = {
  ...WAIT,
  id: 's2',
  revisionId: 'r2',
  createdAt: at('11:00:03'),
  readyAt: at('11:00:03'),
  emailSentAt: at('11:00:03'),
  action: { id: 'm', type: 'send_email', data: { email_subject: '', email_body: 'x', email_format: 'html' } },
}
const RUN: RecordedRun = {
  id: 'run',
  automationId: 'A',
  createdAt: at('10:00:00.123'),
  endedAt: at('11:00:03'),
  endReason: 'completed',
  member: { id: '1', name: null, email: 'ann@example.com' },
  steps: [MAIL, WAIT],
}

describe('the history of a run', () => {
  test('is its recorded steps in order, in milliseconds, with the content each was queued with', () => {
    expect(runHistory(RUN)).toEqual({
      id: 'run',
      automation_id: 'A',
      created_at: '2026-09-01T10:00:00.123Z',
      member: { id: '1', name: null, email: 'ann@example.com' },
      status: 'completed',
      failed: false,
      ended_at: '2026-09-01T11:00:03.000Z',
      end_reason: 'completed',
      steps: [
        {
          id: 's1',
          automation_action_revision_id: 'r1',
          status: 'finished',
          created_at: '2026-09-01T10:00:00.123Z',
          updated_at: '2026-09-01T11:00:03.000Z',
          ready_at: '2026-09-01T11:00:00.123Z',
          started_at: '2026-09-01T11:00:03.000Z',
          finished_at: '2026-09-01T11:00:03.000Z',
          email_sent_at: null,
          email_delivered_at: null,
          action: { id: 'w', type: 'wait', data: { wait_hours: 1 } },
        },
        expect.objectContaining({
          id: 's2',
          email_sent_at: '2026-09-01T11:00:03.000Z',
          email_delivered_at: null,
          action: MAIL.action,
        }),
      ],
    })
  })

  test('has the shape the API promises', () => {
    const id = (n: number) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`
    const steps = RUN.steps.map((step, i) => ({
      ...step,
      id: id(i),
      revisionId: id(i),
      action: step.action === null ? null : { ...step.action, id: id(i) },
    }))
    expect(() => runHistoryAnswer.parse(runHistory({ ...RUN, id: id(8), automationId: id(9), steps }))).not.toThrow()
  })

  test('orders steps of the same instant by their ids', () => {
    const steps = ['c', 'a', 'b'].map((id) => ({ ...WAIT, id }))
    expect(runHistory({ ...RUN, steps }).steps.map((step) => step.id)).toEqual(['a', 'b', 'c'])
  })

  test('shows a step that waits for its retry as pending, the run as in progress and not failed', () => {
    const steps = [{ ...MAIL, status: 'pending', finishedAt: null, emailSentAt: null }]
    expect(runHistory({ ...RUN, endedAt: null, endReason: null, steps })).toMatchObject({
      status: 'in_progress',
      failed: false,
      ended_at: null,
      steps: [{ status: 'pending', finished_at: null }],
    })
  })

  test('names what contradicts itself', () => {
    expect(() => runHistory({ ...RUN, steps: [] })).toThrow('the run has no steps')
    expect(() => runHistory({ ...RUN, steps: [{ ...WAIT, finishedAt: null }] })).toThrow(
      'step s1 has ended, but nobody knows when',
    )
    expect(() => runHistory({ ...RUN, steps: [{ ...WAIT, action: null }] })).toThrow('step s1 has lost its content')
    expect(new BrokenHistoryError('x').code).toBe('broken_history')
  })

  test.each<[string, RecordedRun, new (...args: never[]) => Error]>([
    ['no steps', { ...RUN, steps: [] }, BrokenHistoryError],
    ['a status nobody knows', { ...RUN, steps: [{ ...WAIT, status: 'teleported' }] }, UnknownStepStatusError],
    ['an end nobody noted', { ...RUN, steps: [{ ...WAIT, finishedAt: null }] }, BrokenHistoryError],
    ['no revision', { ...RUN, steps: [{ ...WAIT, action: null }] }, BrokenHistoryError],
    ['no content', { ...RUN, steps: [{ ...WAIT, action: { id: 'w', type: 'wait', data: null } }] }, BrokenHistoryError],
  ])('fails as a whole with %s', (_what, run, error) => {
    expect(() => runHistory(run)).toThrow(error)
  })
})
