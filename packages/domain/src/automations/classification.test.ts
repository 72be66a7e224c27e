import { END_REASONS, STEP_STATUSES } from '@dwell/contracts/automations'
import fc from 'fast-check'
import { classificationOf, classifyRun, UnknownStepStatusError } from './classification'

describe('a run', () => {
  test.each<[string[], string, boolean]>([
    [['pending'], 'in_progress', false],
    [['finished', 'pending'], 'in_progress', false],
    [['failed', 'pending'], 'in_progress', false],
    [['finished', 'finished'], 'completed', false],
    [['finished', 'failed'], 'exited_early', true],
    [['automation_disabled'], 'exited_early', false],
    [['finished', 'member_unsubscribed'], 'exited_early', false],
    [['member_status_changed'], 'exited_early', false],
    [['finished', 'member_tier_changed'], 'exited_early', false],
  ])('with the steps %j is %s (failed: %j)', (steps, status, failed) => {
    expect(classifyRun(steps)).toEqual({ status, failed })
  })

  test('without steps is left out', () => {
    expect(classifyRun([])).toBeNull()
  })

  test('with a status nobody knows fails the request, even beside a pending step', () => {
    expect(() => classifyRun(['pending', 'teleported'])).toThrow(UnknownStepStatusError)
    expect(() => classifyRun(['finished', 'constructor'])).toThrow(UnknownStepStatusError)
  })

  test('is classified the same whatever the order of its steps', () => {
    const steps = fc.array(fc.constantFrom<string>(...STEP_STATUSES), { minLength: 1 })
    const shuffled = steps.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    )
    fc.assert(fc.property(shuffled, ([all, other]) => expect(classifyRun(other)).toEqual(classifyRun(all))))
  })
})

test('a status nobody knows is named, cut to what can be read', () => {
  const error = new UnknownStepStatusError('x'.repeat(200))
  expect(error.message).toBe(`a step has the unknown status "${'x'.repeat(100)}"`)
  expect(error.code).toBe('unknown_step_status')
})

test('why a run ended tells how it stands', () => {
  const told = Object.fromEntries([null, ...END_REASONS].map((reason) => [String(reason), classificationOf(reason)]))
  const early = { status: 'exited_early', failed: false }
  expect(told).toEqual({
    null: { status: 'in_progress', failed: false },
    completed: { status: 'completed', failed: false },
    path_cut: { status: 'completed', failed: false },
    turned_off: { status: 'completed', failed: false },
    failed: { status: 'exited_early', failed: true },
    automation_disabled: early,
    member_status_changed: early,
    member_tier_changed: early,
    member_unsubscribed: early,
  })
})
