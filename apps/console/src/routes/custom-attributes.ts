import { formatInstant } from '@dwell/contracts/instant'
import { pageOf, pageQuery, payloadOf } from '@dwell/contracts/rest/answers'
import {
  type CustomAttributeAnswer,
  createCustomAttributeBody,
  customAttributeAnswer,
} from '@dwell/contracts/rest/custom-attribute-definitions'
import {
  createCustomAttribute,
  deleteCustomAttribute,
  hasCustomAttribute,
  listCustomAttributes,
  type StoredCustomAttribute,
} from '@dwell/database/custom-attributes'
import { accountEndpoint, type Endpoint, idIn } from '../endpoint'
import { checked } from '../http/body'
import { pageAnswer, readPage } from '../http/cursor'
import { invalid, notFound } from '../http/problem'

const tag = 'Custom attributes'

export const customAttributeEndpoints: readonly Endpoint[] = [
  accountEndpoint({
    method: 'GET',
    path: '/accounts/{account_id}/custom_attribute_definitions',
    operation: 'listCustomAttributeDefinitions',
    tag,
    summary: 'The custom attributes that conditions of this account may ask about.',
    query: pageQuery,
    answer: { status: 200, description: 'A page of definitions.', schema: pageOf(customAttributeAnswer) },
    handle: async ({ deps, account, query }) =>
      pageAnswer(await listCustomAttributes(deps.database, account.id, readPage(query)), viewCustomAttribute),
  }),
  accountEndpoint({
    method: 'POST',
    path: '/accounts/{account_id}/custom_attribute_definitions',
    operation: 'createCustomAttributeDefinition',
    tag,
    summary: 'Declares a custom attribute. Rules that were broken without it heal.',
    body: checked(createCustomAttributeBody),
    answer: { status: 201, description: 'The definition.', schema: payloadOf(customAttributeAnswer) },
    handle: async ({ deps, account, body, change }) => {
      const created = await createCustomAttribute(deps.database, account.id, body, change)
      if (created === 'account_gone') throw notFound()
      if (created === 'taken')
        throw invalid([{ pointer: '/attribute_key', code: 'taken', message: 'is declared for this model already' }])
      return { payload: viewCustomAttribute(created) }
    },
  }),
  accountEndpoint({
    method: 'DELETE',
    path: '/accounts/{account_id}/custom_attribute_definitions/{id}',
    operation: 'deleteCustomAttributeDefinition',
    tag,
    summary: 'Deletes a definition. Conditions on it are false from now on, their rules are shown as broken.',
    answer: { status: 204, description: 'It is gone.' },
    find: async ({ deps, account, params }) =>
      (await hasCustomAttribute(deps.database, account.id, idIn(params))) ? idIn(params) : null,
    handle: async ({ deps, account, found, change }) => {
      if (!(await deleteCustomAttribute(deps.database, account.id, found, change))) throw notFound()
      return undefined
    },
  }),
]

function viewCustomAttribute(definition: StoredCustomAttribute): CustomAttributeAnswer {
  const { createdAt, attribute_values: values, ...rest } = definition
  return { ...rest, attribute_values: values === null ? null : [...values], created_at: formatInstant(createdAt) }
}
