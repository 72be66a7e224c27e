import { PENDING_EXECUTION_STATUSES, SKIP_REASONS } from '@dwell/contracts/pending-execution'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoute, idIn } from '../../app/account-route'
import { idParam, oneOf } from '../../app/search-params'
import type { CameFrom, ExecutionFilter } from './queries'

const filterIn = (search: Record<string, unknown>): ExecutionFilter => ({
  status: oneOf(search.status, PENDING_EXECUTION_STATUSES),
  reason: oneOf(search.reason, SKIP_REASONS),
  rule: idParam(search.rule),
  conversation: idParam(search.conversation),
})

const historyRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'history',
  validateSearch: filterIn,
  component: lazyRouteComponent(() => import('./history-page'), 'HistoryPage'),
})

const executionRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'history/$executionId',
  params: {
    parse: ({ executionId }) => ({ executionId: idIn(executionId) }),
    stringify: ({ executionId }) => ({ executionId: String(executionId) }),
  },
  /** The list that somebody came from, with its filters: the way back leads there. */
  validateSearch: (search: Record<string, unknown>): CameFrom => ({
    from: oneOf(search.from, ['rule', 'conversation']),
    ...filterIn(search),
  }),
  component: lazyRouteComponent(() => import('./execution-page'), 'ExecutionPage'),
})

const conversationRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'conversations/$conversationId',
  params: {
    parse: ({ conversationId }) => ({ conversationId: idIn(conversationId) }),
    stringify: ({ conversationId }) => ({ conversationId: String(conversationId) }),
  },
  /** The rule whose "why?" is shown. */
  validateSearch: (search: Record<string, unknown>): { rule?: number } => ({ rule: idParam(search.rule) }),
  component: lazyRouteComponent(() => import('./conversation-page'), 'ConversationPage'),
})

export const historyRoutes = [historyRoute, executionRoute, conversationRoute] as const
