import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute } from '../../app/account-route'

const automationsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'automations',
  component: lazyRouteComponent(() => import('./automations-page'), 'AutomationsPage'),
})

export const automationsRoutes = [automationsRoute] as const
