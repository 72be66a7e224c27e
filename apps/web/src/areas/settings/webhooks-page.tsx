import { ActionIcon, Badge, Button, CopyButton, Text, Title } from '@mantine/core'
import { IconEye, IconEyeOff } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRights } from '../../api/session'
import { useConfirm } from '../../components/confirm'
import type { SchemaAccount } from '../../generated/openapi'
import { useAccountChange } from './account-change'
import classes from './settings.module.css'
import { isTexts, SettingsPage, settingOf } from './settings-page'

/** What signs webhooks, and which addresses are not called any more. */
export function WebhooksPage() {
  return (
    <SettingsPage section="webhooks">
      {(account) => (
        <>
          <Secrets account={account} />
          <Disabled account={account} />
        </>
      )}
    </SettingsPage>
  )
}

const SECRET_BYTES = 32

/** Standard Webhooks: `whsec_` and random bytes in base64. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
  return `whsec_${btoa(String.fromCharCode(...bytes))}`
}

function Secrets({ account }: { readonly account: SchemaAccount }) {
  const { t } = useTranslation('settings')
  const { mayChange } = useRights()
  const confirm = useConfirm()
  const { change, pending } = useAccountChange(account.id)
  const secrets = settingOf(account, 'webhook_secrets', isTexts)

  async function add() {
    const question = { title: t('webhooks.newTitle'), text: t('webhooks.newText'), confirm: t('webhooks.new') }
    if ((await confirm(question)) === null) return
    await change({ settings: { webhook_secrets: [newSecret(), ...(secrets ?? [])] } }, t('webhooks.newDone'))
  }

  async function remove(secret: string) {
    const answer = await confirm({
      title: t('webhooks.removeTitle'),
      text: t('webhooks.removeText'),
      confirm: t('webhooks.remove'),
      danger: true,
    })
    if (answer === null) return
    const rest = (secrets ?? []).filter((one) => one !== secret)
    await change({ settings: { webhook_secrets: rest } }, t('webhooks.removed'))
  }

  return (
    <section className={classes.card}>
      <div className={classes.beside}>
        <div>
          <Title order={2} size="h5">
            {t('webhooks.secrets')}
          </Title>
          <Text size="sm">{t('webhooks.secretsAbout')}</Text>
        </div>
        {mayChange && (
          <Button variant="default" className={classes.whole} loading={pending} onClick={() => void add()}>
            {t('webhooks.new')}
          </Button>
        )}
      </div>
      {mayChange ? (
        <ul className={classes.list}>
          {(secrets ?? []).map((secret, index) => (
            <Secret
              key={secret}
              secret={secret}
              number={index + 1}
              onRemove={secrets !== undefined && secrets.length > 1 ? () => void remove(secret) : undefined}
            />
          ))}
        </ul>
      ) : (
        <Text size="sm" c="dimmed">
          {t('secretsHidden')}
        </Text>
      )}
    </section>
  )
}

function Secret({
  secret,
  number,
  onRemove,
}: {
  readonly secret: string
  readonly number: number
  /** Left out for the only one. */
  readonly onRemove: (() => void) | undefined
}) {
  const { t } = useTranslation('settings')
  const [shown, setShown] = useState(false)
  const Icon = shown ? IconEyeOff : IconEye
  return (
    <li className={classes.secret}>
      <span className={classes.value}>{shown ? secret : `whsec_${'•'.repeat(12)}${secret.slice(-4)}`}</span>
      {number === 1 && (
        <Badge variant="light" tt="none">
          {t('webhooks.first')}
        </Badge>
      )}
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t(shown ? 'webhooks.hide' : 'webhooks.show', { number })}
        onClick={() => setShown(!shown)}
      >
        <Icon size={16} aria-hidden />
      </ActionIcon>
      <CopyButton value={secret}>
        {({ copied, copy }) => (
          <Button size="compact-sm" variant="subtle" onClick={copy} aria-live="polite">
            {t(copied ? 'tokens.copied' : 'tokens.copy')}
          </Button>
        )}
      </CopyButton>
      {onRemove !== undefined && (
        <Button size="compact-sm" variant="subtle" color="red" onClick={onRemove}>
          {t('webhooks.remove')}
        </Button>
      )}
    </li>
  )
}

function Disabled({ account }: { readonly account: SchemaAccount }) {
  const { t } = useTranslation('settings')
  const { mayChange } = useRights()
  const confirm = useConfirm()
  const { change } = useAccountChange(account.id)
  const addresses = settingOf(account, 'disabled_webhooks', isTexts) ?? []

  async function enable(url: string) {
    const answer = await confirm({
      title: t('webhooks.enableTitle'),
      text: t('webhooks.enableText', { url }),
      confirm: t('webhooks.enable'),
    })
    if (answer === null) return
    const rest = addresses.filter((one) => one !== url)
    await change({ settings: { disabled_webhooks: rest.length === 0 ? null : rest } }, t('webhooks.enabled'))
  }

  return (
    <section className={classes.card}>
      <Title order={2} size="h5">
        {t('webhooks.disabled')}
      </Title>
      <Text size="sm" mb="sm">
        {t('webhooks.disabledAbout')}
      </Text>
      {addresses.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('webhooks.disabledNone')}
        </Text>
      ) : (
        <ul className={classes.list}>
          {addresses.map((url) => (
            <li key={url} className={classes.secret}>
              <span className={classes.value}>{url}</span>
              {mayChange && (
                <Button size="compact-sm" variant="subtle" onClick={() => void enable(url)}>
                  {t('webhooks.enable')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
