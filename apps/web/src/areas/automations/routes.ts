import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute } from '../../app/account-route'
import { automationView } from './automation-view'

const automationsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'automations',
  component: lazyRouteComponent(() => import('./automations-page'), 'AutomationsPage'),
})

const newAutomationRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'automations/new',
  component: lazyRouteComponent(() => import('./new-automation-page'), 'NewAutomationPage'),
})

const automationRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'automations/$automationId',
  validateSearch: automationView,
  component: lazyRouteComponent(() => import('./automation-page'), 'AutomationPage'),
})

export const automationsRoutes = [automationsRoute, newAutomationRoute, automationRoute] as const
