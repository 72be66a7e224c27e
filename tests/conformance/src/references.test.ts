import { idOf, References } from './references'

function kept(): References {
  const references = new References()
  references.keep('account', 7)
  references.keep('R1', { payload: { id: 12, name: 'Stale', conditions: [{ values: ['a b'] }] } })
  references.keep('A', { automations: [{ id: 'f0', actions: [] }] })
  references.keep('P', { meta: { next_cursor: 'a/b+c=' }, none: null })
  return references
}

describe('references', () => {
  test('a name alone is the id, with its type', () => {
    expect(kept().resolve({ rule: '$R1', account_id: '$account', automation: '$A' })).toEqual({
      rule: 12,
      account_id: 7,
      automation: 'f0',
    })
  })

  test('a path is a part of the kept answer, in lists by position', () => {
    expect(kept().resolve(['$R1.payload.name', '$R1.payload.conditions.0.values', '$P.none'])).toEqual([
      'Stale',
      ['a b'],
      null,
    ])
  })

  test('inside a text it is replaced as text', () => {
    expect(kept().resolve('rule $R1 of $account!')).toBe('rule 12 of 7!')
    expect(kept().resolve('$R1$account')).toBe('127')
  })

  test.each(['$any', '$absent', '$Unknown', '$R1.payload.nothing', 'costs $5', { $in: ['$nobody'] }])(
    '%j, which nothing was kept for, stays as it is',
    (value) => {
      expect(kept().resolve(value)).toEqual(value)
    },
  )

  test('a UUID is the same throughout, and differs by name and by case', () => {
    const references = kept()
    const [a, again, b] = references.resolve(['$uuid:a', '$uuid:a', '$uuid:b']) as string[]
    expect(a).toMatch(/^[0-9a-f-]{36}$/)
    expect(again).toBe(a)
    expect(b).not.toBe(a)
    expect(kept().resolve('$uuid:a')).not.toBe(a)
  })

  test('in a path what is put in is encoded, and nothing else is', () => {
    expect(kept().resolvePath('/runs/?cursor=A$P.meta.next_cursor&search=%25')).toBe(
      '/runs/?cursor=Aa%2Fb%2Bc%3D&search=%25',
    )
  })

  test.each([
    [{ id: 1, payload: { id: 2 } }, 1],
    [{ payload: { id: 2 } }, 2],
    [{ automations: [{ id: 3 }] }, 3],
    [{ payload: [{ id: 4 }] }, undefined],
    ['5', '5'],
    [undefined, undefined],
  ])('%j speaks of the id %j', (answer, id) => {
    expect(idOf(answer)).toBe(id)
  })
})
