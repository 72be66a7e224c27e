import { useTranslation } from 'react-i18next'
import { Page } from '../../components/page'

export function AutomationsPage() {
  const { t } = useTranslation()
  return <Page title={t('areas.automations')}>{null}</Page>
}
