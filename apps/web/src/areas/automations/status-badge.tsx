import type { AutomationStatus } from '@dwell/contracts/automations'
import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'

export function StatusBadge({ status }: { readonly status: AutomationStatus }) {
  const { t } = useTranslation('automations')
  return (
    <Badge variant="light" tt="none" color={status === 'active' ? 'green' : 'gray'}>
      {t(`status.${status}`)}
    </Badge>
  )
}
