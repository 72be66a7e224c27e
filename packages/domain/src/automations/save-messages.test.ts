import { lookupsOf, readBody, uuidOf } from './body'
import { checkCreate, checkEdit } from './check-save'
import { ALONE, BODY, chain, created, edge, edited, id, mail, OWN, STORED, wait } from './testing/save-bodies'

// Whoever saves an automation reads these: each fault says what is allowed, in words that stay as they are.

type Faults = ReturnType<typeof checkCreate>
const words = (check: Faults) => (check.ok ? [] : check.faults.map(({ message }) => message))
const saidOf = (change: object, surroundings = ALONE) => words(checkCreate({ ...BODY, ...change }, surroundings))
const saidOfEdit = (change: object) => {
  const { actions, edges } = BODY
  return words(checkEdit({ status: 'inactive', actions, edges, ...change }, STORED, OWN))
}
const action = (change: object) => ({ actions: [{ ...wait(1), ...change }], edges: [] })
const email = (data: object) => ({ actions: [mail(1, data)], edges: [] })

test.each<[object, string]>([
  [{ status: 'x' }, 'status must be one of active, inactive'],
  [{ name: '' }, 'name must have 1 to 191 characters'],
  [{ name: 5 }, 'name must be a text'],
  [{ name: 'a\0' }, 'name must not contain a NUL or an unpaired surrogate'],
  [{ description: 'x'.repeat(2001) }, 'description may have at most 2000 characters'],
  [
    { extra: 1 },
    'unknown key; known are name, description, status, trigger_tier_scope, trigger_tier_ids, re_entry, re_entry_days, actions, edges',
  ],
  [{ trigger_tier_scope: 'x' }, 'trigger_tier_scope must be null or one of free, all_paid, selected_paid'],
  [{ trigger_tier_ids: 'x' }, 'trigger_tier_ids must be a list of tier ids'],
  [{ trigger_tier_scope: 'selected_paid' }, 'selected_paid needs at least one tier'],
  [{ trigger_tier_ids: ['t1'] }, 'tiers go with trigger_tier_scope selected_paid only'],
  [{ trigger_tier_scope: 'selected_paid', trigger_tier_ids: [''] }, 'a tier id must have 1 to 191 characters'],
  [{ re_entry: 'x' }, 're_entry must be one of always, once, after_days'],
  [{ re_entry_days: 5 }, 're_entry_days goes with re_entry after_days only'],
  [{ re_entry: 'after_days', re_entry_days: 0 }, 're_entry_days must be a whole number from 1 to 3650'],
  [{ actions: 'x' }, 'actions must be a list'],
  [{ actions: [] }, 'an automation has 1 to 50 actions, not 0'],
  [{ actions: Array(51).fill(wait(1)) }, 'an automation has 1 to 50 actions, not 51'],
  [{ actions: ['x'], edges: [] }, 'an action is an object with id, type and data'],
  [action({ id: 'x' }), 'the id of an action must be a UUID'],
  [action({ type: 'x' }), 'the type of an action must be one of wait, send_email'],
  [action({ data: null }), 'an action needs its data, an object'],
  [action({ extra: 1 }), 'unknown key; known are id, type, data'],
  [action({ data: { wait_hours: 1, extra: 1 } }), 'unknown key; known are wait_hours'],
  [action({ data: { wait_hours: 0 } }), 'wait_hours must be a whole number from 1 to 720'],
  [email({ email_subject: 'x'.repeat(301) }), 'email_subject may have at most 300 characters'],
  [email({ email_body: 5 }), 'email_body must be a text'],
  [email({ email_format: 'x' }), 'email_format must be one of markdown, html, lexical'],
  [{ edges: 'x' }, 'edges must be a list'],
  [{ edges: [{ source_action_id: id(1) }] }, 'an edge needs source_action_id and target_action_id, ids of actions'],
  [{ actions: [wait(1), wait(1)], edges: [] }, 'two actions have the same id'],
  [{ edges: [edge(1, 7)] }, 'an edge leads from or to an action that was not sent'],
  [{ edges: [edge(1, 1)] }, 'an edge leads from an action to itself'],
  [{ edges: [edge(1, 2), edge(1, 2)] }, 'the same edge is there twice'],
  [{ actions: [wait(1), wait(2), wait(3)], edges: [edge(1, 2), edge(1, 3)] }, 'an action has a second action after it'],
  [
    { actions: [wait(1), wait(2), wait(3)], edges: [edge(1, 3), edge(2, 3)] },
    'an action has a second action before it',
  ],
  [{ edges: [] }, '2 actions need 1 edges to be one path, not 0'],
  [
    { actions: [wait(1), wait(2), wait(3), wait(4)], edges: [edge(1, 2), edge(3, 4), edge(4, 3)] },
    'the edges must join all actions to one path: there is a loop, or a part by itself',
  ],
])('creating %#: %.60j', (change, message) => {
  expect(saidOf(change)).toEqual([message])
})

test('a name that is taken, and ids that are', () => {
  expect(saidOf({}, { ...ALONE, nameTaken: true })).toEqual(['another automation has this name'])
  expect(saidOf({ actions: [wait(9)], edges: [] }, OWN)).toEqual([
    'this id is in use already; give new actions new ids',
  ])
  expect(saidOfEdit({ actions: [wait(8)], edges: [] })).toEqual([
    'an action that was removed does not come back; give it a new id',
  ])
  expect(saidOfEdit({ actions: [wait(2)], edges: [] })).toEqual([
    'the action is a send_email; its type cannot be changed',
  ])
})

test('a save of the status alone', () => {
  expect(words(checkEdit({ status: 'active' }, STORED, OWN))).toEqual([
    'a save of the status alone may turn off only; send actions and edges',
  ])
  expect(words(checkEdit({ status: 'x' }, STORED, OWN))).toEqual(['status must be one of active, inactive'])
  expect(checkEdit({ status: 'inactive' }, STORED, OWN)).toMatchObject({ ok: true, kind: 'status_only' })
})

describe('codes and places', () => {
  test.each<[object, string[]]>([
    [{ edges: 'x' }, ['/edges edges_not_a_list']],
    [{ edges: null }, ['/edges edges_not_a_list']],
    [{ edges: [{ target_action_id: id(2) }] }, ['/edges/0 invalid_edge']],
    [{ edges: [{ source_action_id: id(1), target_action_id: 5 }, edge(1, 2)] }, ['/edges/0 invalid_edge']],
    [{ actions: [wait(1)], edges: [edge(1, 2)] }, ['/edges/0/target_action_id unknown_action']],
    [{ actions: [wait(1)], edges: chain(1, 1) }, ['/edges/0 self_edge']],
    [{ 'a/b~c': 1 }, ['/a~1b~0c unknown_key']],
    [{ description: undefined }, ['/description description_missing']],
    [{ description: 5 }, ['/description invalid_description']],
    [{ name: undefined }, ['/name name_missing']],
    [{ actions: {} }, ['/actions actions_not_a_list']],
    [
      email({ email_subject: 5, email_body: 5, email_format: 5 }),
      [
        '/actions/0/data/email_subject invalid_subject',
        '/actions/0/data/email_body invalid_body',
        '/actions/0/data/email_format unknown_format',
      ],
    ],
    [{ actions: [{ type: 'x' }], edges: [] }, ['/actions/0/id invalid_id', '/actions/0/type unknown_type']],
    [
      { actions: [{ ...wait(1), id: 'x', data: { wait_hours: 0 } }], edges: [] },
      ['/actions/0/id invalid_id', '/actions/0/data/wait_hours invalid_wait'],
    ],
  ])('%#: %.60j', (change, faults) => {
    expect(created(change)).toEqual(faults)
  })

  test('a single action has no edges to be named', () => {
    expect(created({ actions: [wait(1)], edges: [] })).toEqual([])
  })

  test('an edit ignores the keys that a creation refuses: an answer can be sent back', () => {
    expect(
      edited({ extra: 1, actions: [{ ...wait(1), stats: {}, data: { wait_hours: 24, more: 1 } }, mail(2)] }),
    ).toEqual([])
  })

  test('50 actions are not too many', () => {
    const ns = Array.from({ length: 50 }, (_, i) => i + 1)
    expect(created({ actions: ns.map((n) => wait(n)), edges: chain(...ns) })).toEqual([])
  })

  test('a text is counted in characters as people see them', () => {
    expect(created({ name: '😀'.repeat(191) })).toEqual([])
    expect(created({ name: '😀'.repeat(192) })).toEqual(['/name invalid_name'])
    expect(created({ description: '' })).toEqual([])
  })
})

describe('what a request is taken out of', () => {
  const fault = (wrapped: unknown) => {
    const read = readBody(wrapped)
    return read.ok ? null : read.fault
  }

  test('says what it must be', () => {
    const missing = {
      pointer: '/automations',
      code: 'automations_missing',
      message: 'the body must be {"automations": […]} with one automation',
    }
    for (const wrapped of [null, {}, { automations: {} }, { automations: [] }]) expect(fault(wrapped)).toEqual(missing)
    expect(fault({ automations: [{}, {}] })).toEqual({
      pointer: '/automations',
      code: 'several_automations',
      message: 'one automation at a time',
    })
    expect(fault({ automations: [[]] })).toEqual({
      pointer: '/automations/0',
      code: 'not_an_object',
      message: 'an automation is an object',
    })
  })

  test('names at most a hundred ids to be looked up: a longer list is refused before they matter', () => {
    const actions = Array.from({ length: 101 }, (_, i) => wait(i + 1))
    expect(lookupsOf({ actions }).actionIds).toHaveLength(100)
    expect(lookupsOf({})).toEqual({ name: null, actionIds: [] })
  })

  test('takes ids in any letter case, and nothing around them', () => {
    const uuid = 'abcdef01-2345-4789-8abc-def012345678'
    expect(uuidOf(uuid.toUpperCase())).toBe(uuid)
    for (const other of [`x${uuid}`, `${uuid}0`, ` ${uuid}`, '', null, 5, uuid.replaceAll('-', '')])
      expect(uuidOf(other)).toBeNull()
  })
})
