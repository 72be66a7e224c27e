import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute } from '../../app/account-route'

const generalRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'settings',
  component: lazyRouteComponent(() => import('./general-page'), 'GeneralPage'),
})

const webhooksRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'settings/webhooks',
  component: lazyRouteComponent(() => import('./webhooks-page'), 'WebhooksPage'),
})

const mailRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'settings/mail',
  component: lazyRouteComponent(() => import('./mail-page'), 'MailPage'),
})

const tokensRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'settings/tokens',
  component: lazyRouteComponent(() => import('./tokens-page'), 'TokensPage'),
})

const attributesRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'settings/attributes',
  component: lazyRouteComponent(() => import('./attributes-page'), 'AttributesPage'),
})

/** Of one account. */
export const settingsRoutes = [generalRoute, webhooksRoute, mailRoute, tokensRoute, attributesRoute] as const
