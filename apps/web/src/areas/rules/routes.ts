import {
  PENDING_EXECUTION_STATUSES,
  type PendingExecutionStatus,
  SKIP_REASONS,
  type SkipReason,
} from '@dwell/contracts/pending-execution'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute, idIn } from '../../app/account-route'
import { idParam, oneOf, textParam } from '../../app/search-params'
import { RECIPES, type Recipe } from './recipes'
import { TABS, type Tab } from './tabs'

const ruleParams = {
  parse: ({ ruleId }: { ruleId: string }) => ({ ruleId: idIn(ruleId) }),
  stringify: ({ ruleId }: { ruleId: number }) => ({ ruleId: String(ruleId) }),
}

const listRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'rules',
  validateSearch: (search: Record<string, unknown>): { tab?: Tab; q?: string } => ({
    tab: oneOf(search.tab, TABS),
    q: textParam(search.q),
  }),
  component: lazyRouteComponent(() => import('./rule-list-page'), 'RuleListPage'),
})

const newRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'rules/new',
  validateSearch: (search: Record<string, unknown>): { tab?: Tab; recipe?: Recipe } => ({
    tab: oneOf(search.tab, TABS),
    recipe: oneOf(search.recipe, RECIPES),
  }),
  component: lazyRouteComponent(() => import('./new-rule-page'), 'NewRulePage'),
})

const editRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'rules/$ruleId',
  params: ruleParams,
  component: lazyRouteComponent(() => import('./edit-rule-page'), 'EditRulePage'),
})

const ruleHistoryRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'rules/$ruleId/history',
  params: ruleParams,
  validateSearch: (
    search: Record<string, unknown>,
  ): { status?: PendingExecutionStatus; reason?: SkipReason; conversation?: number } => ({
    status: oneOf(search.status, PENDING_EXECUTION_STATUSES),
    reason: oneOf(search.reason, SKIP_REASONS),
    conversation: idParam(search.conversation),
  }),
  component: lazyRouteComponent(() => import('./rule-history-page'), 'RuleHistoryPage'),
})

export const rulesRoutes = [listRoute, newRoute, editRoute, ruleHistoryRoute] as const
