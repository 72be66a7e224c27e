import { compareEntryIds, entriesOf, fieldOf, nextEntryId } from './stream-entry'

describe('entry ids', () => {
  test('are compared as numbers, part by part, also beyond what a number holds', () => {
    const ids = ['10-0', '9-5', '9-10', '18446744073709551615-2', '18446744073709551615-1', '9-9']
    expect(ids.sort(compareEntryIds)).toEqual([
      '9-5',
      '9-9',
      '9-10',
      '10-0',
      '18446744073709551615-1',
      '18446744073709551615-2',
    ])
    expect(compareEntryIds('5-0', '5-0')).toBe(0)
  })

  test('have a next one', () => {
    expect(nextEntryId('5-9')).toBe('5-10')
    expect(nextEntryId('0-0')).toBe('0-1')
  })
})

test('a reply is flattened, nothing is nothing', () => {
  expect(entriesOf(null)).toEqual([])
  expect(
    entriesOf([
      ['a', [['1-0', ['event', 'x']]]],
      ['b', [['2-0', null]]],
    ]),
  ).toEqual([
    { stream: 'a', id: '1-0', fields: ['event', 'x'] },
    { stream: 'b', id: '2-0', fields: null },
  ])
})

test('a field is found by its name, not by a value that looks like it', () => {
  const entry = { stream: 'a', id: '1-0', fields: ['other', 'event', 'event', 'x'] }
  expect(fieldOf(entry, 'event')).toBe('x')
  expect(fieldOf(entry, 'missing')).toBeUndefined()
  expect(fieldOf({ ...entry, fields: null }, 'event')).toBeUndefined()
})
