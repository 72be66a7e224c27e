import { useTranslation } from 'react-i18next'
import { Page } from '../../components/page'

export function OperationsPage() {
  const { t } = useTranslation()
  return <Page title={t('areas.operations')}>{null}</Page>
}
