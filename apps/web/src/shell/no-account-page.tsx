import { useTranslation } from 'react-i18next'
import { Page } from '../components/page'
import { EmptyState } from '../components/states'

/** The admin token on an installation without accounts. */
export function NoAccountPage() {
  const { t } = useTranslation()
  return (
    <Page title={t('noAccount.title')}>
      <EmptyState title={t('noAccount.subtitle')} text={t('noAccount.text')} />
    </Page>
  )
}
