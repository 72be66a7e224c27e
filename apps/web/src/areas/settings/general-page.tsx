import { Badge, Button, Group, NumberInput, Select, Stack, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRights } from '../../api/session'
import { useConfirm } from '../../components/confirm'
import type { SchemaAccount } from '../../generated/openapi'
import { useAccountChange } from './account-change'
import classes from './settings.module.css'
import { isNumber, isText, SettingsPage, settingOf } from './settings-page'

const DELAYED = 'delayed_automations'

/** Name, time zone, features and limits of an account. */
export function GeneralPage() {
  const { t } = useTranslation('settings')
  return (
    <SettingsPage section="general" intro={t('intro')}>
      {(account) => (
        <>
          <AccountForm account={account} />
          <Features account={account} />
          <Limits account={account} />
        </>
      )}
    </SettingsPage>
  )
}

function AccountForm({ account }: { readonly account: SchemaAccount }) {
  const { t } = useTranslation('settings')
  const { mayChange } = useRights()
  const { change, faultAt, pending } = useAccountChange(account.id)
  const stored = settingOf(account, 'timezone', isText) ?? null
  const [name, setName] = useState(account.name)
  const [timezone, setTimezone] = useState(stored)
  const unchanged = name.trim() === account.name && timezone === stored
  return (
    <form
      className={classes.card}
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        if (!unchanged) void change({ name, settings: { timezone } })
      }}
    >
      <Stack gap="sm">
        <Title order={2} size="h5">
          {t('general.ofAccount')}
        </Title>
        <TextInput
          label={t('general.name')}
          maxLength={255}
          readOnly={!mayChange}
          value={name}
          error={faultAt('/name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          label={t('general.timezone')}
          description={t('general.timezoneHint')}
          placeholder="UTC"
          searchable
          clearable={mayChange}
          clearButtonProps={{ 'aria-label': `${t('general.timezone')}: UTC` }}
          readOnly={!mayChange}
          limit={200}
          data={zones(stored)}
          value={timezone}
          error={faultAt('/settings/timezone')}
          onChange={setTimezone}
          comboboxProps={{ withinPortal: false }}
        />
        <SaveButton disabled={unchanged} pending={pending} />
      </Stack>
    </form>
  )
}

/** What the browser knows, and what is stored, which may be spelt another way. */
function zones(stored: string | null): string[] {
  const known = Intl.supportedValuesOf('timeZone')
  return stored === null || known.includes(stored) ? known : [stored, ...known]
}

export function SaveButton({ disabled, pending }: { readonly disabled: boolean; readonly pending: boolean }) {
  const { t } = useTranslation('settings')
  const { mayChange } = useRights()
  if (!mayChange)
    return (
      <Text size="sm" c="dimmed">
        {t('readOnly')}
      </Text>
    )
  return (
    <Group>
      <Button type="submit" disabled={disabled} loading={pending}>
        {t('save')}
      </Button>
    </Group>
  )
}

function Features({ account }: { readonly account: SchemaAccount }) {
  const { t } = useTranslation('settings')
  const { isAdmin } = useRights()
  const confirm = useConfirm()
  const { change, pending } = useAccountChange(account.id)
  const on = account.features.includes(DELAYED)
  const act = on ? 'turnOff' : 'turnOn'
  return (
    <section className={classes.card}>
      <Title order={2} size="h5" mb="sm">
        {t('general.features')}
      </Title>
      <div className={classes.beside}>
        <div>
          <Group gap="xs">
            <Text fw={500}>{t('general.delayed')}</Text>
            <Badge color={on ? 'green' : 'gray'} variant="light">
              {t(on ? 'general.delayedOn' : 'general.delayedOff')}
            </Badge>
          </Group>
          <Text size="sm">{t('general.delayedAbout')}</Text>
          {!isAdmin && (
            <Text size="sm" c="dimmed">
              {t('general.delayedAdmin')}
            </Text>
          )}
        </div>
        {isAdmin && (
          <Button
            variant={on ? 'default' : 'filled'}
            loading={pending}
            className={classes.whole}
            onClick={async () => {
              const answer = await confirm({
                title: t(`general.${act}Title`),
                text: t(`general.${act}Text`),
                confirm: t(`general.${act}`),
                danger: on,
              })
              if (answer === null) return
              const features = account.features.filter((name) => name !== DELAYED)
              await change(
                { features: (on ? features : [...features, DELAYED]) as (typeof DELAYED)[] },
                t(on ? 'general.turnedOff' : 'general.turnedOn'),
              )
            }}
          >
            {t(`general.${act}`)}
          </Button>
        )}
      </div>
    </section>
  )
}

const MESSAGES = 'max_messages_per_conversation_per_minute'
const MAILS = 'max_mails_per_account_per_day'
const MOST_MESSAGES = 10_000
const MOST_MAILS = 10_000_000

function Limits({ account }: { readonly account: SchemaAccount }) {
  const { t } = useTranslation('settings')
  const { mayChange } = useRights()
  const { change, faultAt, pending } = useAccountChange(account.id)
  const stored = {
    messages: settingOf(account, MESSAGES, isNumber) ?? '',
    mails: settingOf(account, MAILS, isNumber) ?? '',
  }
  const [messages, setMessages] = useState<string | number>(stored.messages)
  const [mails, setMails] = useState<string | number>(stored.mails)
  const unchanged = messages === stored.messages && mails === stored.mails
  const value = (text: string | number) => (text === '' ? null : Number(text))
  const faultOf = (text: string | number, max: number) =>
    text === '' || (Number(text) >= 1 && Number(text) <= max)
      ? undefined
      : t('general.range', { max: max.toLocaleString() })
  const faults = { messages: faultOf(messages, MOST_MESSAGES), mails: faultOf(mails, MOST_MAILS) }
  const wrong = faults.messages !== undefined || faults.mails !== undefined
  const field = { allowDecimal: false, allowNegative: false, thousandSeparator: ',', readOnly: !mayChange, maw: 320 }
  return (
    <form
      className={classes.card}
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        if (!unchanged && !wrong) void change({ settings: { [MESSAGES]: value(messages), [MAILS]: value(mails) } })
      }}
    >
      <Stack gap="sm">
        <div>
          <Title order={2} size="h5">
            {t('general.limits')}
          </Title>
          <Text size="sm">{t('general.limitsAbout')}</Text>
        </div>
        <NumberInput
          {...field}
          label={t('general.maxMessages')}
          value={messages}
          error={faults.messages ?? faultAt(`/settings/${MESSAGES}`)}
          onChange={setMessages}
        />
        <NumberInput
          {...field}
          label={t('general.maxMails')}
          description={t('general.maxMailsHint')}
          value={mails}
          error={faults.mails ?? faultAt(`/settings/${MAILS}`)}
          onChange={setMails}
        />
        <SaveButton disabled={unchanged || wrong} pending={pending} />
      </Stack>
    </form>
  )
}
