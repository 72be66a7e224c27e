import { Alert } from '@mantine/core'
import { IconClockPause } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { accountQuery } from '../../api/accounts'
import { useRights } from '../../api/session'
import { TextLink } from '../../components/link'

/** What is configured is never hidden silently: with the feature off, delayed rules stay and this says that they rest. */
export function DelayedDisabledBanner({
  accountId,
  delayed,
}: {
  readonly accountId: number
  /** How many rules have a delay. */
  readonly delayed: number
}) {
  const { t } = useTranslation('rules')
  const { isAdmin } = useRights()
  const enabled = useDelayedEnabled(accountId)
  if (enabled !== false) return null
  return (
    <Alert
      color="orange"
      variant="light"
      mb="lg"
      icon={<IconClockPause aria-hidden />}
      title={t('disabled.banner')}
      role="status"
    >
      {delayed > 0 && t('disabled.text', { count: delayed })}{' '}
      {isAdmin ? (
        <TextLink to="/accounts/$accountId/settings" params={{ accountId }} inherit underline="always">
          {t('disabled.settings')}
        </TextLink>
      ) : (
        t('disabled.askAdmin')
      )}
    </Alert>
  )
}

/** Undefined until the account is known. */
export function useDelayedEnabled(accountId: number): boolean | undefined {
  const { data } = useQuery(accountQuery(accountId))
  return data?.features.includes('delayed_automations')
}
