import fc from 'fast-check'
import type { Day } from '../calendar/local-day'
import { type BrowseScope, openRunCursor, type RunScope, type SearchScope, sealRunCursor } from './run-cursor'
import { sealToken } from './signed-token'

const KEY = Buffer.from('an installation secret')
const PLACE = { createdAtMs: 1_788_256_800_123, id: '01900000-0000-7000-8000-000000000001' }
const BROWSE: BrowseScope = {
  kind: 'browse',
  accountId: 1,
  automationId: '01900000-0000-7000-8000-00000000000a',
  order: 'created_at desc',
  status: null,
  from: 20_000 as Day,
  to: 20_010 as Day,
  timeZone: 'America/Argentina/ComodRivadavia',
}
const SEARCH: SearchScope = {
  kind: 'search',
  accountId: 1,
  automationId: BROWSE.automationId,
  order: 'created_at asc',
  search: '中'.repeat(1365),
}

describe('a cursor of the run list', () => {
  test('names the place behind which the next page begins, and keeps the end of the range', () => {
    const cursor = openRunCursor(KEY, sealRunCursor(KEY, BROWSE, PLACE))
    expect(cursor?.place).toEqual(PLACE)
    expect(cursor?.to).toBe(20_010)
    expect(cursor?.fits(BROWSE)).toBe(true)
    expect(openRunCursor(KEY, sealRunCursor(KEY, SEARCH, PLACE))?.fits(SEARCH)).toBe(true)
  })

  test('is short enough for any query', () => {
    for (const scope of [BROWSE, SEARCH]) expect(sealRunCursor(KEY, scope, PLACE).length).toBeLessThan(512)
  })

  test.each<[string, RunScope, RunScope]>([
    ['account', BROWSE, { ...BROWSE, accountId: 2 }],
    ['automation', BROWSE, { ...BROWSE, automationId: '01900000-0000-7000-8000-00000000000b' }],
    ['order', BROWSE, { ...BROWSE, order: 'created_at asc' }],
    ['status', BROWSE, { ...BROWSE, status: 'completed' }],
    ['start', BROWSE, { ...BROWSE, from: 20_001 as Day }],
    ['end', BROWSE, { ...BROWSE, to: 20_011 as Day }],
    ['zone', BROWSE, { ...BROWSE, timeZone: 'UTC' }],
    ['kind', BROWSE, SEARCH],
    ['kind', SEARCH, { ...BROWSE, order: SEARCH.order }],
    ['query', SEARCH, { ...SEARCH, search: 'anna' }],
    ['order of a search', SEARCH, { ...SEARCH, order: 'created_at desc' }],
  ])('does not fit another %s', (_what, made, asked) => {
    expect(openRunCursor(KEY, sealRunCursor(KEY, made, PLACE))?.fits(asked)).toBe(false)
  })

  test('with other keys than its own is none, although it is signed', () => {
    const seal = (value: unknown) => sealToken(KEY, 'run-cursor', JSON.stringify(value))
    const search = { kind: 'search', account: 1, automation: 'a', order: 'created_at asc', search: 'x', at: 1, id: 'b' }
    expect(openRunCursor(KEY, seal(search))).not.toBeNull()
    for (const [key, value] of [
      ['page', 2],
      ['at', 'today'],
      ['kind', 'browse'],
      ['order', 'id asc'],
      ['id', undefined],
      ['account', '1'],
      ['automation', 5],
      ['search', null],
    ]) {
      expect(openRunCursor(KEY, seal({ ...search, [String(key)]: value }))).toBeNull()
    }
    expect(openRunCursor(KEY, seal(null))).toBeNull()
    expect(openRunCursor(KEY, seal([search]))).toBeNull()
    expect(openRunCursor(KEY, sealToken(KEY, 'run-cursor', 'no json'))).toBeNull()
    expect(openRunCursor(KEY, sealToken(KEY, 'unsubscribe', JSON.stringify(search)))).toBeNull()
  })

  test('that is longer than 2,048 characters is none', () => {
    const padded = sealToken(KEY, 'run-cursor', `${JSON.stringify({ kind: 'search' })}${' '.repeat(2_000)}`)
    expect(openRunCursor(KEY, padded)).toBeNull()
  })

  test('is none for any garbage, never an error', () => {
    const forged = Buffer.from('{"kind":"browse","to":99999}').toString('base64url')
    for (const text of ['', 'not-a-cursor', forged, `${forged}.`, '.', '..'])
      expect(openRunCursor(KEY, text)).toBeNull()
    fc.assert(fc.property(fc.anything(), (value) => expect(openRunCursor(KEY, value)).toBeNull()))
  })
})

test('a cursor of a browsed list has whole days or none', () => {
  const seal = (value: unknown) => sealToken(KEY, 'run-cursor', JSON.stringify(value))
  const browse = {
    kind: 'browse',
    account: 1,
    automation: 'a',
    order: 'created_at asc',
    status: null,
    from: null,
    to: 5,
    zone: 'UTC',
    at: 1,
    id: 'b',
  }
  expect(openRunCursor(KEY, seal(browse))).not.toBeNull()
  for (const change of [{ from: 'x' }, { to: 1.5 }, { zone: 5 }, { status: 'x' }, { from: false }])
    expect(openRunCursor(KEY, seal({ ...browse, ...change }))).toBeNull()
  for (const value of ['x', 5, true, []]) expect(openRunCursor(KEY, seal(value))).toBeNull()
})
