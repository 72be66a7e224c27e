import { ACTION_FIELD, type ActionEnvelope, actionEnvelope } from '@dwell/contracts/action'

/** An entry of a stream as Redis answers it; null fields stand for one that was deleted meanwhile. */
export type RawEntry = readonly [id: string, fields: readonly string[] | null]

/** Reported for an entry that is not an action; it stays pending, so that a newer version of this package may read it. */
export class UnreadableActionError extends Error {
  override readonly name = 'UnreadableActionError'

  constructor(
    readonly entryId: string,
    detail: string,
  ) {
    super(`The entry ${entryId} cannot be read as an action: ${detail}`)
  }
}

/** Throws `UnreadableActionError`. Unknown keys are left out. */
export function readAction(entryId: string, fields: readonly string[]): ActionEnvelope {
  let text: string | undefined
  for (let i = 0; i + 1 < fields.length; i += 2) if (fields[i] === ACTION_FIELD) text = fields[i + 1]
  if (text === undefined) throw new UnreadableActionError(entryId, `it has no field "${ACTION_FIELD}"`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UnreadableActionError(entryId, error instanceof Error ? error.message : 'it is not JSON')
  }
  const parsed = actionEnvelope.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new UnreadableActionError(entryId, `${issue?.path.join('.')}: ${issue?.message}`)
}
