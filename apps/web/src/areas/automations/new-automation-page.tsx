import './texts'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { Automation } from './automation-queries'
import { AutomationEditor } from './editor/automation-editor'

const route = getRouteApi('/signed-in/accounts/$accountId/automations/new')

/** A first draft; once it is saved it has an address of its own. */
export function NewAutomationPage() {
  const { accountId } = route.useParams()
  const navigate = route.useNavigate()
  const onCreated = useCallback(
    ({ id }: Automation) =>
      void navigate({
        to: '/accounts/$accountId/automations/$automationId',
        params: { accountId, automationId: id },
        replace: true,
      }),
    [navigate, accountId],
  )
  return <AutomationEditor accountId={accountId} automation={null} onCreated={onCreated} />
}
