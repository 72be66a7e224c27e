import { randomUUID } from 'node:crypto'
import { answeredAutomation } from '@dwell/domain/automations/automation-answer'
import { instant } from '@dwell/testing/fixed-clock'
import { seedAccount } from '@dwell/testing/seeds'
import { useStores } from '@dwell/testing/stores'
import fc from 'fast-check'
import type { Pool } from 'pg'
import { createPool } from '../pool'
import { createPrismaClient, type Database } from '../prisma-client'
import { createAutomation, type SaveOutcome, updateAutomation } from './saves'

// Paths as people change them, save by save, on real Postgres.

const stores = useStores()
let pool: Pool
let database: Database
let account: number
let now = instant('2026-09-01T09:00:00Z')

beforeAll(async () => {
  pool = createPool({ connectionString: stores.databaseUrl, max: 4, applicationName: 'test' })
  database = createPrismaClient(pool)
  stores.closeBefore(() => pool.end())
  account = await seedAccount(pool)
})

interface Action {
  readonly id: string
  readonly type: 'wait' | 'send_email'
  readonly data: object
}

interface Edge {
  readonly source_action_id: string
  readonly target_action_id: string
}

const waitOf = (hours: number): Action => ({ id: randomUUID(), type: 'wait', data: { wait_hours: hours } })
const mailOf = (number: number): Action => ({
  id: randomUUID(),
  type: 'send_email',
  data: { email_subject: `Subject ${number}`, email_body: 'Hello', email_format: 'markdown' },
})
const chain = (path: readonly Action[]): Edge[] =>
  path.slice(1).map(({ id }, n) => ({ source_action_id: path[n]?.id ?? '', target_action_id: id }))

/** What somebody does in the editor before they save; numbers are taken modulo whatever there is. */
type Change =
  | { readonly do: 'insert'; readonly at: number; readonly wait: boolean }
  | { readonly do: 'remove'; readonly at: number }
  | { readonly do: 'move'; readonly at: number; readonly to: number }
  | { readonly do: 'edit'; readonly at: number; readonly number: number }
  | { readonly do: 'save' }
  | { readonly do: 'branch' | 'loop' | 'revive' | 'retype' }

const place = fc.nat(50)
const changes: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('insert' as const), at: place, wait: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), at: place }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('move' as const), at: place, to: place }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('edit' as const), at: place, number: fc.nat(5) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constantFrom('branch' as const, 'loop' as const, 'revive' as const, 'retype' as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('save' as const) }) },
  ),
  { minLength: 1, maxLength: 12 },
)

/** The path after a change that may be saved. */
function changed(path: readonly Action[], change: Change): readonly Action[] {
  const copy = [...path]
  if (change.do === 'insert')
    copy.splice(change.at % (copy.length + 1), 0, change.wait ? waitOf(1 + change.at) : mailOf(change.at))
  if (change.do === 'remove' && copy.length > 1) copy.splice(change.at % copy.length, 1)
  if (change.do === 'move') {
    const [moved] = copy.splice(change.at % copy.length, 1)
    if (moved !== undefined) copy.splice(change.to % (copy.length + 1), 0, moved)
  }
  if (change.do === 'edit') {
    const at = change.at % copy.length
    const old = copy[at]
    if (old !== undefined)
      copy[at] = { ...(old.type === 'wait' ? waitOf(1 + change.number) : mailOf(change.number)), id: old.id }
  }
  return copy
}

/** A body that must be refused; null where the path is too short for it. */
function refusedBody(path: readonly Action[], removed: readonly Action[], kind: Change['do']): object | null {
  const [first, second, third] = path
  if (kind === 'branch' && first && second && third)
    return {
      actions: path,
      edges: chain(path).map((edge) =>
        edge.source_action_id === second.id ? { source_action_id: first.id, target_action_id: third.id } : edge,
      ),
    }
  const last = path.at(-1)
  if (kind === 'loop' && first && second && last)
    return { actions: path, edges: [...chain(path), { source_action_id: last.id, target_action_id: first.id }] }
  if (kind === 'revive' && removed[0]) return { actions: [...path, removed[0]], edges: chain([...path, removed[0]]) }
  if (kind === 'retype' && first) {
    const other = { ...(first.type === 'wait' ? mailOf(1) : waitOf(1)), id: first.id }
    return { actions: [other, ...path.slice(1)], edges: chain(path) }
  }
  return null
}

function saved(outcome: SaveOutcome) {
  if (outcome === null || !('automation' in outcome)) throw new Error(`refused: ${JSON.stringify(outcome)}`)
  return answeredAutomation(outcome.automation)
}

/** Follows the edges from the action that nothing leads to. */
function walk(actions: readonly { readonly id: string }[], edges: readonly Edge[]): string[] {
  const next = new Map(edges.map((edge) => [edge.source_action_id, edge.target_action_id]))
  const reached = new Set(edges.map((edge) => edge.target_action_id))
  const seen: string[] = []
  for (
    let id = actions.find((action) => !reached.has(action.id))?.id;
    id !== undefined && !seen.includes(id);
    id = next.get(id)
  )
    seen.push(id)
  return seen
}

async function stored(id: string) {
  const { rows } = await pool.query<{ id: string; position: number | null; removed: boolean; revisions: number }>(
    `SELECT a.id, a.position, a.deleted_at IS NOT NULL AS removed,
       (SELECT count(*)::int FROM automation_action_revisions r WHERE r.action_id = a.id) AS revisions
     FROM automation_actions a WHERE a.automation_id = $1 ORDER BY a.position NULLS LAST, a.id`,
    [id],
  )
  return rows
}

test('any sequence of edits keeps one path: what was saved is walked from end to end, and refused edits leave no trace', async () => {
  await fc.assert(
    fc.asyncProperty(changes, async (list) => {
      let path: readonly Action[] = [waitOf(1)]
      const removed: Action[] = []
      const revisions = new Map<string, number>([[path[0]?.id ?? '', 1]])
      const body = {
        name: randomUUID(),
        description: '',
        status: 'inactive',
        trigger_tier_scope: 'free',
        actions: path,
        edges: [],
      }
      const { id } = saved(await createAutomation(database, account, { body, faults: [] }, { actor: 'admin', now }))
      for (const change of list) {
        now = (now + 1_000_000) as typeof now
        const save = (sent: object) =>
          updateAutomation(
            database,
            account,
            id,
            { body: { status: 'inactive', ...sent }, faults: [], ifMatch: undefined },
            { actor: 'admin', now },
          )
        const refused = refusedBody(path, removed, change.do)
        if (refused !== null) {
          const before = await stored(id)
          expect(await save(refused)).toMatchObject({ faults: [expect.anything()] })
          expect(await stored(id)).toEqual(before)
          continue
        }
        const wanted = changed(path, change)
        const answer = saved(await save({ actions: wanted, edges: chain(wanted) }))
        removed.push(...path.filter((old) => !wanted.some((one) => one.id === old.id)))
        for (const one of wanted) {
          const old = path.find((known) => known.id === one.id)
          const isNew = old === undefined || JSON.stringify(old.data) !== JSON.stringify(one.data)
          revisions.set(one.id, (revisions.get(one.id) ?? 0) + (isNew ? 1 : 0))
        }
        path = wanted

        expect(answer.edges).toHaveLength(path.length - 1)
        expect(walk(answer.actions, answer.edges)).toEqual(path.map((one) => one.id))
        const rows = await stored(id)
        expect(rows.filter((row) => !row.removed).map((row) => [row.id, row.position])).toEqual(
          path.map((one, n) => [one.id, n]),
        )
        expect(rows.filter((row) => row.removed).map((row) => row.position)).toEqual(removed.map(() => null))
        expect(new Map(rows.map((row) => [row.id, row.revisions]))).toEqual(revisions)
      }
    }),
    { numRuns: 20 },
  )
}, 120_000)

test('edits at the same moment: each stands on the one before it, and one path is left', async () => {
  const first = [waitOf(1), mailOf(1)]
  const body = {
    name: randomUUID(),
    description: '',
    status: 'inactive',
    trigger_tier_scope: 'free',
    actions: first,
    edges: chain(first),
  }
  const { id, version } = saved(
    await createAutomation(database, account, { body, faults: [] }, { actor: 'admin', now }),
  )
  const edit = (path: readonly Action[], more: object = {}) =>
    updateAutomation(
      database,
      account,
      id,
      { body: { status: 'inactive', actions: path, edges: chain(path), ...more }, faults: [], ifMatch: undefined },
      { actor: 'admin', now },
    )
  const wanted = Array.from({ length: 8 }, (_, n) => [...first, waitOf(n + 1)].sort(() => (n % 2 === 0 ? 1 : -1)))
  const outcomes = await Promise.all(wanted.map((path) => edit(path)))
  expect(outcomes.every((outcome) => outcome !== null && 'automation' in outcome)).toBe(true)
  const left = (await stored(id)).filter((row) => !row.removed)
  expect(left.map((row) => row.position)).toEqual([0, 1, 2])
  expect(wanted.map((path) => path.map((one) => one.id))).toContainEqual(left.map((row) => row.id))

  // With a version only one of them is right.
  const [wait, mail] = first as [Action, Action]
  const guarded = await Promise.all(
    wanted.map((_, n) => edit([{ ...wait, data: { wait_hours: n + 2 } }, mail], { version: version + wanted.length })),
  )
  expect(guarded.filter((outcome) => outcome !== null && 'automation' in outcome)).toHaveLength(1)
  expect(guarded.filter((outcome) => outcome !== null && 'stale' in outcome)).toHaveLength(wanted.length - 1)
})
