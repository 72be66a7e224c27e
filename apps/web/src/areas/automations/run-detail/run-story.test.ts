import { type RunHistory, type SavedPath, storyOf } from './run-story'

const NOW = Date.parse('2026-09-15T12:00:00.000Z')
const WAIT = { id: 'w', type: 'wait' as const, data: { wait_hours: 24 } }
const mail = (id: string) => ({
  id,
  type: 'send_email' as const,
  data: { email_subject: `Mail ${id}`, email_body: 'Hello', email_format: 'markdown' as const },
})
const edge = (source: string, target: string) => ({ source_action_id: source, target_action_id: target })
const PATH: SavedPath = {
  status: 'active',
  actions: [mail('a'), WAIT, mail('b'), { ...WAIT, id: 'x', data: { wait_hours: 48 } }, mail('c')],
  edges: [edge('a', 'w'), edge('w', 'b'), edge('b', 'x'), edge('x', 'c')],
}

type Step = RunHistory['steps'][number]
function step(action: Step['action'], facts: Partial<Step> = {}): Step {
  const at = '2026-09-15T10:00:00.000Z'
  const pending = facts.status === 'pending'
  return {
    id: `step-${action.id}`,
    automation_action_revision_id: 'r',
    status: 'finished',
    created_at: at,
    updated_at: at,
    ready_at: at,
    started_at: pending ? null : at,
    finished_at: pending ? null : at,
    email_sent_at: null,
    email_delivered_at: null,
    action,
    ...facts,
  }
}
function run(steps: Step[], facts: Partial<RunHistory> = {}): RunHistory {
  return {
    id: 'run',
    automation_id: 'automation',
    created_at: '2026-09-14T10:00:00.000Z',
    status: 'in_progress',
    failed: false,
    member: null,
    ended_at: null,
    end_reason: null,
    steps,
    ...facts,
  }
}

describe('the story of a run', () => {
  test('what is planned follows the only open step, from its time on', () => {
    const waiting = step(WAIT, { status: 'pending', ready_at: '2026-09-16T10:00:00.000Z' })
    const { cards, noOutlook } = storyOf(run([step(mail('a')), waiting]), PATH, NOW)
    expect(noOutlook).toBeNull()
    expect(cards.map((card) => [card.kind, 'state' in card ? card.state : null, card.at])).toEqual([
      ['entry', null, '2026-09-14T10:00:00.000Z'],
      ['email', 'done', '2026-09-15T10:00:00.000Z'],
      ['wait', 'open', '2026-09-16T10:00:00.000Z'],
      ['email', 'planned', '2026-09-16T10:00:00.000Z'],
      ['wait', 'planned', '2026-09-18T10:00:00.000Z'],
      ['email', 'planned', '2026-09-18T10:00:00.000Z'],
    ])
  })

  test('an overdue step is estimated from now, never from the past', () => {
    const late = step(WAIT, { status: 'pending', ready_at: '2026-09-15T09:00:00.000Z' })
    const { cards } = storyOf(run([late]), PATH, NOW)
    expect(cards[2]?.at).toBe('2026-09-15T12:00:00.000Z')
  })

  test.each<[string, Step[], SavedPath | null, string]>([
    ['an automation that is off', [step(WAIT, { status: 'pending' })], { ...PATH, status: 'inactive' }, 'turned_off'],
    ['a path that could not be read', [step(WAIT, { status: 'pending' })], null, 'path_unknown'],
    [
      'a path with a branch',
      [step(WAIT, { status: 'pending' })],
      { ...PATH, edges: [...PATH.edges, edge('a', 'b')] },
      'path_unknown',
    ],
    [
      'a path in two parts',
      [step(WAIT, { status: 'pending' })],
      { ...PATH, edges: PATH.edges.slice(1) },
      'path_unknown',
    ],
    ['a step that was removed', [step(mail('gone'), { status: 'pending' })], PATH, 'step_removed'],
    [
      'two open steps',
      [step(mail('a'), { status: 'pending' }), step(WAIT, { status: 'pending' })],
      PATH,
      'steps_unclear',
    ],
    ['an open step before a finished one', [step(WAIT, { status: 'pending' }), step(mail('b'))], PATH, 'steps_unclear'],
  ])('%s allows no outlook, and says why', (_case, steps, path, reason) => {
    const story = storyOf(run(steps), path, NOW)
    expect(story.noOutlook).toBe(reason)
    expect(story.cards).toHaveLength(steps.length + 1)
  })

  test('a mail is told as sent only with evidence', () => {
    const failed = step(mail('a'), { status: 'failed' })
    const refused = storyOf(run([failed], { status: 'exited_early', failed: true }), PATH, NOW).cards[1]
    expect(refused).toMatchObject({ state: 'stopped' })
    const delivered = step(mail('a'), { status: 'failed', email_delivered_at: '2026-09-15T11:00:00.000Z' })
    const proven = storyOf(run([delivered], { status: 'exited_early' }), PATH, NOW).cards[1]
    expect(proven).toMatchObject({
      state: 'done',
      at: '2026-09-15T11:00:00.000Z',
      deliveredAt: '2026-09-15T11:00:00.000Z',
    })
  })

  test('only a run that was completed has an end, others the reason of their exit', () => {
    const ended = { ended_at: '2026-09-15T10:00:01.000Z' }
    const whole = storyOf(run([step(mail('c'))], { ...ended, status: 'completed', end_reason: 'path_cut' }), PATH, NOW)
    expect(whole.cards.at(-1)).toEqual({ kind: 'end', key: 'end', reason: 'path_cut', at: ended.ended_at })
    const left = step(WAIT, { status: 'member_unsubscribed' })
    const early = storyOf(
      run([left], { status: 'exited_early', end_reason: 'member_unsubscribed', ...ended }),
      PATH,
      NOW,
    )
    expect(early.cards.at(-1)).toEqual({ kind: 'exit', key: 'exit', reason: 'member_unsubscribed', at: ended.ended_at })
    const older = storyOf(run([left], { status: 'exited_early' }), PATH, NOW)
    expect(older.cards.at(-1)).toMatchObject({ kind: 'exit', reason: 'member_unsubscribed' })
  })
})
