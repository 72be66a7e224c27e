import { z } from 'zod'
import { idSchema, instantSchema, nameSchema } from './answers'

export const DISPLAY_TYPES = ['text', 'number', 'link', 'date', 'list', 'checkbox'] as const
export const ATTRIBUTE_MODELS = ['conversation_attribute', 'contact_attribute'] as const

const attributeValues = z
  .array(z.string().trim().min(1, 'must not be blank').max(255))
  .max(1000)
  .refine((values) => new Set(values).size === values.length, 'names a value twice')

/** reference: rules, section 3.1. */
export const createCustomAttributeBody = z
  .strictObject({
    attribute_key: z
      .string()
      .max(255)
      .regex(/^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u, 'may hold letters, digits, _, - and . only')
      .meta({ example: 'plan' }),
    attribute_display_name: nameSchema,
    attribute_display_type: z.enum(DISPLAY_TYPES),
    attribute_model: z.enum(ATTRIBUTE_MODELS),
    attribute_values: attributeValues
      .nullable()
      .optional()
      .meta({ description: 'The values of a list; other types have none.' }),
  })
  .superRefine((body, context) => {
    const count = body.attribute_values?.length ?? 0
    const message =
      body.attribute_display_type === 'list'
        ? count === 0 && 'a list needs at least one value'
        : count > 0 && 'only a list has values'
    if (message) context.addIssue({ code: 'custom', path: ['attribute_values'], message })
  })
  .meta({ id: 'CustomAttributeDefinitionToCreate' })
export type CreateCustomAttributeBody = z.output<typeof createCustomAttributeBody>

export const customAttributeAnswer = z
  .object({
    id: idSchema,
    attribute_key: z.string(),
    attribute_display_name: z.string(),
    attribute_display_type: z.enum(DISPLAY_TYPES),
    attribute_model: z.enum(ATTRIBUTE_MODELS),
    attribute_values: z.array(z.string()).nullable(),
    created_at: instantSchema,
  })
  .meta({ id: 'CustomAttributeDefinition' })
export type CustomAttributeAnswer = z.output<typeof customAttributeAnswer>
