import { EMAIL_FORMATS, type EmailFormat, MAX_SUBJECT_CHARACTERS } from '@dwell/contracts/automations'
import { Button, Group, Modal, Stack, Tabs, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useLayoutEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answerOf, api } from '../../../api/client'
import { useConfirm } from '../../../components/confirm'
import { ErrorState } from '../../../components/states'
import { toastDone } from '../../../components/toast'
import { Choice } from './choice'
import type { EmailDraft } from './draft'
import { EmailPreview } from './email-preview'
import classes from './path.module.css'

interface Props {
  readonly accountId: number
  readonly email: EmailDraft
  readonly readOnly: boolean
  /** Something stands here that would be lost. */
  readonly onWriting: (writing: boolean) => void
  /** With what was written, or null where it shall stay as it was. */
  readonly onDone: (email: EmailDraft | null) => void
}

/** Writes one e-mail: words, preview for a made-up member, and a test to an address. */
export function EmailDialog({ accountId, email, readOnly, onWriting, onDone }: Props) {
  const { t } = useTranslation(['automations', 'shell'])
  const confirm = useConfirm()
  const [now, setNow] = useState(email)
  const [tab, setTab] = useState<'write' | 'preview'>('write')
  const dirty = now.subject !== email.subject || now.body !== email.body || now.format !== email.format

  useLayoutEffect(() => {
    onWriting(dirty)
    return () => onWriting(false)
  }, [dirty, onWriting])

  async function close(): Promise<void> {
    if (dirty && !readOnly) {
      const question = { title: t('email.drop.title'), text: t('email.drop.text'), confirm: t('email.drop.confirm') }
      if ((await confirm({ ...question, danger: true })) === null) return
    }
    onDone(null)
  }

  return (
    <Modal
      opened
      onClose={() => void close()}
      // Of this dialog, not of the question in front of it.
      closeOnEscape={false}
      onKeyDown={(event) => {
        if (event.key === 'Escape') void close()
      }}
      size="xl"
      title={t('email.title')}
    >
      <Stack>
        <TextInput
          label={t('email.subject')}
          value={now.subject}
          readOnly={readOnly}
          maxLength={MAX_SUBJECT_CHARACTERS}
          data-autofocus
          onChange={(event) => setNow({ ...now, subject: event.currentTarget.value })}
        />
        <Tabs value={tab} onChange={(value) => setTab(value === 'preview' ? 'preview' : 'write')} keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="write">{t('email.write')}</Tabs.Tab>
            <Tabs.Tab value="preview">{t('email.preview')}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="write" pt="sm">
            <Stack gap="sm">
              <Choice
                label={t('email.format')}
                readOnly={readOnly}
                data={EMAIL_FORMATS.map((value) => ({ value, label: t(`email.formats.${value}`) }))}
                value={now.format}
                onChange={(value) => setNow({ ...now, format: value as EmailFormat })}
              />
              <Textarea
                label={t('email.body')}
                description={t('email.variables')}
                value={now.body}
                readOnly={readOnly}
                autosize
                minRows={10}
                maxRows={22}
                classNames={{ input: classes.writing }}
                onChange={(event) => setNow({ ...now, body: event.currentTarget.value })}
              />
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="preview" pt="sm">
            <EmailPreview accountId={accountId} email={now} />
          </Tabs.Panel>
        </Tabs>
        {!readOnly && (
          <>
            <TestSend accountId={accountId} email={now} />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={() => void close()}>
                {t('shell:cancel')}
              </Button>
              <Button onClick={() => onDone(now)}>{t('email.done')}</Button>
            </Group>
          </>
        )}
      </Stack>
    </Modal>
  )
}

function TestSend({ accountId, email }: { readonly accountId: number; readonly email: EmailDraft }) {
  const { t } = useTranslation('automations')
  const [address, setAddress] = useState('')
  const send = useMutation({
    mutationFn: async () => {
      const { subject: email_subject, body: email_body, format: email_format } = email
      const params = { path: { account_id: accountId } }
      const body = { email_subject, email_body, email_format, address }
      await answerOf(api.POST('/accounts/{account_id}/automation_emails/test', { params, body }))
    },
    onSuccess: () => toastDone(t('email.testDone', { address })),
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send.mutate()
      }}
    >
      <Group align="flex-end" gap="xs">
        <TextInput
          type="email"
          required
          withAsterisk={false}
          label={t('email.testAddress')}
          placeholder="you@example.com"
          className={classes.address}
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={send.isPending}>
          {t('email.test')}
        </Button>
      </Group>
      {send.isError && <ErrorState error={send.error} title={t('email.testFailed')} />}
    </form>
  )
}
