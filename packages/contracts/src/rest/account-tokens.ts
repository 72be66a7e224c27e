import { z } from 'zod'
import { idSchema, instantSchema, nameSchema } from './answers'

/** `administrator` may do everything within its account, `agent` may read. */
export const TOKEN_ROLES = ['administrator', 'agent'] as const
export type TokenRole = (typeof TOKEN_ROLES)[number]

export const createTokenBody = z
  .strictObject({ role: z.enum(TOKEN_ROLES), name: nameSchema })
  .meta({ id: 'TokenToCreate' })
export type CreateTokenBody = z.output<typeof createTokenBody>

export const tokenAnswer = z
  .object({ id: idSchema, name: z.string(), role: z.enum(TOKEN_ROLES), created_at: instantSchema })
  .meta({ id: 'Token' })
export type TokenAnswer = z.output<typeof tokenAnswer>

/** The only time that the token itself is answered. */
export const createdTokenAnswer = tokenAnswer.extend({ token: z.string() }).meta({ id: 'CreatedToken' })
export type CreatedTokenAnswer = z.output<typeof createdTokenAnswer>
