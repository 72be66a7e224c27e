import { Alert, Button, Code, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { isProblem } from '../api/problem'
import classes from './states.module.css'

/** Nothing to show, and why; what can be done about it as `children`. */
export function EmptyState({
  title,
  text,
  children,
}: {
  readonly title: string
  readonly text?: ReactNode
  readonly children?: ReactNode
}) {
  return (
    <div className={classes.empty}>
      <Title order={2} size="h4">
        {title}
      </Title>
      {text !== undefined && (
        <Text c="dimmed" maw={520}>
          {text}
        </Text>
      )}
      {children !== undefined && (
        <Group justify="center" mt="sm">
          {children}
        </Group>
      )}
    </div>
  )
}

/** A request that failed: what the server said, and a way to try again. */
export function ErrorState({
  error,
  retry,
  title,
}: {
  readonly error: unknown
  readonly retry?: (() => unknown) | undefined
  readonly title?: string
}) {
  const { t } = useTranslation()
  const requestId = isProblem(error) ? error.requestId : null
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={title ?? t('error.title')}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{wordsOf(error, t('error.unknown'))}</Text>
        {requestId !== null && (
          <Text size="xs">
            {t('error.request')} <Code>{requestId}</Code>
          </Text>
        )}
        {retry !== undefined && (
          <Button size="xs" variant="default" onClick={() => void retry()}>
            {t('error.retry')}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

export function wordsOf(error: unknown, otherwise: string): string {
  return isProblem(error) && error.message !== '' ? error.message : otherwise
}

/** The shape of a list while it is loaded: as tall as what will stand there, so nothing jumps. */
export function LoadingRows({ rows = 6, height = 56 }: { readonly rows?: number; readonly height?: number }) {
  const { t } = useTranslation()
  return (
    <Stack gap="xs" role="status" aria-busy="true" aria-label={t('loading')}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have nothing else, and never change places.
        <Skeleton key={row} height={height} />
      ))}
    </Stack>
  )
}
