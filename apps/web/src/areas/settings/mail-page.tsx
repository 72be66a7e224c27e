import { Select, Stack, TagsInput, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRights } from '../../api/session'
import type { SchemaAccount } from '../../generated/openapi'
import { type SettingsChange, useAccountChange } from './account-change'
import { SaveButton } from './general-page'
import classes from './settings.module.css'
import { isBoolean, isText, isTexts, SettingsPage, settingOf } from './settings-page'
import { TeamAddresses } from './team-addresses'

/** Who e-mails come from, what is tracked, who may report, and where teams are reached. */
export function MailPage() {
  return (
    <SettingsPage section="mail">
      {(account) => (
        <>
          <Sender account={account} />
          <Providers account={account} />
          <TeamAddresses account={account} />
        </>
      )}
    </SettingsPage>
  )
}

const CHOICES = ['default', 'yes', 'no'] as const
type Choice = (typeof CHOICES)[number]

const choiceOf = (stored: boolean | undefined): Choice => (stored === undefined ? 'default' : stored ? 'yes' : 'no')
const storedOf = (choice: Choice): boolean | null => (choice === 'default' ? null : choice === 'yes')

function Sender({ account }: { readonly account: SchemaAccount }) {
  const { t } = useTranslation('settings')
  const { mayChange } = useRights()
  const { change, faultAt, pending } = useAccountChange(account.id)
  const stored = {
    from: settingOf(account, 'mail_from', isText) ?? '',
    replyTo: settingOf(account, 'mail_reply_to', isText) ?? '',
    opens: choiceOf(settingOf(account, 'track_opens', isBoolean)),
    clicks: choiceOf(settingOf(account, 'track_clicks', isBoolean)),
  }
  const [form, setForm] = useState(stored)
  const unchanged = JSON.stringify(form) === JSON.stringify(stored)
  const choices = (yes: 'mail.openYes' | 'mail.clicksYes') => [
    { value: 'default', label: t('mail.default') },
    { value: 'yes', label: t(yes) },
    { value: 'no', label: t('mail.no') },
  ]
  const chosen = (value: string | null) => CHOICES.find((choice) => choice === value) ?? 'default'
  return (
    <form
      className={classes.card}
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        if (unchanged) return
        const settings: SettingsChange = {
          mail_from: form.from.trim() === '' ? null : form.from.trim(),
          mail_reply_to: form.replyTo.trim() === '' ? null : form.replyTo.trim(),
          track_opens: storedOf(form.opens),
          track_clicks: storedOf(form.clicks),
        }
        void change({ settings })
      }}
    >
      <Stack gap="sm">
        <Title order={2} size="h5">
          {t('mail.sender')}
        </Title>
        <TextInput
          label={t('mail.from')}
          description={t('mail.fromHint')}
          placeholder="Acme <hello@acme.example>"
          readOnly={!mayChange}
          value={form.from}
          error={faultAt('/settings/mail_from')}
          onChange={(event) => setForm({ ...form, from: event.currentTarget.value })}
        />
        <TextInput
          label={t('mail.replyTo')}
          placeholder="support@acme.example"
          readOnly={!mayChange}
          value={form.replyTo}
          error={faultAt('/settings/mail_reply_to')}
          onChange={(event) => setForm({ ...form, replyTo: event.currentTarget.value })}
        />
        <Select
          label={t('mail.opens')}
          data={choices('mail.openYes')}
          allowDeselect={false}
          readOnly={!mayChange}
          value={form.opens}
          onChange={(value) => setForm({ ...form, opens: chosen(value) })}
          comboboxProps={{ withinPortal: false }}
        />
        <Select
          label={t('mail.clicks')}
          data={choices('mail.clicksYes')}
          allowDeselect={false}
          readOnly={!mayChange}
          value={form.clicks}
          onChange={(value) => setForm({ ...form, clicks: chosen(value) })}
          comboboxProps={{ withinPortal: false }}
        />
        <SaveButton disabled={unchanged} pending={pending} />
      </Stack>
    </form>
  )
}

const PROVIDERS = ['standard', 'mailgun', 'sendgrid'] as const
type Secrets = Readonly<Record<(typeof PROVIDERS)[number], string[]>>

function Providers({ account }: { readonly account: SchemaAccount }) {
  const { t } = useTranslation('settings')
  const { mayChange } = useRights()
  const { change, faultAt, pending } = useAccountChange(account.id)
  const stored = secretsIn(account.settings.mail_webhook_secrets)
  const [secrets, setSecrets] = useState(stored)
  const unchanged = JSON.stringify(secrets) === JSON.stringify(stored)
  return (
    <form
      className={classes.card}
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        if (unchanged) return
        const given = Object.fromEntries(Object.entries(secrets).filter(([, list]) => list.length > 0))
        void change({ settings: { mail_webhook_secrets: Object.keys(given).length === 0 ? null : given } })
      }}
    >
      <Stack gap="sm">
        <div>
          <Title order={2} size="h5">
            {t('mail.providers')}
          </Title>
          <Text size="sm">{t('mail.providersAbout')}</Text>
        </div>
        {mayChange ? (
          <>
            {PROVIDERS.map((provider) => (
              <TagsInput
                key={provider}
                label={t(`mail.${provider}`)}
                placeholder={secrets[provider].length === 0 ? t('mail.secretHint') : undefined}
                splitChars={[' ']}
                value={secrets[provider]}
                error={faultAt(`/settings/mail_webhook_secrets/${provider}`)}
                onChange={(list) => setSecrets({ ...secrets, [provider]: list })}
                comboboxProps={{ withinPortal: false }}
              />
            ))}
            <SaveButton disabled={unchanged} pending={pending} />
          </>
        ) : (
          <Text size="sm" c="dimmed">
            {t('secretsHidden')}
          </Text>
        )}
      </Stack>
    </form>
  )
}

function secretsIn(stored: unknown): Secrets {
  const known = (typeof stored === 'object' && stored !== null ? stored : {}) as Readonly<Record<string, unknown>>
  const list = (name: string) => (isTexts(known[name]) ? known[name] : [])
  return { standard: list('standard'), mailgun: list('mailgun'), sendgrid: list('sendgrid') }
}
