import type { Micros } from '@dwell/contracts/instant'
import type { Attributes } from '@dwell/domain/rules/facts'
import type { ProjectedContact } from '@dwell/domain/rules/projection'
import { CONTACT_FACTS, fromStoredFactTimes, type StoredFactTimes } from './fact-times'

/** What `contactColumns` selects; the prefix lets it stand beside other tables in one result. Instants are µs. */
export interface ContactRow {
  readonly contact_account_id: number
  readonly contact_id: number
  readonly contact_name: string | null
  readonly contact_email: string | null
  readonly contact_phone_number: string | null
  readonly contact_additional_attributes: Attributes
  readonly contact_custom_attributes: Attributes
  readonly contact_fact_times: StoredFactTimes
  readonly contact_deleted_at: Micros | null
  readonly contact_revision: number
}

/** The select list of a contact; `table` is the name or alias it has in the statement. */
export function contactColumns(table = 'contacts'): string {
  return `
    ${table}.account_id AS contact_account_id, ${table}.id AS contact_id, ${table}.name AS contact_name,
    ${table}.email AS contact_email, ${table}.phone_number AS contact_phone_number,
    ${table}.additional_attributes AS contact_additional_attributes,
    ${table}.custom_attributes AS contact_custom_attributes, ${table}.fact_times AS contact_fact_times,
    dwell_micros(${table}.deleted_at) AS contact_deleted_at, ${table}.revision AS contact_revision`
}

export function contactFromRow(row: ContactRow): ProjectedContact {
  return {
    accountId: row.contact_account_id,
    id: row.contact_id,
    facts: {
      name: row.contact_name,
      email: row.contact_email,
      phone_number: row.contact_phone_number,
      additional_attributes: row.contact_additional_attributes,
      custom_attributes: row.contact_custom_attributes,
    },
    factTimes: fromStoredFactTimes(row.contact_fact_times, CONTACT_FACTS),
    deletedAt: row.contact_deleted_at,
    revision: row.contact_revision,
  }
}
