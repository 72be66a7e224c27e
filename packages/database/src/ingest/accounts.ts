import type { PoolClient } from 'pg'

const VERSIONS = `SELECT id, rules_version FROM accounts WHERE id = ANY($1::bigint[]) ORDER BY id`
const LOCKED_VERSIONS = `${VERSIONS} FOR SHARE`
const FREE_VERSIONS = `${VERSIONS} FOR SHARE SKIP LOCKED`

interface VersionRow {
  readonly id: number
  readonly rules_version: number
}

/** An edit of rules came between reading them and the end of the batch: nothing may be written by the old ones. */
export class RulesEdited extends Error {
  override readonly name = 'RulesEdited'
}

/**
 * The versions of the accounts' rules; unknown accounts are missing. With `lock` edits wait from here on until the
 * transaction ends. Without it the caller ends with `confirmVersions`.
 *
 * Locking from the start would be simpler, but share locks overlap: with eight consumers at work on one account an edit
 * waited more than five seconds for a gap (measured), and might wait for ever.
 */
export async function readVersions(
  client: PoolClient,
  accountIds: readonly number[],
  options: { readonly lock: boolean },
): Promise<Map<number, number>> {
  const { rows } = await client.query<VersionRow>(
    options.lock
      ? { name: 'ingest-lock-versions', text: LOCKED_VERSIONS, values: [accountIds] }
      : { name: 'ingest-read-versions', text: VERSIONS, values: [accountIds] },
  )
  return new Map(rows.map((row) => [row.id, row.rules_version]))
}

/**
 * Last statement of a batch: locks the accounts and throws `RulesEdited` unless their rules are still at the versions the
 * batch was judged by. An edit under way counts as one that happened; waiting for it while holding its rows would be a
 * deadlock. An edit that comes later waits for the commit, and finds the rows that the batch armed.
 */
export async function confirmVersions(client: PoolClient, judgedBy: ReadonlyMap<number, number>): Promise<void> {
  const { rows } = await client.query<VersionRow>({
    name: 'ingest-confirm-versions',
    text: FREE_VERSIONS,
    values: [[...judgedBy.keys()]],
  })
  const current = new Map(rows.map((row) => [row.id, row.rules_version]))
  for (const [id, version] of judgedBy) {
    if (current.get(id) !== version) throw new RulesEdited(`The rules of account ${id} are no longer at ${version}`)
  }
}
