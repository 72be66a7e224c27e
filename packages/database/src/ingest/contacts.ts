import type { ProjectedContact } from '@dwell/domain/rules/projection'
import type { PoolClient } from 'pg'
import { type ContactRow, contactColumns, contactFromRow } from '../rows/contact-row'
import { CONTACT_FACTS, toStoredFactTimes } from '../rows/fact-times'
import { asColumns, type FactId } from './fact-locks'

const ENSURE = `
  INSERT INTO contacts (account_id, id) SELECT * FROM unnest($1::bigint[], $2::bigint[]) ON CONFLICT DO NOTHING`

const READ = `
  SELECT ${contactColumns('c')}
  FROM unnest($1::bigint[], $2::bigint[]) AS wanted(account_id, id)
  JOIN contacts c ON c.account_id = wanted.account_id AND c.id = wanted.id
  ORDER BY c.account_id, c.id`

/** Locks the contacts that events speak of until the transaction ends and reads them. `ids` in lock order. */
export async function lockContacts(client: PoolClient, ids: readonly FactId[]): Promise<ProjectedContact[]> {
  if (ids.length === 0) return []
  const values = asColumns(ids)
  await client.query({ name: 'ingest-ensure-contacts', text: ENSURE, values })
  const { rows } = await client.query<ContactRow>({
    name: 'ingest-lock-contacts',
    text: `${READ} FOR UPDATE OF c`,
    values,
  })
  return rows.map(contactFromRow)
}

/** Contacts that are only asked about. */
export async function readContacts(client: PoolClient, ids: readonly FactId[]): Promise<ProjectedContact[]> {
  if (ids.length === 0) return []
  const { rows } = await client.query<ContactRow>({ name: 'ingest-read-contacts', text: READ, values: asColumns(ids) })
  return rows.map(contactFromRow)
}

const WRITE = `
  UPDATE contacts c SET
    name = v.name, email = v.email, phone_number = v.phone_number, additional_attributes = v.additional_attributes,
    custom_attributes = v.custom_attributes, fact_times = v.fact_times, deleted_at = dwell_instant(v.deleted_at),
    revision = v.revision
  FROM json_to_recordset($1::json) AS v(
    account_id bigint, id bigint, name text, email text, phone_number text, additional_attributes jsonb,
    custom_attributes jsonb, fact_times jsonb, deleted_at bigint, revision bigint)
  WHERE c.account_id = v.account_id AND c.id = v.id`

/** Writes what is known now. The contacts are locked. */
export async function writeContacts(client: PoolClient, contacts: readonly ProjectedContact[]): Promise<void> {
  if (contacts.length === 0) return
  const rows = contacts.map((one) => ({
    account_id: one.accountId,
    id: one.id,
    ...one.facts,
    fact_times: toStoredFactTimes(one.factTimes, CONTACT_FACTS),
    deleted_at: one.deletedAt,
    revision: one.revision,
  }))
  await client.query({ name: 'ingest-write-contacts', text: WRITE, values: [JSON.stringify(rows)] })
}
