import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router'

export const rootRoute = createRootRouteWithContext<{ readonly queryClient: QueryClient }>()({ component: Outlet })
