import type { AutomationAction } from '@dwell/contracts/automations'
import fc from 'fast-check'
import { lookupsOf, readBody } from './body'
import { type AutomationContent, checkCreate, checkEdit, type StoredAutomation, type Surroundings } from './check-save'
import { edgesOf } from './path'
import { planSave } from './save-plan'

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const wait = (n: number, wait_hours: unknown = 24) => ({ id: id(n), type: 'wait', data: { wait_hours } })
const mail = (n: number, data: object = {}) => ({
  id: id(n),
  type: 'send_email',
  data: { email_subject: 'Hi', email_body: 'Hello {{member.name}}', ...data },
})
const edge = (from: number, to: number) => ({ source_action_id: id(from), target_action_id: id(to) })
const chain = (...ns: number[]) => edgesOf(ns.map(id))

const ALONE: Surroundings = { nameTaken: false, takenActions: new Map() }
const BODY = {
  name: 'Flow A',
  description: 'A case',
  status: 'inactive',
  trigger_tier_scope: 'free',
  actions: [wait(1), mail(2)],
  edges: chain(1, 2),
}

const STORED: StoredAutomation = {
  id: 'A',
  name: 'Flow A',
  description: 'A case',
  status: 'inactive',
  trigger: { scope: 'free', tierIds: [] },
  policy: { reEntry: 'always', days: null },
  actions: [
    { id: id(1), type: 'wait', data: { wait_hours: 24 } },
    {
      id: id(2),
      type: 'send_email',
      data: { email_subject: 'Hi', email_body: 'Hello {{member.name}}', email_format: 'markdown' },
    },
  ],
}
const OWN: Surroundings = {
  nameTaken: false,
  takenActions: new Map([
    [id(1), { automationId: 'A', type: 'wait', removed: false }],
    [id(2), { automationId: 'A', type: 'send_email', removed: false }],
    [id(8), { automationId: 'A', type: 'wait', removed: true }],
    [id(9), { automationId: 'B', type: 'wait', removed: false }],
  ]),
}

const said = (check: ReturnType<typeof checkCreate>) =>
  check.ok ? [] : check.faults.map(({ pointer, code }) => `${pointer.replace('/automations/0', '')} ${code}`)
const created = (change: object, surroundings = ALONE) => said(checkCreate({ ...BODY, ...change }, surroundings))
const edited = (change: object, stored: Partial<StoredAutomation> = {}) => {
  const { actions, edges } = BODY
  return said(checkEdit({ status: 'inactive', actions, edges, ...change }, { ...STORED, ...stored }, OWN))
}
function contentOf(body: object, stored: StoredAutomation | null = null): AutomationContent {
  const check = stored === null ? checkCreate({ ...BODY, ...body }, ALONE) : checkEdit({ ...body }, stored, OWN)
  if (!check.ok) throw new Error(check.faults.map((fault) => `${fault.pointer}: ${fault.message}`).join())
  return check.content
}

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

describe('the trigger', () => {
  test.each<[object, string[]]>([
    [{ trigger_tier_scope: null }, []],
    [{ trigger_tier_scope: undefined }, []],
    [{ trigger_tier_scope: 'all_paid', trigger_tier_ids: [] }, []],
    [{ trigger_tier_scope: 'vip' }, ['/trigger_tier_scope unknown_scope']],
    [{ trigger_tier_ids: ['t1'] }, ['/trigger_tier_ids tiers_not_allowed']],
    [{ trigger_tier_scope: null, trigger_tier_ids: ['t1'] }, ['/trigger_tier_ids tiers_not_allowed']],
    [{ trigger_tier_scope: 'selected_paid' }, ['/trigger_tier_ids tiers_missing']],
    [{ trigger_tier_scope: 'selected_paid', trigger_tier_ids: [] }, ['/trigger_tier_ids tiers_missing']],
    [{ trigger_tier_scope: 'selected_paid', trigger_tier_ids: 't1' }, ['/trigger_tier_ids tiers_not_a_list']],
    [
      { trigger_tier_scope: 'selected_paid', trigger_tier_ids: ['t1', '', 5] },
      ['/trigger_tier_ids/1 invalid_tier', '/trigger_tier_ids/2 invalid_tier'],
    ],
  ])('%j: %j', (change, faults) => {
    expect(created(change)).toEqual(faults)
  })

  test('names each tier once', () => {
    const trigger = { trigger_tier_scope: 'selected_paid', trigger_tier_ids: ['t1', 't2', 't1'] }
    expect(contentOf(trigger).trigger).toEqual({ scope: 'selected_paid', tierIds: ['t1', 't2'] })
  })

  test('stays as it is where an edit does not speak of it; tiers go when the scope goes', () => {
    const stored: StoredAutomation = { ...STORED, trigger: { scope: 'selected_paid', tierIds: ['t1'] } }
    const { actions, edges } = BODY
    const trigger = (body: object) => contentOf({ status: 'inactive', actions, edges, ...body }, stored).trigger
    expect(trigger({})).toEqual(stored.trigger)
    expect(trigger({ trigger_tier_scope: 'selected_paid' })).toEqual(stored.trigger)
    expect(trigger({ trigger_tier_ids: ['t2'] })).toEqual({ scope: 'selected_paid', tierIds: ['t2'] })
    expect(trigger({ trigger_tier_scope: 'all_paid' })).toEqual({ scope: 'all_paid', tierIds: [] })
    expect(trigger({ trigger_tier_scope: null })).toEqual({ scope: null, tierIds: [] })
  })
})

describe('re-entry', () => {
  test.each<[object, string[]]>([
    [{ re_entry: 'once' }, []],
    [{ re_entry: 'after_days', re_entry_days: 7 }, []],
    [{ re_entry: 'always', re_entry_days: null }, []],
    [{ re_entry: 'sometimes' }, ['/re_entry unknown_re_entry']],
    [{ re_entry: 'after_days' }, ['/re_entry_days days_missing']],
    [{ re_entry: 'after_days', re_entry_days: 0 }, ['/re_entry_days invalid_days']],
    [{ re_entry: 'after_days', re_entry_days: '7' }, ['/re_entry_days invalid_days']],
    [{ re_entry_days: 7 }, ['/re_entry_days days_not_allowed']],
  ])('%j: %j', (change, faults) => {
    expect(created(change)).toEqual(faults)
  })

  test('stays as it is where an edit does not speak of it', () => {
    const stored: StoredAutomation = { ...STORED, policy: { reEntry: 'after_days', days: 7 } }
    const { actions, edges } = BODY
    expect(contentOf({ status: 'inactive', actions, edges }, stored).policy).toEqual(stored.policy)
    expect(contentOf({ status: 'inactive', actions, edges, re_entry: 'once' }, stored).policy).toEqual({
      reEntry: 'once',
      days: null,
    })
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

describe('the path', () => {
  const A = [wait(1), wait(2), wait(3), wait(4)]
  test.each<[string, object[], unknown, string[]]>([
    ['duplicate action', [wait(1), wait(1)], [], ['/actions/1/id duplicate_action']],
    ['duplicate action with an edge', [wait(1), wait(1)], [edge(1, 1)], ['/actions/1/id duplicate_action']],
    ['no edges', [wait(1)], undefined, ['/edges edges_missing']],
    ['edges of another shape', [wait(1)], [{ from: id(1) }], ['/edges/0 invalid_edge']],
    ['unknown action', A.slice(0, 2), [edge(1, 7)], ['/edges/0/target_action_id unknown_action']],
    ['self edge', A.slice(0, 1), [edge(1, 1)], ['/edges/0 self_edge']],
    ['duplicate edge', A.slice(0, 2), [edge(1, 2), edge(1, 2)], ['/edges/1 duplicate_edge']],
    ['branch', A.slice(0, 3), [edge(1, 2), edge(1, 3)], ['/edges/1/source_action_id path_branches']],
    ['merge', A.slice(0, 3), [edge(1, 3), edge(2, 3)], ['/edges/1/target_action_id path_merges']],
    ['loop', A.slice(0, 3), [edge(1, 2), edge(2, 3), edge(3, 1)], ['/edges wrong_edge_count']],
    ['too few edges', A.slice(0, 3), [edge(1, 2)], ['/edges wrong_edge_count']],
    ['loop beside', A, [edge(1, 2), edge(3, 4), edge(4, 3)], ['/edges path_broken']],
    ['one path', A, chain(4, 2, 1, 3), []],
  ])('%s', (_what, actions, edges, faults) => {
    expect(created({ actions, edges })).toEqual(faults)
  })

  test('is not judged on actions whose ids cannot be read', () => {
    expect(created({ actions: [{ ...wait(1), id: 'x' }, wait(2)], edges: [edge(1, 2)] })).toEqual([
      '/actions/0/id invalid_id',
    ])
  })

  test('is found for any order of actions and edges, and is none after any edge is taken, doubled or turned', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 2, maxLength: 50 })
    const graphs = ids.chain((ns) =>
      fc.tuple(
        fc.constant(ns),
        fc.shuffledSubarray(ns, { minLength: ns.length }),
        fc.shuffledSubarray(chain(...ns), { minLength: ns.length - 1 }),
        fc.nat(ns.length - 2),
      ),
    )
    fc.assert(
      fc.property(graphs, ([ns, sent, edges, victim]) => {
        const actions = sent.map((n) => wait(n))
        expect(contentOf({ actions, edges }).actions.map((action) => action.id)).toEqual(ns.map(id))
        const { source_action_id, target_action_id } = edges[victim] ?? edge(0, 0)
        const others = edges.filter((_, i) => i !== victim)
        const turned = { source_action_id: target_action_id, target_action_id: source_action_id }
        expect(created({ actions, edges: others })).not.toEqual([])
        expect(created({ actions, edges: [...edges, edges[victim]] })).not.toEqual([])
        if (ns.length > 2) expect(created({ actions, edges: [...others, turned] })).not.toEqual([])
      }),
      { numRuns: 200 },
    )
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

test('any sequence of valid edits keeps one path, revives nothing and stores what was sent', () => {
  const sets = fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 }), {
    maxLength: 8,
  })
  fc.assert(
    fc.property(sets, (edits) => {
      let stored: StoredAutomation | null = null
      const positions = new Map<string, number>()
      const removed = new Set<string>()
      for (const ns of edits) {
        const fresh = ns.filter((n) => !removed.has(id(n)))
        if (fresh.length === 0) continue
        const next: AutomationContent = contentOf({ actions: fresh.map((n) => wait(n, n)), edges: chain(...fresh) })
        const plan = planSave(stored, next)
        for (const actionId of plan.removed) positions.delete(actionId)
        for (const { actionId, position } of plan.moved) positions.set(actionId, position)
        for (const { action, position } of plan.added) positions.set(action.id, position)
        for (const actionId of plan.removed) removed.add(actionId)
        const inOrder = [...positions].sort(([, a], [, b]) => a - b)
        expect(inOrder).toEqual(fresh.map((n, i) => [id(n), i]))
        expect(planSave(next, next)).toEqual({ added: [], revised: [], moved: [], removed: [], turnsOff: false })
        stored = { id: 'A', ...next }
      }
    }),
  )
})
