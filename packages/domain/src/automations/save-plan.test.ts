import type { AutomationAction, EmailData } from '@dwell/contracts/automations'
import type { Micros } from '@dwell/contracts/instant'
import type { AutomationContent } from './check-save'
import { isSameContent } from './content'
import { planSave, revisionTime } from './save-plan'
import { etagOf, isCurrent } from './version'

const wait = (id: string, wait_hours: number): AutomationAction => ({ id, type: 'wait', data: { wait_hours } })
const of = (status: 'active' | 'inactive', ...actions: AutomationAction[]): AutomationContent => ({
  name: 'A',
  description: '',
  status,
  trigger: { scope: null, tierIds: [] },
  policy: { reEntry: 'always', days: null },
  actions,
})

describe('a save', () => {
  test('writes what is new, what has changed and what is gone, and nothing else', () => {
    const before = of('active', wait('a', 1), wait('b', 2), wait('c', 3))
    const after = of('inactive', wait('d', 4), wait('b', 2), wait('a', 9))
    expect(planSave(before, after)).toEqual({
      added: [{ action: wait('d', 4), position: 0 }],
      revised: [{ actionId: 'a', data: { wait_hours: 9 } }],
      moved: [{ actionId: 'a', position: 2 }],
      removed: ['c'],
      turnsOff: true,
    })
  })

  test('of something new adds all of it', () => {
    expect(planSave(null, of('active', wait('a', 1)))).toMatchObject({ added: [{ position: 0 }], turnsOff: false })
  })
})

describe('contents', () => {
  const mail = (change: Partial<EmailData>): EmailData => ({
    email_subject: 'Hi',
    email_body: 'Hello',
    email_format: 'markdown',
    ...change,
  })
  test.each<[Partial<EmailData>, boolean]>([
    [{}, true],
    [{ email_subject: 'hi' }, false],
    [{ email_body: 'Hello ' }, false],
    [{ email_format: 'html' }, false],
  ])('%j changed: the same is %j', (change, same) => {
    expect(isSameContent(mail({}), mail(change))).toBe(same)
  })

  test('of the Lexical editor are compared as documents', () => {
    const lexical = (email_body: string) => mail({ email_body, email_format: 'lexical' })
    expect(isSameContent(lexical('{"root": {"a": 1, "b": [1, 2]}}'), lexical('{"root":{"b":[1,2],"a":1}}'))).toBe(true)
    expect(isSameContent(lexical('{"root":{"b":[2,1]}}'), lexical('{"root":{"b":[1,2]}}'))).toBe(false)
    expect(isSameContent(lexical('{'), lexical('{ '))).toBe(false)
    expect(isSameContent(lexical('{"a":null}'), lexical('{ "a": null }'))).toBe(true)
    expect(isSameContent(lexical('{"c":1,"a":2,"b":3}'), lexical('{"b":3,"c":1,"a":2}'))).toBe(true)
    expect(isSameContent(mail({ email_body: '{}' }), mail({ email_body: '{ }' }))).toBe(false)
  })

  test('of different kinds are never the same', () => {
    expect(isSameContent({ wait_hours: 1 }, mail({}))).toBe(false)
    expect(isSameContent(mail({}), { wait_hours: 1 })).toBe(false)
    expect(isSameContent({ wait_hours: 1 }, { wait_hours: 2 })).toBe(false)
    expect(isSameContent({ wait_hours: 1 }, { wait_hours: 1 })).toBe(true)
  })
})

test('a revision saved in the same instant as the last gets the next one', () => {
  expect(revisionTime(5 as Micros, null)).toBe(5)
  expect(revisionTime(5 as Micros, 4 as Micros)).toBe(5)
  expect(revisionTime(5 as Micros, 5 as Micros)).toBe(6)
  expect(revisionTime(5 as Micros, 9 as Micros)).toBe(10)
})

describe('a version', () => {
  test.each<[string | undefined, unknown, boolean]>([
    [undefined, undefined, true],
    [etagOf(3), undefined, true],
    ['W/"3"', undefined, true],
    ['"2", "3"', undefined, true],
    ['*', undefined, true],
    [' * ', undefined, true],
    [' "3" ', undefined, true],
    ['xW/"3"', undefined, false],
    [undefined, 3, true],
    ['"2"', undefined, false],
    ['"not-the-current-version"', undefined, false],
    ['', undefined, false],
    [undefined, 2, false],
    [undefined, '3', false],
    ['"3"', 2, false],
  ])('3 is current for If-Match %j and version %j: %j', (ifMatch, version, current) => {
    expect(isCurrent(3, ifMatch, version)).toBe(current)
  })
})

test('only what was on is turned off', () => {
  const turnsOff = (before: 'active' | 'inactive', after: 'active' | 'inactive') =>
    planSave(of(before, wait('a', 1)), of(after, wait('a', 1))).turnsOff
  expect(turnsOff('active', 'inactive')).toBe(true)
  expect(turnsOff('active', 'active')).toBe(false)
  expect(turnsOff('inactive', 'inactive')).toBe(false)
  expect(turnsOff('inactive', 'active')).toBe(false)
})

test('the first revision of an action has the time of its save, before 1970 too', () => {
  expect(revisionTime(-5 as Micros, null)).toBe(-5)
})
