import { Alert, Anchor, Button, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isProblem } from '../api/problem'
import { sessionQuery, signIn } from '../api/session'
import { wordsOf } from '../components/states'
import { AppearanceMenu } from './appearance-menu'
import { Brand } from './brand'
import classes from './sign-in-page.module.css'

/** A token is pasted once; what stays is a cookie that no script can read. */
export function SignInPage() {
  const { t } = useTranslation()
  const { to } = useSearch({ from: '/sign-in' })
  const router = useRouter()
  const queryClient = useQueryClient()
  const [token, setToken] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const signing = useMutation({
    mutationFn: signIn,
    onSuccess: async (session) => {
      queryClient.clear()
      queryClient.setQueryData(sessionQuery.queryKey, session)
      await router.invalidate()
      await router.navigate({ href: to ?? '/', replace: true })
    },
    onError: () => input.current?.select(),
  })

  useEffect(() => {
    document.title = `${t('signIn.title')} · Dwell`
  }, [t])

  function submit(event: FormEvent) {
    event.preventDefault()
    if (token.trim() !== '') signing.mutate(token.trim())
    else input.current?.focus()
  }

  return (
    <div className={classes.page}>
      <div className={classes.corner}>
        <AppearanceMenu />
      </div>
      <main className={classes.main}>
        <Brand />
        <Paper withBorder p="xl" radius="lg" className={classes.card}>
          <form onSubmit={submit}>
            <Stack>
              <Title order={1} size="h3">
                {t('signIn.title')}
              </Title>
              <Text size="sm" c="dimmed">
                {t('signIn.intro')}
              </Text>
              <PasswordInput
                ref={input}
                label={t('signIn.token')}
                description={t('signIn.tokenHint')}
                autoComplete="off"
                spellCheck={false}
                autoFocus
                required
                withAsterisk={false}
                value={token}
                onChange={(event) => setToken(event.currentTarget.value)}
                visibilityToggleButtonProps={{ 'aria-label': t('signIn.show') }}
              />
              {signing.isError && (
                <Alert color="red" role="alert">
                  {isProblem(signing.error, 401) ? t('signIn.wrong') : wordsOf(signing.error, t('error.unknown'))}
                </Alert>
              )}
              <Button type="submit" loading={signing.isPending}>
                {t('signIn.submit')}
              </Button>
            </Stack>
          </form>
        </Paper>
        <Text size="sm">
          <Anchor href="/docs">{t('signIn.docs')}</Anchor>
        </Text>
      </main>
    </div>
  )
}
