import { fairPriorities } from './priorities'

const row = (accountId: number, immediate = false) => ({ accountId, immediate })

test('accounts take turns, however long the backlog of one is', () => {
  expect(fairPriorities([row(1), row(1), row(1), row(2), row(3), row(2)])).toEqual([2, 3, 4, 2, 2, 3])
})

test('the turns of a sweep run on from batch to batch', () => {
  const turns = new Map()
  expect(fairPriorities([row(1), row(1), row(2)], turns)).toEqual([2, 3, 2])
  expect(fairPriorities([row(1), row(2), row(3)], turns)).toEqual([4, 3, 2])
})

test('immediate rows go before all delayed ones and take no turn', () => {
  expect(fairPriorities([row(1), row(1, true), row(1)])).toEqual([2, 1, 3])
})

test('a priority is never 0, which would jump the queue, and never beyond what the queue takes', () => {
  const priorities = fairPriorities(Array.from({ length: 2_097_160 }, () => row(1)))
  expect(priorities[0]).toBe(2)
  expect(priorities.at(-1)).toBe(2_097_151)
})
