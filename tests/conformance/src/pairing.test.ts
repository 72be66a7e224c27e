import fc from 'fast-check'
import { withoutPartner } from './pairing'

/** The largest number of pairs, found by trying everything. */
function mostPairs(fits: readonly (readonly boolean[])[], used: ReadonlySet<number> = new Set(), from = 0): number {
  const row = fits[from]
  if (!row) return 0
  let best = mostPairs(fits, used, from + 1)
  row.forEach((fit, index) => {
    if (fit && !used.has(index)) best = Math.max(best, 1 + mostPairs(fits, new Set([...used, index]), from + 1))
  })
  return best
}

describe('pairing', () => {
  test('nobody is left over where everybody can have a partner of their own', () => {
    const options: Record<string, string[]> = { loose: ['x', 'y', 'z'], strict: ['x'], middle: ['x', 'y'] }
    const fits = (expected: string, actual: string) => options[expected]?.includes(actual) ?? false
    expect(withoutPartner(['loose', 'middle', 'strict'], ['x', 'y', 'z'], fits)).toEqual([])
  })

  test('a partner is used once', () => {
    expect(withoutPartner([1, 1, 2], [1, 2], (a, b) => a === b)).toEqual([1])
  })

  test('no way of pairing finds more', () => {
    const grid = fc
      .integer({ min: 0, max: 5 })
      .chain((width) => fc.array(fc.array(fc.boolean(), { minLength: width, maxLength: width }), { maxLength: 5 }))
    fc.assert(
      fc.property(grid, (fits) => {
        const rows = fits.map((_, index) => index)
        const columns = (fits[0] ?? []).map((_, index) => index)
        const left = withoutPartner(rows, columns, (row, column) => fits[row]?.[column] ?? false)
        expect(rows.length - left.length).toBe(mostPairs(fits))
      }),
    )
  })
})
