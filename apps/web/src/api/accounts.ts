import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from './client'

/** One account; also what an agent may know of it. */
export const accountQuery = (accountId: number) =>
  queryOptions({
    queryKey: ['account', accountId],
    queryFn: async () =>
      (await answerOf(api.GET('/accounts/{account_id}', { params: { path: { account_id: accountId } } }))).payload,
    staleTime: 30_000,
  })

/** For the switcher; only the admin token may ask. */
export const accountsQuery = queryOptions({
  queryKey: ['accounts'],
  queryFn: async () => (await answerOf(api.GET('/accounts', { params: { query: { limit: 500 } } }))).payload,
  staleTime: 30_000,
})
