import { Center, Container, Loader } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../components/link'
import { Page } from '../components/page'
import { EmptyState, ErrorState } from '../components/states'

export function PageLoading() {
  const { t } = useTranslation()
  return (
    <Center h="40vh" role="status" aria-label={t('loading')}>
      <Loader aria-hidden />
    </Center>
  )
}

export function PageFailed({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation()
  return (
    <Container py="xl">
      <Page title={t('error.page')}>
        <ErrorState error={error} retry={reset} />
      </Page>
    </Container>
  )
}

export function PageNotFound() {
  const { t } = useTranslation()
  return (
    <Container py="xl">
      <Page title={t('notFound.title')}>
        <EmptyState title={t('notFound.subtitle')} text={t('notFound.text')}>
          <ButtonLink to="/">{t('notFound.home')}</ButtonLink>
        </EmptyState>
      </Page>
    </Container>
  )
}
