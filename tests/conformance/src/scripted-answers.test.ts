import { ScriptedAnswers } from './scripted-answers'

interface Answer {
  status: number
  path?: string
  times?: number
}

function scripted(...answers: Answer[]) {
  const script = new ScriptedAnswers<Answer>()
  for (const answer of answers) script.add(answer)
  return (path = '/') => script.next((a) => a.path === undefined || a.path === path)?.status
}

describe('prepared answers', () => {
  test('without any there is none', () => {
    expect(scripted()()).toBeUndefined()
  })

  test('those for a number of times come first and in order, then what holds from now on', () => {
    const next = scripted({ status: 500 }, { status: 503, times: 2 }, { status: 429, times: 1 })
    expect([next(), next(), next(), next(), next()]).toEqual([503, 503, 429, 500, 500])
  })

  test('one that does not fit is kept for later', () => {
    const next = scripted({ status: 503, path: '/b', times: 1 })
    expect([next('/a'), next('/b'), next('/b')]).toEqual([undefined, 503, undefined])
  })

  test('what holds from now on replaces what held before, for those whom it concerns', () => {
    const next = scripted({ status: 500, path: '/a' }, { status: 410, path: '/b' })
    expect([next('/a'), next('/b')]).toEqual([500, 410])
    const accepting = scripted({ status: 500, path: '/a' }, { status: 200 })
    expect([accepting('/a'), accepting('/b')]).toEqual([200, 200])
  })
})
