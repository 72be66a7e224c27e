import { STEP_STATUSES } from '@dwell/contracts/automations'
import fc from 'fast-check'
import { classifyRun, UnknownStepStatusError } from './classification'

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
