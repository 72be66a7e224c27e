import type { AutomationAction } from '@dwell/contracts/automations'
import fc from 'fast-check'
import { lookupsOf, readBody } from './body'
import { type AutomationContent, checkCreate, checkEdit, type StoredAutomation } from './check-save'
import {
  ALONE,
  BODY,
  chain,
  contentOf,
  created,
  edited,
  id,
  mail,
  OWN,
  STORED,
  said,
  wait,
} from './testing/save-bodies'

describe('a body', () => {
  test('is one automation in its wrapping', () => {
    expect(readBody({ automations: [BODY] })).toEqual({ ok: true, body: BODY })
  })

  test.each([
    [{}],
    [{ automations: [] }],
    [{ name: 'x' }],
    [null],
    [[BODY]],
    [{ automations: BODY }],
    [{ automations: [5] }],
  ])('is nothing to judge when it is %j', (wrapped) => {
    expect(readBody(wrapped)).toMatchObject({ ok: false })
  })

  test('of two automations is refused, not half used', () => {
    expect(readBody({ automations: [BODY, BODY] })).toMatchObject({ ok: false, fault: { code: 'several_automations' } })
  })

  test('names what must be looked up, whatever it holds', () => {
    const actions = [wait(1), { id: id(2).toUpperCase() }, wait(1), null, { id: 5 }, 'x']
    expect(lookupsOf({ name: '  Welcome ', actions })).toEqual({ name: 'Welcome', actionIds: [id(1), id(2)] })
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (name, actions) => {
        expect(Array.isArray(lookupsOf({ name, actions }).actionIds)).toBe(true)
      }),
    )
  })
})

describe('creating', () => {
  test('takes a whole automation, its actions in order of the path, defaults filled in', () => {
    expect(
      contentOf({ name: '  Flow A ', actions: [mail(2), wait(1)], re_entry: undefined }),
    ).toEqual<AutomationContent>({
      name: 'Flow A',
      description: 'A case',
      status: 'inactive',
      trigger: { scope: 'free', tierIds: [] },
      policy: { reEntry: 'always', days: null },
      actions: STORED.actions,
    })
  })

  test.each<[object, string[]]>([
    [{ name: undefined }, ['/name name_missing']],
    [{ name: '   ' }, ['/name invalid_name']],
    [{ name: 'é'.repeat(191) }, []],
    [{ name: '😀'.repeat(191) }, []],
    [{ name: 'x'.repeat(192) }, ['/name invalid_name']],
    [{ name: 5 }, ['/name invalid_name']],
    [{ name: 'a\0b' }, ['/name invalid_name']],
    [{ description: undefined }, ['/description description_missing']],
    [{ description: '' }, []],
    [{ description: 'x'.repeat(2001) }, ['/description invalid_description']],
    [{ status: undefined }, ['/status unknown_status']],
    [{ status: 'paused' }, ['/status unknown_status']],
    [{ slug: 'x', color: 1 }, ['/slug unknown_key', '/color unknown_key']],
    [{ actions: [{ ...wait(1), x: 1 }], edges: [] }, ['/actions/0/x unknown_key']],
    [{ actions: [{ ...wait(1), data: { wait_hours: 1, 'a/b': 1 } }], edges: [] }, ['/actions/0/data/a~1b unknown_key']],
  ])('%j: %j', (change, faults) => {
    expect(created(change)).toEqual(faults)
  })

  test('refuses a name that is taken', () => {
    expect(created({}, { ...ALONE, nameTaken: true })).toEqual(['/name name_taken'])
  })
})

describe('actions', () => {
  test.each<[unknown, string[]]>([
    [undefined, ['/actions actions_missing']],
    [{}, ['/actions actions_not_a_list']],
    [[], ['/actions actions_missing']],
    [Array.from({ length: 51 }, (_, i) => wait(i)), ['/actions too_many_actions']],
    [[5], ['/actions/0 not_an_object']],
    [[{ ...wait(1), id: 'x' }], ['/actions/0/id invalid_id']],
    [[{ ...wait(1), type: 'sms' }], ['/actions/0/type unknown_type']],
    [[{ ...wait(1), type: 'constructor' }], ['/actions/0/type unknown_type']],
    [[{ ...wait(1), data: undefined }], ['/actions/0/data data_missing']],
    ...[0, -5, 1.5, '24', 721, null, undefined, true, Number.NaN].map<[unknown, string[]]>((hours) => [
      [{ ...wait(1), data: { wait_hours: hours } }],
      ['/actions/0/data/wait_hours invalid_wait'],
    ]),
    [[wait(1, 1)], []],
    [[wait(1, 720)], []],
    [[mail(1, { email_subject: 'x'.repeat(300) })], []],
    [[mail(1, { email_subject: 'x'.repeat(301) })], ['/actions/0/data/email_subject invalid_subject']],
    [
      [mail(1, { email_subject: null, email_body: 5 })],
      ['/actions/0/data/email_subject invalid_subject', '/actions/0/data/email_body invalid_body'],
    ],
    [[mail(1, { email_format: 'pdf' })], ['/actions/0/data/email_format unknown_format']],
    [[mail(1, { email_subject: '', email_body: '' })], []],
    [
      [mail(1, { email_subject: '{{ x', email_body: '{% if %}' })],
      ['/actions/0/data/email_subject email_unrenderable', '/actions/0/data/email_body email_unrenderable'],
    ],
    [[mail(1, { email_body: '{}', email_format: 'lexical' })], ['/actions/0/data/email_body email_unrenderable']],
    [
      [mail(1, { email_body: '{% for i in (1..9999999) %}x{% endfor %}' })],
      ['/actions/0/data/email_body email_unrenderable'],
    ],
  ])('%j: %j', (actions, faults) => {
    expect(created({ actions, edges: [] })).toEqual(faults)
  })

  test('need a subject and a body when the automation is active', () => {
    const active = (data: object) => created({ status: 'active', actions: [mail(1, data)], edges: [] })
    expect(active({ email_subject: '   ' })).toEqual(['/actions/0/data/email_subject subject_blank'])
    expect(active({ email_body: '' })).toEqual(['/actions/0/data/email_body body_empty'])
    expect(active({ email_body: '<p> </p>', email_format: 'html' })).toEqual(['/actions/0/data/email_body body_empty'])
    expect(active({})).toEqual([])
  })

  test('are judged all at once, each fault at its place', () => {
    const actions = [wait(1, 0), mail(2, { email_subject: 'x'.repeat(301) })]
    expect(edited({ name: '', actions })).toEqual([
      '/name invalid_name',
      '/actions/0/data/wait_hours invalid_wait',
      '/actions/1/data/email_subject invalid_subject',
    ])
  })
})

describe('editing', () => {
  test('keeps what is left out', () => {
    const { actions, edges } = BODY
    expect(contentOf({ status: 'inactive', actions, edges }, STORED)).toEqual(
      (({ id: _, ...content }: StoredAutomation) => content)(STORED),
    )
  })

  test('ignores keys it does not know, so that an answer can be sent back', () => {
    expect(edited({ id: 'A', slug: null, stats: {}, created_at: 'x', version: 3 })).toEqual([])
  })

  test.each<[string, object, string[]]>([
    ['type of an action', { actions: [mail(1), mail(2)] }, ['/actions/0/type type_changed']],
    ['removed action', { actions: [wait(8), mail(2)], edges: chain(8, 2) }, ['/actions/0/id action_removed']],
    ['foreign action', { actions: [wait(9), mail(2)], edges: chain(9, 2) }, ['/actions/0/id action_taken']],
    ['actions without edges', { edges: undefined }, ['/edges edges_missing']],
    ['edges without actions', { actions: undefined }, ['/actions actions_missing']],
    ['name', { name: 5 }, ['/name invalid_name']],
  ])('refuses: %s', (_what, change, faults) => {
    expect(edited(change)).toEqual(faults)
  })

  test('does not judge again what was judged and is published already', () => {
    const broken: AutomationAction = {
      id: id(2),
      type: 'send_email',
      data: { email_subject: '', email_body: '{{ x | filter_of_an_older_version }}', email_format: 'markdown' },
    }
    const actions = [wait(1), broken]
    const stored = { actions: [STORED.actions[0] as AutomationAction, broken] }
    expect(edited({ status: 'active', actions }, { ...stored, status: 'active' })).toEqual([])
    expect(edited({ status: 'inactive', actions }, stored)).toEqual([])
    expect(edited({ status: 'active', actions }, stored)).toEqual(['/actions/1/data/email_body email_unrenderable'])
  })
})

describe('a save of the status alone', () => {
  const statusOnly = (body: object, stored: Partial<StoredAutomation> = {}) =>
    checkEdit({ ...body }, { ...STORED, status: 'active', ...stored }, ALONE)

  test('turns off and leaves everything else as it was, whatever else is sent', () => {
    const check = statusOnly({ status: 'inactive', name: 'Other', description: 5, trigger_tier_scope: 'vip' })
    expect(check).toMatchObject({ ok: true, kind: 'status_only', content: { name: 'Flow A', status: 'inactive' } })
  })

  test('never turns on', () => {
    expect(said(statusOnly({ status: 'active' }))).toEqual(['/status status_only_activation'])
    expect(said(statusOnly({ status: 'active' }, { status: 'inactive' }))).toEqual(['/status status_only_activation'])
  })

  test('needs a status', () => {
    expect(said(statusOnly({}))).toEqual(['/status unknown_status'])
    expect(said(statusOnly({ name: 'Other' }))).toEqual(['/status unknown_status'])
    expect(said(statusOnly({ status: null }))).toEqual(['/status unknown_status'])
  })
})

test('whatever is sent is judged, never an error', () => {
  const keys = [
    'name',
    'description',
    'status',
    'trigger_tier_scope',
    'trigger_tier_ids',
    're_entry',
    'actions',
    'edges',
  ]
  const bodies = fc.dictionary(fc.constantFrom(...keys), fc.anything())
  const lists = fc.record({ actions: fc.array(fc.anything()), edges: fc.array(fc.anything()) })
  fc.assert(
    fc.property(bodies, lists, (body, { actions, edges }) => {
      for (const sent of [body, { ...body, actions, edges }]) {
        const check = checkCreate(sent, ALONE)
        expect(check.ok || check.faults.length > 0).toBe(true)
        expect(() => checkEdit(sent, STORED, OWN)).not.toThrow()
      }
    }),
  )
})
