import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute } from '../../app/account-route'

const rulesRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'rules',
  component: lazyRouteComponent(() => import('./rule-list-page'), 'RuleListPage'),
})

export const rulesRoutes = [rulesRoute] as const
