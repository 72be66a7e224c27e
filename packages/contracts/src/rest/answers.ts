import { z } from 'zod'
import { parseInstant } from '../instant'

/** Rows, accounts, rules: whole numbers that a JSON number holds exactly. */
export const idSchema = z.int().positive()

/** ISO 8601 in UTC with six fractional digits. */
export const instantSchema = z.string().meta({ format: 'date-time', example: '2026-09-01T10:00:00.123456Z' })

export const DEFAULT_PAGE_SIZE = 100
export const MAX_PAGE_SIZE = 500

/** Text of a query parameter that must be a whole number. */
function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max })
}

export const idParameter = wholeNumber(1, Number.MAX_SAFE_INTEGER)

/** RFC 3339 with an offset; answers integer microseconds. */
export const instantParameter = z
  .string()
  .transform((text, context) => {
    const instant = parseInstant(text)
    if (instant !== null) return instant
    context.addIssue({ code: 'custom', message: 'must be an instant such as 2026-09-01T10:00:00Z' })
    return z.NEVER
  })
  .meta({ type: 'string', format: 'date-time' })

/** Every list takes these; the cursor comes from `meta.next_cursor` of the page before. */
export const pageQuery = z.object({
  cursor: z.string().max(200).optional().meta({ description: 'Where the page begins; from the page before.' }),
  limit: wholeNumber(1, MAX_PAGE_SIZE)
    .optional()
    .meta({ description: `Entries on a page, 1 to ${MAX_PAGE_SIZE}; ${DEFAULT_PAGE_SIZE} unless given.` }),
})
export type PageQuery = z.output<typeof pageQuery>

/** One thing answers `{payload: {…}}`. */
export function payloadOf<T extends z.ZodType>(schema: T) {
  return z.object({ payload: schema })
}

/** A list answers `{payload: […], meta: {next_cursor}}`; a null cursor says that nothing follows. */
export function pageOf<T extends z.ZodType>(schema: T) {
  return z.object({ payload: z.array(schema), meta: z.object({ next_cursor: z.string().nullable() }) })
}

/** A name that people read: not blank, at most 255 characters, kept without the white space around it. */
export const nameSchema = z.string().trim().min(1, 'must not be blank').max(255)
