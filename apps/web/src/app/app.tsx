import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { isProblem } from '../api/problem'
import { sessionQuery } from '../api/session'
import { Announcer } from '../components/announcer'
import { ConfirmProvider } from '../components/confirm'
import { theme } from '../theme/theme'
import { queryClient, router } from './router'

/** Whoever's session ended meanwhile signs in again and comes back to the same address. */
function onProblem(error: Error): void {
  if (!isProblem(error, 401)) return
  queryClient.setQueryData(sessionQuery.queryKey, null)
  void router.invalidate()
}
queryClient.getQueryCache().config.onError = onProblem
queryClient.getMutationCache().config.onError = onProblem

export function App() {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
      deduplicateCssVariables={false}
    >
      <QueryClientProvider client={queryClient}>
        <ConfirmProvider>
          <RouterProvider router={router} />
        </ConfirmProvider>
        <Notifications position="bottom-right" />
        <Announcer />
      </QueryClientProvider>
    </MantineProvider>
  )
}
