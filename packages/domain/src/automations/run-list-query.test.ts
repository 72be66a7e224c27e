import { type Micros, parseInstant } from '@dwell/contracts/instant'
import { runPagination } from '@dwell/contracts/rest/automations'
import fc from 'fast-check'
import { type RunListing, readRunList } from './run-list-query'
import { RUNS_TO_FETCH, runsPage } from './runs-page'

const KEY = Buffer.from('an installation secret')
const NOW = parseInstant('2026-09-14T12:00:00Z') as Micros
const AUTOMATION = '01900000-0000-7000-8000-00000000000a'

function read(parameters: object, now = NOW, automationId = AUTOMATION) {
  return readRunList({ parameters: { ...parameters }, accountId: 1, automationId, now, key: KEY })
}

function listingOf(parameters: object, now = NOW): RunListing {
  const list = read(parameters, now)
  if (!list.ok) throw new Error(list.faults.map((fault) => fault.message).join())
  return list.listing
}

const said = (parameters: object, now = NOW, automationId = AUTOMATION) => {
  const list = read(parameters, now, automationId)
  return list.ok ? [] : list.faults.map(({ pointer, code }) => `${pointer} ${code}`)
}

const runs = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: `01900000-0000-7000-8000-${String(i).padStart(12, '0')}`,
    createdAt: (NOW - i * 1000) as Micros,
  }))

/** The cursor that the first page of these parameters ends with. */
function cursorOf(parameters: object, now = NOW): string {
  const { pagination } = runsPage(KEY, listingOf(parameters, now), runs(RUNS_TO_FETCH))
  if (pagination.next_cursor === null) throw new Error('there is a next page')
  return pagination.next_cursor
}

describe('the run list', () => {
  test('is everything, newest first, when nothing is said', () => {
    expect(listingOf({})).toMatchObject({
      kind: 'browse',
      order: 'created_at desc',
      status: null,
      span: null,
      after: null,
    })
  })

  test('selects entries by local days', () => {
    const day = { date_from: '2026-03-08', date_to: '2026-03-08', timezone: 'America/New_York' }
    expect(listingOf(day)).toMatchObject({
      span: { start: parseInstant('2026-03-08T05:00:00Z'), end: parseInstant('2026-03-09T04:00:00Z') },
    })
  })

  test.each<[object, string[]]>([
    [{ status: '' }, ['status unknown_status']],
    [{ status: 'running' }, ['status unknown_status']],
    [{ status: ['completed', 'completed'] }, ['status unknown_status']],
    [{ order: 'created_at' }, ['order unknown_order']],
    [{ order: '' }, ['order unknown_order']],
    [{ order: 'id asc' }, ['order unknown_order']],
    [{ cursor: '' }, ['cursor invalid_cursor']],
    [{ cursor: 'not-a-cursor' }, ['cursor invalid_cursor']],
    [{ cursor: ['a', 'b'] }, ['cursor invalid_cursor']],
    [
      { date_from: '2026-02-30', status: 'x', order: 'y' },
      ['order unknown_order', 'status unknown_status', 'date_from invalid_date'],
    ],
    [{ search: ['a', 'b'] }, ['search parameter_repeated']],
    [{ search: 'x'.repeat(4097) }, ['search search_too_long']],
    [{ search: ' '.repeat(4097) }, ['search search_too_long']],
    [{ search: '中'.repeat(1366) }, ['search search_too_long']],
    [{ search: '中'.repeat(1365) }, []],
    [{ search: 'x'.repeat(4096) }, []],
    [{ search: 'a\0b' }, ['search unstorable_text']],
  ])('%j: %j', (parameters, faults) => {
    expect(said(parameters)).toEqual(faults)
  })

  test('is read or refused whatever is asked, never an error', () => {
    const names = ['status', 'order', 'cursor', 'date_from', 'date_to', 'timezone', 'search']
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), fc.anything()), (parameters) => {
        const list = read(parameters)
        expect(list.ok || list.faults.length > 0).toBe(true)
      }),
    )
  })
})

describe('a page', () => {
  test('of exactly fifty has no next one', () => {
    const { rows, pagination } = runsPage(KEY, listingOf({}), runs(50))
    expect(rows).toHaveLength(50)
    expect(pagination).toEqual({ limit: 50, next_cursor: null })
  })

  test('of more than fifty ends at the fiftieth, behind which the next one begins', () => {
    const { rows } = runsPage(KEY, listingOf({}), runs(51))
    expect(rows).toHaveLength(50)
    const last = rows.at(-1)
    expect(listingOf({ cursor: cursorOf({}) }).after).toEqual({
      id: last?.id,
      createdAtMs: Math.floor((last?.createdAt ?? 0) / 1000),
    })
  })
})

describe('a cursor', () => {
  const BOUND = { date_from: '2026-09-01', date_to: '2026-09-10' }

  test('continues what it was made for', () => {
    for (const parameters of [{}, { status: 'completed' }, { order: 'created_at asc' }, BOUND, { search: 'anna' }]) {
      expect(said({ ...parameters, cursor: cursorOf(parameters) })).toEqual([])
    }
  })

  test.each<[object, object]>([
    [{}, { status: 'completed' }],
    [{}, { timezone: 'Europe/London' }],
    [{}, { order: 'created_at asc' }],
    [{}, { date_from: '2026-09-01' }],
    [{}, { search: 'anna' }],
    [{ search: 'anna' }, {}],
    [{ search: 'anna' }, { search: 'bert' }],
    [{ search: 'anna' }, { search: 'anna', order: 'created_at asc' }],
    [BOUND, { ...BOUND, date_to: '2026-09-11' }],
    [BOUND, { ...BOUND, date_from: '2026-09-02' }],
  ])('made for %j does not continue %j', (made, asked) => {
    expect(said({ ...asked, cursor: cursorOf(made) })).toEqual(['cursor cursor_of_another_list'])
  })

  test('does not continue another automation', () => {
    expect(said({ cursor: cursorOf({}) }, NOW, '01900000-0000-7000-8000-00000000000b')).toEqual([
      'cursor cursor_of_another_list',
    ])
  })

  test('keeps the end of its range over midnight; an end that is said must be the same', () => {
    const cursor = cursorOf({ date_from: '2026-09-01' })
    const tomorrow = parseInstant('2026-09-15T00:00:01Z') as Micros
    expect(listingOf({ date_from: '2026-09-01', cursor }, tomorrow)).toMatchObject({
      span: { end: parseInstant('2026-09-15T00:00:00Z') },
    })
    expect(said({ date_from: '2026-09-01', date_to: '2026-09-14', cursor }, tomorrow)).toEqual([])
    expect(said({ date_from: '2026-09-01', date_to: '2026-09-15', cursor }, tomorrow)).toEqual([
      'cursor cursor_of_another_list',
    ])
  })

  test('of an explicit end continues where the end is left out', () => {
    expect(listingOf({ date_from: '2026-09-01', cursor: cursorOf(BOUND) })).toMatchObject({
      span: { end: parseInstant('2026-09-11T00:00:00Z') },
    })
  })
})

describe('a search', () => {
  test('looks at all time and all statuses: other filters are not even read', () => {
    const others = { status: 'nonsense', date_from: '2026-02-30', timezone: ['x', 'y'] }
    expect(listingOf({ search: ' anna ', ...others })).toMatchObject({ kind: 'search', search: 'anna' })
    expect(said({ search: 'anna', ...others, cursor: cursorOf({ search: 'anna' }) })).toEqual([])
  })

  test('for nothing but white space is the ordinary list', () => {
    const list = listingOf({ search: '   ', status: 'completed' })
    expect(list).toMatchObject({ kind: 'browse', status: 'completed' })
    expect(runsPage(KEY, list, []).pagination).toEqual({ limit: 50, next_cursor: null })
  })

  test('says whether there is more, and which query it answers', () => {
    const list = listingOf({ search: ' anna ' })
    const pagination = (count: number, unfinished: { createdAtMs: number; id: string } | null = null) =>
      runPagination.parse(runsPage(KEY, list, runs(count), unfinished).pagination)
    expect(pagination(50)).toEqual({ limit: 50, next_cursor: null, state: 'exhausted', search: 'anna' })
    expect(pagination(51)).toMatchObject({ state: 'more', next_cursor: expect.any(String) })
    expect(pagination(0, { createdAtMs: 5, id: 'x' })).toMatchObject({
      state: 'scanning',
      next_cursor: expect.any(String),
    })
  })
})

test('a request that is refused says what is allowed', () => {
  const words = (parameters: object) => {
    const list = read(parameters)
    return list.ok ? [] : list.faults.map(({ message }) => message)
  }
  expect(words({ status: 'x' })).toEqual(['status must be one of in_progress, completed, exited_early'])
  expect(words({ order: 'x' })).toEqual(['order must be one of created_at desc, created_at asc'])
  expect(words({ search: ['a', 'b'] })).toEqual(['search must be given once'])
  expect(words({ search: 'x'.repeat(4097) })).toEqual(['search may have at most 4096 bytes'])
  expect(words({ search: 'a\0' })).toEqual(['search must not contain a NUL or an unpaired surrogate'])
  expect(words({ cursor: 'x' })).toEqual(['cursor must be the next_cursor of a page, as it is'])
  expect(words({ cursor: cursorOf({}), status: 'completed' })).toEqual([
    'the cursor was made for other parameters; begin with the first page',
  ])
})

test('a search goes on behind the last run of its page', () => {
  const { pagination } = runsPage(KEY, listingOf({ search: 'anna' }), runs(RUNS_TO_FETCH))
  expect(listingOf({ search: 'anna', cursor: pagination.next_cursor })).toMatchObject({
    after: { id: runs(50).at(-1)?.id },
  })
})
