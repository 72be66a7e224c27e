import type { ConditionValues } from '@dwell/contracts/rule'
import type { Attribute } from './vocabulary'

/** Stands in a choice of values for null: `{"from": [null]}` is "was nothing". */
export const NOTHING = ' nothing'

/** A value of the API as the text of a chip. */
export function textOf(value: unknown): string {
  return value === null ? NOTHING : String(value)
}

/** The text of a chip as a value of the API: what is no number stays a text, so that the server can say so. */
export function valueFrom(text: string, kind: Attribute['kind']): unknown {
  if (text === NOTHING) return null
  if (kind === 'id' && /^\d{1,15}$/.test(text.trim())) return Number(text)
  if (kind === 'number' && text.trim() !== '' && Number.isFinite(Number(text.replace(',', '.'))))
    return Number(text.replace(',', '.'))
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

export function listOf(values: ConditionValues | undefined): readonly unknown[] {
  return Array.isArray(values) ? values : []
}

export function changeOf(values: ConditionValues | undefined): {
  readonly from?: readonly unknown[] | undefined
  readonly to?: readonly unknown[] | undefined
} {
  return values === undefined || Array.isArray(values) ? {} : (values as { from?: unknown[]; to?: unknown[] })
}

/** Whether the form has a field for these values; what it has not is shown as it is and kept. */
export function isEditable(attribute: Attribute, operator: string, values: ConditionValues | undefined): boolean {
  const parts =
    operator === 'attribute_changed' ? [changeOf(values).from ?? [], changeOf(values).to ?? []] : [listOf(values)]
  return parts.every(
    (part) =>
      Array.isArray(part) &&
      part.every((value) => value === null || ['string', 'number', 'boolean'].includes(typeof value)) &&
      (attribute.kind !== 'boolean' || part.length <= 1),
  )
}
