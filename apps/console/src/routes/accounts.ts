import { formatInstant } from '@dwell/contracts/instant'
import {
  type AccountAnswer,
  accountAnswer,
  createAccountBody,
  type UpdateAccountBody,
  updateAccountBody,
} from '@dwell/contracts/rest/accounts'
import { pageOf, pageQuery, payloadOf } from '@dwell/contracts/rest/answers'
import { eraseAccount } from '@dwell/database/account-erasure'
import {
  type Account,
  createAccount,
  hasDelayedAutomations,
  listAccounts,
  updateAccount,
  withoutSecrets,
} from '@dwell/database/accounts'
import { accountEndpoint, type Endpoint, idIn, installationEndpoint } from '../endpoint'
import { checked } from '../http/body'
import { pageAnswer, readPage } from '../http/cursor'
import { forbidden, notFound, Problem } from '../http/problem'
import { hasRights, type Principal } from '../principal'

const tag = 'Accounts'

export const accountEndpoints: readonly Endpoint[] = [
  installationEndpoint({
    method: 'GET',
    path: '/accounts',
    operation: 'listAccounts',
    tag,
    summary: 'All accounts, the newest first.',
    query: pageQuery,
    answer: { status: 200, description: 'A page of accounts.', schema: pageOf(accountAnswer) },
    handle: async ({ deps, principal, query }) =>
      pageAnswer(await listAccounts(deps.database, readPage(query)), (account) => viewAccount(account, principal)),
  }),
  installationEndpoint({
    method: 'POST',
    path: '/accounts',
    operation: 'createAccount',
    tag,
    summary: 'Creates an account, under the id by which the upstream application knows it where that is given.',
    body: checked(createAccountBody),
    answer: { status: 201, description: 'The account.', schema: payloadOf(accountAnswer) },
    problems: { 409: 'The id is taken.' },
    handle: async ({ deps, principal, body, change }) => {
      const { id, name, features = [], settings = {} } = body
      const account = await createAccount(deps.database, { id, name, features, settings }, change)
      if (account === null) {
        const errors = [{ pointer: '/id', code: 'taken', message: 'is the id of another account' }]
        throw new Problem(409, 'already_exists', `There is an account ${id} already.`, { errors })
      }
      return { payload: viewAccount(account, principal) }
    },
  }),
  accountEndpoint({
    method: 'GET',
    path: '/accounts/{account_id}',
    operation: 'getAccount',
    tag,
    summary: 'One account.',
    answer: { status: 200, description: 'The account.', schema: payloadOf(accountAnswer) },
    handle: async ({ account, principal }) => ({ payload: viewAccount(account, principal) }),
  }),
  accountEndpoint({
    method: 'PATCH',
    path: '/accounts/{account_id}',
    operation: 'updateAccount',
    tag,
    summary:
      'Changes name, features or settings. Without delayed_automations nothing is armed any more, and what waits is ' +
      'skipped (flag_disabled), or kept where DELAYED_AUTOMATIONS_WHEN_DISABLED is pause.',
    body: checked(updateAccountBody),
    answer: { status: 200, description: 'The account as it is now.', schema: payloadOf(accountAnswer) },
    handle: async ({ deps, principal, account, body, change }) => {
      refuseFeatures(principal, body)
      const updated = await updateAccount(deps.database, account.id, body, change)
      if (updated === null) throw notFound()
      if (hasDelayedAutomations(updated) && !hasDelayedAutomations(account))
        await deps.work.wakeAt(change.now, change.now)
      return { payload: viewAccount(updated, principal) }
    },
  }),
  installationEndpoint({
    method: 'DELETE',
    path: '/accounts/{account_id}',
    operation: 'eraseAccount',
    tag,
    summary: 'Erases the account and everything that belongs to it.',
    answer: { status: 204, description: 'It is gone.' },
    handle: async ({ deps, params, change }) => {
      if (!(await eraseAccount(deps.pool, idIn(params, 'account_id'), change))) throw notFound()
      return undefined
    },
  }),
]

/** What an account may do at all is decided by those who run the installation. */
function refuseFeatures(principal: Principal, body: UpdateAccountBody): void {
  if (body.features !== undefined && principal.kind !== 'admin')
    throw forbidden('Only the admin token may change the features of an account.')
}

/** An agent's token reads everything but what webhooks are signed with. */
function viewAccount(account: Account, principal: Principal): AccountAnswer {
  return {
    id: account.id,
    name: account.name,
    features: [...account.features],
    settings: hasRights(principal, 'administrator') ? account.settings : withoutSecrets(account.settings),
    created_at: formatInstant(account.createdAt),
    updated_at: formatInstant(account.updatedAt),
  }
}
