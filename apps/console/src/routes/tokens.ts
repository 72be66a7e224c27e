import { formatInstant } from '@dwell/contracts/instant'
import {
  createdTokenAnswer,
  createTokenBody,
  type TokenAnswer,
  tokenAnswer,
} from '@dwell/contracts/rest/account-tokens'
import { pageOf, pageQuery, payloadOf } from '@dwell/contracts/rest/answers'
import {
  type AccountToken,
  createAccountToken,
  deleteAccountToken,
  listAccountTokens,
} from '@dwell/database/account-tokens'
import { accountEndpoint, type Endpoint, idIn } from '../endpoint'
import { checked } from '../http/body'
import { pageAnswer, readPage } from '../http/cursor'
import { notFound } from '../http/problem'

const tag = 'Tokens'

export const tokenEndpoints: readonly Endpoint[] = [
  accountEndpoint({
    method: 'GET',
    path: '/accounts/{account_id}/tokens',
    operation: 'listTokens',
    tag,
    summary: 'The tokens of the account, without the tokens themselves.',
    query: pageQuery,
    answer: { status: 200, description: 'A page of tokens.', schema: pageOf(tokenAnswer) },
    handle: async ({ deps, account, query }) =>
      pageAnswer(await listAccountTokens(deps.database, account.id, readPage(query)), viewToken),
  }),
  accountEndpoint({
    method: 'POST',
    path: '/accounts/{account_id}/tokens',
    operation: 'createToken',
    tag,
    summary: 'Creates a token. It is shown in this answer and never again.',
    body: checked(createTokenBody),
    answer: { status: 201, description: 'The token.', schema: payloadOf(createdTokenAnswer) },
    handle: async ({ deps, account, body, change }) => {
      const created = await createAccountToken(deps.database, account.id, body, change)
      if (created === null) throw notFound()
      return { payload: { ...viewToken(created), token: created.token } }
    },
  }),
  accountEndpoint({
    method: 'DELETE',
    path: '/accounts/{account_id}/tokens/{id}',
    operation: 'deleteToken',
    tag,
    summary: 'Takes a token back; it is worth nothing from now on.',
    answer: { status: 204, description: 'It is gone.' },
    handle: async ({ deps, account, params, change }) => {
      if (!(await deleteAccountToken(deps.database, account.id, idIn(params), change))) throw notFound()
      return undefined
    },
  }),
]

function viewToken(token: AccountToken): TokenAnswer {
  return { id: token.id, name: token.name, role: token.role, created_at: formatInstant(token.createdAt) }
}
