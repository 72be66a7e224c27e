import fc from 'fast-check'
import type { AutomationContent, StoredAutomation } from './check-save'
import { planSave } from './save-plan'
import { chain, contentOf, created, edge, id, wait } from './testing/save-bodies'

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
