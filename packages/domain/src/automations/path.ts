import type { AutomationEdge } from '@dwell/contracts/automations'
import { type AutomationBody, uuidOf } from './body'
import { type FaultList, isObject } from './fault-list'

/** The edges of a body; null where they cannot be read. */
export function readEdges(body: AutomationBody, faults: FaultList): readonly AutomationEdge[] | null {
  const { edges } = body
  if (!Array.isArray(edges)) {
    faults.add('/edges', edges === undefined ? 'edges_missing' : 'edges_not_a_list', 'edges must be a list')
    return null
  }
  const read: AutomationEdge[] = []
  for (const [i, edge] of edges.entries()) {
    const source = isObject(edge) ? uuidOf(edge.source_action_id) : null
    const target = isObject(edge) ? uuidOf(edge.target_action_id) : null
    if (source !== null && target !== null) read.push({ source_action_id: source, target_action_id: target })
    else
      faults.add(`/edges/${i}`, 'invalid_edge', 'an edge needs source_action_id and target_action_id, ids of actions')
  }
  return read.length === edges.length ? read : null
}

/**
 * The one path of actions and edges, as ids in order; null with faults where it is none. N actions need N−1 edges that lead
 * from one to the next. Checked in stages: where one finds faults, the later ones would only repeat them in other words.
 */
export function pathOf(
  ids: readonly string[],
  edges: readonly AutomationEdge[],
  faults: FaultList,
): readonly string[] | null {
  const before = faults.faults.length
  for (const stage of STAGES) {
    stage(ids, edges, faults)
    if (faults.faults.length > before) return null
  }
  const path = walk(ids, edges)
  if (path.length === ids.length) return path
  faults.add(
    '/edges',
    'path_broken',
    'the edges must join all actions to one path: there is a loop, or a part by itself',
  )
  return null
}

/** Edges of a path, for answers. */
export function edgesOf(path: readonly string[]): AutomationEdge[] {
  return path.slice(1).map((id, i) => ({ source_action_id: path[i] ?? '', target_action_id: id }))
}

type Stage = (ids: readonly string[], edges: readonly AutomationEdge[], faults: FaultList) => void

const duplicateActions: Stage = (ids, _edges, faults) => {
  for (const [i, id] of ids.entries()) {
    if (ids.indexOf(id) < i) faults.add(`/actions/${i}/id`, 'duplicate_action', 'two actions have the same id')
  }
}

const unknownActions: Stage = (ids, edges, faults) => {
  const known = new Set(ids)
  for (const [i, edge] of edges.entries()) {
    for (const end of ['source_action_id', 'target_action_id'] as const) {
      if (known.has(edge[end])) continue
      faults.add(`/edges/${i}/${end}`, 'unknown_action', 'an edge leads from or to an action that was not sent')
    }
  }
}

const selfEdges: Stage = (_ids, edges, faults) => {
  for (const [i, edge] of edges.entries()) {
    if (edge.source_action_id === edge.target_action_id) {
      faults.add(`/edges/${i}`, 'self_edge', 'an edge leads from an action to itself')
    }
  }
}

const duplicateEdges: Stage = (_ids, edges, faults) => {
  const seen = new Set<string>()
  for (const [i, edge] of edges.entries()) {
    const key = `${edge.source_action_id} ${edge.target_action_id}`
    if (seen.has(key)) faults.add(`/edges/${i}`, 'duplicate_edge', 'the same edge is there twice')
    seen.add(key)
  }
}

const branchesAndMerges: Stage = (_ids, edges, faults) => {
  const sources = new Set<string>()
  const targets = new Set<string>()
  for (const [i, edge] of edges.entries()) {
    if (sources.has(edge.source_action_id)) {
      faults.add(`/edges/${i}/source_action_id`, 'path_branches', 'an action has a second action after it')
    }
    if (targets.has(edge.target_action_id)) {
      faults.add(`/edges/${i}/target_action_id`, 'path_merges', 'an action has a second action before it')
    }
    sources.add(edge.source_action_id)
    targets.add(edge.target_action_id)
  }
}

const edgeCount: Stage = (ids, edges, faults) => {
  if (edges.length === ids.length - 1) return
  const message = `${ids.length} actions need ${ids.length - 1} edges to be one path, not ${edges.length}`
  faults.add('/edges', ids.length === 1 ? 'single_action_has_edges' : 'wrong_edge_count', message)
}

const STAGES: readonly Stage[] = [
  duplicateActions,
  unknownActions,
  selfEdges,
  duplicateEdges,
  branchesAndMerges,
  edgeCount,
]

/** From the action nothing leads to, as far as edges go. */
function walk(ids: readonly string[], edges: readonly AutomationEdge[]): string[] {
  const next = new Map(edges.map((edge) => [edge.source_action_id, edge.target_action_id]))
  const targets = new Set(next.values())
  const path: string[] = []
  let id = ids.find((candidate) => !targets.has(candidate))
  while (id !== undefined && path.length < ids.length) {
    path.push(id)
    id = next.get(id)
  }
  return path
}
