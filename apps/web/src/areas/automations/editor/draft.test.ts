import fc from 'fast-check'
import type { Automation } from '../automation-queries'
import {
  type ActionDraft,
  type AutomationDraft,
  bodyOf,
  draftFaults,
  draftOf,
  emptyDraft,
  insertAt,
  isSame,
  moveAction,
  newAction,
  placeOf,
  removeAction,
} from './draft'

const wait = (id: string, hours: number | null = 24): ActionDraft => ({ id, type: 'wait', hours })
const mail = (id: string, facts: Partial<Extract<ActionDraft, { type: 'send_email' }>> = {}): ActionDraft => ({
  id,
  type: 'send_email',
  subject: 'Hello',
  body: 'There',
  format: 'markdown',
  ...facts,
})
const draft = (facts: Partial<AutomationDraft> = {}): AutomationDraft => ({
  ...emptyDraft('a'),
  name: 'Welcome',
  actions: [mail('a'), wait('b'), mail('c')],
  ...facts,
})
const saved = (from: AutomationDraft): Automation => ({
  ...(bodyOf(from, 'active') as unknown as Automation),
  id: 'automation',
  slug: null,
  version: 1,
  created_at: '2026-09-14T12:00:00.000Z',
  updated_at: '2026-09-14T12:00:00.000Z',
  re_entry_days: from.reEntryDays,
})

describe('a draft', () => {
  test('is what was saved, in the order of the path however the actions are listed', () => {
    const one = draft()
    const shuffled = { ...saved(one), actions: saved(one).actions.toReversed() }
    expect(draftOf(shuffled)).toEqual(one)
    expect(isSame(draftOf(shuffled), one)).toBe(true)
  })

  test('blanks around the name are no change, a moved action is', () => {
    expect(isSame(draft({ name: '  Welcome ' }), draft())).toBe(true)
    expect(isSame(moveAction(draft(), 'c', -1), draft())).toBe(false)
  })

  test('any sequence of changes leaves one path through all actions', () => {
    const change = fc.oneof(
      fc.record({
        kind: fc.constant('insert' as const),
        place: fc.nat(60),
        type: fc.constantFrom('wait', 'send_email'),
      }),
      fc.record({ kind: fc.constant('remove' as const), place: fc.nat(60) }),
      fc.record({ kind: fc.constant('move' as const), place: fc.nat(60), by: fc.constantFrom(-1, 1) }),
    )
    fc.assert(
      fc.property(fc.array(change, { maxLength: 80 }), (changes) => {
        let now = draft()
        let made = 0
        for (const one of changes) {
          const id = now.actions[one.place % Math.max(1, now.actions.length)]?.id ?? ''
          if (one.kind === 'insert') {
            made += 1
            now = insertAt(now, one.place % (now.actions.length + 1), newAction(one.type as 'wait', `n${made}`))
          } else now = one.kind === 'remove' ? removeAction(now, id) : moveAction(now, id, one.by as 1)
        }
        const { actions, edges } = bodyOf(now, 'inactive')
        expect(actions.length).toBeLessThanOrEqual(50)
        expect(new Set(actions.map(({ id }) => id)).size).toBe(actions.length)
        expect(edges).toHaveLength(Math.max(0, actions.length - 1))
        expect(draftOf(saved(now)).actions).toEqual(now.actions)
      }),
    )
  })
})

describe('what a draft lacks', () => {
  test('nothing is wrong with a whole one', () => {
    expect(draftFaults(draft())).toEqual([])
  })

  test.each([null, 0, 721, 1.5])('a wait of %p hours blocks every save', (hours) => {
    expect(draftFaults(draft({ actions: [wait('w', hours)] }))).toEqual([
      { kind: 'wait_invalid', place: 0, blocks: 'saving' },
    ])
  })

  test('an e-mail without words blocks publishing only', () => {
    const faults = draftFaults(draft({ actions: [mail('a', { subject: '   ', body: '' })] }))
    expect(faults).toEqual([
      { kind: 'subject_missing', place: 0, blocks: 'publishing' },
      { kind: 'body_missing', place: 0, blocks: 'publishing' },
    ])
  })

  test.each<[string, Partial<AutomationDraft>]>([
    ['name_missing', { name: '  ' }],
    ['name_too_long', { name: 'x'.repeat(192) }],
    ['description_too_long', { description: 'x'.repeat(2_001) }],
    ['tiers_missing', { scope: 'selected_paid' }],
    ['days_invalid', { reEntry: 'after_days', reEntryDays: null }],
    ['days_invalid', { reEntry: 'after_days', reEntryDays: 3_651 }],
    ['no_actions', { actions: [] }],
    ['subject_too_long', { actions: [mail('a', { subject: 'x'.repeat(301) })] }],
  ])('%s is told', (kind, facts) => {
    expect(draftFaults(draft(facts)).map((fault) => fault.kind)).toContain(kind)
  })

  test('a fault of the server finds its action', () => {
    expect(placeOf('/automations/0/actions/2/data/wait_hours')).toBe(2)
    expect(placeOf('/automations/0/actions/11')).toBe(11)
    expect(placeOf('/automations/0/name')).toBeNull()
  })
})
