import { z } from 'zod'
import { TOKEN_ROLES } from './account-tokens'
import { idSchema, instantSchema } from './answers'

export const SESSION_ROLES = ['admin', ...TOKEN_ROLES] as const
export type SessionRole = (typeof SESSION_ROLES)[number]

export const beginSessionBody = z
  .strictObject({
    token: z.string().min(1).max(512).meta({ description: 'The admin token, or a token of an account.' }),
  })
  .meta({ id: 'SignIn' })

/** Who asks, and what a page must know of where it asks. */
export const sessionAnswer = z
  .object({
    role: z.enum(SESSION_ROLES),
    name: z.string().meta({ description: 'Of the token; admin for the admin token.' }),
    account_id: idSchema.nullable().meta({ description: 'The only account it speaks for; null for the admin token.' }),
    now: instantSchema.meta({ description: 'What the installation takes for now; a test clock may stand elsewhere.' }),
    test_clock: z.boolean(),
  })
  .meta({ id: 'Session' })
export type SessionAnswer = z.output<typeof sessionAnswer>
