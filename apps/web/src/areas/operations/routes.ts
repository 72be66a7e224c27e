import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../../app/account-route'

const operationsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'operations',
  component: lazyRouteComponent(() => import('./operations-page'), 'OperationsPage'),
})

/** Of the whole installation. */
export const operationsRoutes = [operationsRoute] as const
