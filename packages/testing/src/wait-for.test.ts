import { waitFor } from './wait-for'

describe('waitFor', () => {
  test('answers the first truthy value', async () => {
    let asked = 0
    expect(await waitFor('the third answer', () => (++asked === 3 ? `answer ${asked}` : null))).toBe('answer 3')
  })

  test('a condition that throws is asked again', async () => {
    let asked = 0
    const answer = async () => {
      if (++asked < 3) throw new Error('not yet')
      return asked
    }
    expect(await waitFor('an answer', answer)).toBe(3)
  })

  test('gives up with what it waited for and what it saw last', async () => {
    await expect(waitFor('a miracle', () => 0, { limitMs: 20 })).rejects.toThrow('for a miracle; last seen: 0')
    const broken = () => Promise.reject(new Error('connection refused'))
    await expect(waitFor('a server', broken, { limitMs: 20 })).rejects.toThrow('last seen: connection refused')
  })
})
