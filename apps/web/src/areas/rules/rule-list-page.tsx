import { useTranslation } from 'react-i18next'
import { Page } from '../../components/page'

export function RuleListPage() {
  const { t } = useTranslation()
  return <Page title={t('areas.rules')}>{null}</Page>
}
