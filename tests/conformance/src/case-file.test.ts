import { parseCases } from './case-file'

const words = {
  area: 'arming',
  importance: 3,
  ...Object.fromEntries(['given', 'when', 'then', 'basis'].map((key) => [key, 'words'])),
}

describe('reading cases', () => {
  test('a step is its verb, the argument of the verb and the rest', () => {
    const [only] = parseCases([{ ...words, id: 'X', steps: [{ sweep: '2026-09-01T10:00:00Z', expect: { due: 1 } }] }])
    expect(only?.steps).toEqual([{ verb: 'sweep', argument: '2026-09-01T10:00:00Z', expect: { due: 1 } }])
  })

  test('a case that cannot be played says why', () => {
    expect(parseCases([{ ...words, id: 'X', needs: 'faults' }])).toMatchObject([{ id: 'X', needs: 'faults' }])
  })

  test.each([
    ['no verb', [{ expect: {} }], '0 verbs'],
    ['two verbs', [{ rows: [], actions: [] }], '2 verbs'],
    ['a key that nobody knows', [{ rows: [], retries: 3 }], 'unknown key retries'],
    ['an instant that is none', [{ clock: 'noon' }], 'noon'],
    ['an argument that must be a list', [{ rows: {} }], 'list after rows'],
  ])('%s is a fault', (_what, steps, message) => {
    expect(() => parseCases([{ ...words, id: 'X', steps }])).toThrow(`X: step 1`)
    expect(() => parseCases([{ ...words, id: 'X', steps }])).toThrow(message)
  })

  test('all faults of all cases are told at once', () => {
    const message = (() => {
      try {
        return String(
          parseCases([
            { ...words, id: 'X' },
            { ...words, id: 'X', needs: 'inside' },
            { id: 'Y', steps: [] },
          ]),
        )
      } catch (error) {
        return error instanceof Error ? error.message : ''
      }
    })()
    for (const part of ['X: has neither steps nor needs', 'X: has the id of another case', 'Y: has no area']) {
      expect(message).toContain(part)
    }
  })
})
