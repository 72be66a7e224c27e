import { QueryClient as Queries, type QueryClient } from '@tanstack/react-query'
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { accountsQuery } from '../api/accounts'
import { sessionQuery } from '../api/session'
import { automationsRoutes } from '../areas/automations/routes'
import { historyRoutes } from '../areas/history/routes'
import { accountOperationsRoutes, operationsRoutes } from '../areas/operations/routes'
import { rulesRoutes } from '../areas/rules/routes'
import { settingsRoutes } from '../areas/settings/routes'
import { PageFailed, PageLoading, PageNotFound } from '../shell/fallbacks'
import { accountRoute, signedInRoute } from './account-route'
import { rootRoute } from './root-route'
import { textParam } from './search-params'

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-in',
  validateSearch: (search: Record<string, unknown>): { to?: string } => {
    const to = textParam(search.to, 2_000)
    // Only our own addresses: whoever sends a link must not decide where somebody lands after signing in.
    return to?.startsWith('/') && !to.startsWith('//') ? { to } : {}
  },
  beforeLoad: async ({ context, search }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery)
    if (session !== null) throw redirect({ href: search.to ?? '/', replace: true })
  },
  component: lazyRouteComponent(() => import('../shell/sign-in-page'), 'SignInPage'),
})

/** `/` is the list of rules of the only account, of the first one, or a page that says that there is none. */
const homeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  beforeLoad: async ({ context }) => {
    const ids =
      context.session.account_id === null ? await accountIds(context.queryClient) : [context.session.account_id]
    const accountId = ids[0]
    if (accountId !== undefined)
      throw redirect({ to: '/accounts/$accountId/rules', params: { accountId }, replace: true })
  },
  component: lazyRouteComponent(() => import('../shell/no-account-page'), 'NoAccountPage'),
})

const accountHomeRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/accounts/$accountId/rules', params, replace: true })
  },
})

async function accountIds(queryClient: QueryClient): Promise<number[]> {
  const accounts = await queryClient.ensureQueryData(accountsQuery)
  return accounts.map(({ id }) => id).sort((a, b) => a - b)
}

const routeTree = rootRoute.addChildren([
  signInRoute,
  signedInRoute.addChildren([
    homeRoute,
    ...operationsRoutes,
    accountRoute.addChildren([
      accountHomeRoute,
      ...rulesRoutes,
      ...historyRoutes,
      ...automationsRoutes,
      ...accountOperationsRoutes,
      ...settingsRoutes,
    ]),
  ]),
])

export const queryClient = new Queries({
  defaultOptions: {
    queries: {
      // A refusal stays one; only what may pass is asked again.
      retry: (failures, error) => failures < 2 && isPassing(error),
      refetchOnWindowFocus: true,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

function isPassing(error: Error): boolean {
  const { status } = error as { status?: unknown }
  return status === 0 || status === 502 || status === 503 || status === 504
}

export const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPreload: false,
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 300,
  defaultPendingMinMs: 300,
  scrollRestoration: true,
  defaultPendingComponent: PageLoading,
  defaultErrorComponent: PageFailed,
  defaultNotFoundComponent: PageNotFound,
  notFoundMode: 'fuzzy',
  // Nothing of an address reaches a view unless its route has read it.
  search: { strict: true },
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
