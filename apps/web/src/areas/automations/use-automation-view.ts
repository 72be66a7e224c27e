import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { AutomationView } from './automation-view'

const route = getRouteApi('/signed-in/accounts/$accountId/automations/$automationId')

export type ChangeView = (change: Partial<AutomationView>, how?: { readonly replace?: boolean }) => void

/** What the address says is open, and a way to say something else; a filter replaces the address, what opens is a step back. */
export function useAutomationView(): readonly [AutomationView, ChangeView] {
  const view = route.useSearch()
  const navigate = route.useNavigate()
  const change = useCallback<ChangeView>(
    (next, { replace = true } = {}) => {
      void navigate({ search: (before) => ({ ...before, ...next }), replace, resetScroll: false })
    },
    [navigate],
  )
  return [view, change]
}

export function useAutomationAddress() {
  return route.useParams()
}
