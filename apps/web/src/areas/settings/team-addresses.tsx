import { ActionIcon, Button, Group, Stack, TagsInput, Text, TextInput, Title } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRights } from '../../api/session'
import type { SchemaAccount } from '../../generated/openapi'
import { useAccountChange } from './account-change'
import { SaveButton } from './general-page'
import classes from './settings.module.css'
import { isTexts } from './settings-page'

interface Team {
  /** Only for the list on the screen. */
  readonly key: number
  readonly team: string
  readonly addresses: string[]
}

/** Addresses by team, for the action that e-mails one. */
export function TeamAddresses({ account }: { readonly account: SchemaAccount }) {
  const { t } = useTranslation('settings')
  const { mayChange } = useRights()
  const { change, faultAt, pending } = useAccountChange(account.id)
  const stored = teamsIn(account.settings.team_emails)
  const [teams, setTeams] = useState(stored)
  const unchanged = JSON.stringify(bodyOf(teams)) === JSON.stringify(bodyOf(stored))
  const put = (key: number, next: Partial<Team>) =>
    setTeams(teams.map((team) => (team.key === key ? { ...team, ...next } : team)))
  return (
    <form
      className={classes.card}
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        const body = bodyOf(teams)
        if (!unchanged) void change({ settings: { team_emails: Object.keys(body).length === 0 ? null : body } })
      }}
    >
      <Stack gap="sm">
        <div>
          <Title order={2} size="h5">
            {t('mail.teams')}
          </Title>
          <Text size="sm">{t('mail.teamsAbout')}</Text>
        </div>
        {teams.map(({ key, team, addresses }) => (
          <Group key={key} align="flex-end" wrap="nowrap" gap="xs">
            <TextInput
              label={t('mail.team')}
              placeholder={t('mail.teamHint')}
              inputMode="numeric"
              w={110}
              readOnly={!mayChange}
              value={team}
              error={faultAt(`/settings/team_emails/${team}`) !== undefined && addresses.length === 0}
              onChange={(event) => put(key, { team: event.currentTarget.value })}
            />
            <TagsInput
              label={t('mail.addresses')}
              placeholder={addresses.length === 0 ? t('mail.addressesHint') : undefined}
              splitChars={[',', ' ', ';']}
              flex={1}
              readOnly={!mayChange}
              value={addresses}
              error={faultAt(`/settings/team_emails/${team}`)}
              onChange={(list) => put(key, { addresses: list })}
              comboboxProps={{ withinPortal: false }}
            />
            {mayChange && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={t('mail.removeTeam', { team })}
                onClick={() => setTeams(teams.filter((one) => one.key !== key))}
              >
                <IconTrash size={18} aria-hidden />
              </ActionIcon>
            )}
          </Group>
        ))}
        {mayChange && (
          <Group>
            <Button
              variant="default"
              size="xs"
              onClick={() => setTeams([...teams, { key: nextKey(teams), team: '', addresses: [] }])}
            >
              {t('mail.addTeam')}
            </Button>
          </Group>
        )}
        <SaveButton disabled={unchanged} pending={pending} />
      </Stack>
    </form>
  )
}

function nextKey(teams: readonly Team[]): number {
  return teams.reduce((most, { key }) => Math.max(most, key), 0) + 1
}

function teamsIn(stored: unknown): Team[] {
  if (typeof stored !== 'object' || stored === null) return []
  return Object.entries(stored).map(([team, addresses], index) => ({
    key: index + 1,
    team,
    addresses: isTexts(addresses) ? addresses : [],
  }))
}

function bodyOf(teams: readonly Team[]): Record<string, string[]> {
  return Object.fromEntries(
    teams.filter(({ team }) => team.trim() !== '').map(({ team, addresses }) => [team.trim(), addresses]),
  )
}
