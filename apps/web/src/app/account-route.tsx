import { createRoute, lazyRouteComponent, notFound, Outlet, redirect } from '@tanstack/react-router'
import { sessionQuery } from '../api/session'
import { rootRoute } from './root-route'
import { idParam } from './search-params'

/** Everything that only people who are signed in see, inside the frame. Others sign in first and come back here. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery)
    if (session === null) throw redirect({ to: '/sign-in', search: { to: location.href }, replace: true })
    return { session }
  },
  component: lazyRouteComponent(() => import('../shell/frame'), 'Frame'),
})

/** Everything that belongs to one account: `/accounts/1/…`. */
export const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'accounts/$accountId',
  params: {
    parse: ({ accountId }) => ({ accountId: idIn(accountId) }),
    stringify: ({ accountId }) => ({ accountId: String(accountId) }),
  },
  component: Outlet,
})

/** An id in a path: what is no id is an address that does not exist. */
export function idIn(text: string): number {
  const id = idParam(text)
  if (id === undefined) throw notFound()
  return id
}
