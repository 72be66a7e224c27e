import { Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { answerOf, api } from '../../../api/client'
import { ErrorState } from '../../../components/states'
import type { EmailDraft } from './draft'
import classes from './path.module.css'

/** What a made-up member would get. */
export function EmailPreview({ accountId, email }: { readonly accountId: number; readonly email: EmailDraft }) {
  const { t } = useTranslation('automations')
  const { subject: email_subject, body: email_body, format: email_format } = email
  const preview = useQuery({
    queryKey: ['account', accountId, 'preview', email_subject, email_body, email_format],
    queryFn: async ({ signal }) => {
      const params = { path: { account_id: accountId } }
      const body = { email_subject, email_body, email_format }
      const answer = answerOf(api.POST('/accounts/{account_id}/automation_emails/preview', { params, body, signal }))
      return (await answer).automation_email_previews[0]
    },
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  if (preview.isPending) return <Skeleton height={320} aria-busy role="status" aria-label={t('email.preview')} />
  if (preview.isError) return <ErrorState error={preview.error} title={t('email.previewFailed')} />
  return (
    <Stack gap="xs">
      <Text size="sm">
        <strong>{t('email.subject')}:</strong> {preview.data?.email_subject}
      </Text>
      <MailFrame html={preview.data?.email_html ?? ''} title={t('email.preview')} />
    </Stack>
  )
}

/**
 * A document of its own that may run no script. Our security policy forbids styles that stand in the text, as mails have them,
 * so they are set element by element.
 */
function MailFrame({ html, title }: { readonly html: string; readonly title: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    const page = frame.current?.contentDocument
    if (page == null) return
    const mail = new DOMParser().parseFromString(html.replaceAll(/\sstyle=/gi, ' data-style='), 'text/html')
    for (const unwanted of mail.querySelectorAll('script, style, link, meta, base')) unwanted.remove()
    const body = page.importNode(mail.body, true)
    page.documentElement.replaceChildren(body)
    for (const element of [body, ...body.querySelectorAll<HTMLElement>('[data-style]')]) {
      element.style.cssText = element.dataset.style ?? ''
      delete element.dataset.style
    }
    body.style.colorScheme = 'light'
  }, [html])
  return <iframe ref={frame} title={title} sandbox="allow-same-origin" className={classes.mail} />
}
