import { PENDING_EXECUTION_STATUSES, SKIP_REASONS } from '@dwell/contracts/pending-execution'
import { isArmed, isRearmable, type PendingExecution } from './pending-execution'

const row = (status: PendingExecution['status'], skipReason: PendingExecution['skipReason'] = null) =>
  ({ status, skipReason }) as PendingExecution

test('a row is armed while it waits and while a worker holds it', () => {
  expect(PENDING_EXECUTION_STATUSES.filter((status) => isArmed(row(status)))).toEqual(['pending', 'processing'])
})

test('a newer event arms what was skipped for a reason that may pass, and nothing else', () => {
  expect(SKIP_REASONS.filter((reason) => isRearmable(row('skipped', reason)))).toEqual([
    'rule_inactive',
    'flag_disabled',
    'conditions_changed',
    'expired',
    'rule_changed',
  ])
  expect(isRearmable(row('skipped'))).toBe(false)
  // A reason that was left on a row in another state says nothing.
  for (const status of ['pending', 'processing', 'executed'] as const)
    expect(isRearmable(row(status, 'expired'))).toBe(false)
})
