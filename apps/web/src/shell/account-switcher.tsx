import { Select, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { accountQuery, accountsQuery } from '../api/accounts'
import { useRights } from '../api/session'

/** With the admin token a choice of all accounts; with a token of an account its name. */
export function AccountSwitcher({ accountId }: { readonly accountId: number | null }) {
  const { isAdmin } = useRights()
  if (isAdmin) return <Switcher accountId={accountId} />
  return accountId === null ? null : <Name accountId={accountId} />
}

function Name({ accountId }: { readonly accountId: number }) {
  const { data } = useQuery(accountQuery(accountId))
  return (
    <Text size="sm" fw={500}>
      {data?.name}
    </Text>
  )
}

function Switcher({ accountId }: { readonly accountId: number | null }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { data: accounts = [] } = useQuery(accountsQuery)
  return (
    <Select
      aria-label={t('account.label')}
      placeholder={t('account.placeholder')}
      nothingFoundMessage={t('account.none')}
      data={accounts.map(({ id, name }) => ({ value: String(id), label: name }))}
      value={accountId === null ? null : String(accountId)}
      onChange={(id) => {
        if (id !== null) void navigate({ to: '/accounts/$accountId/rules', params: { accountId: Number(id) } })
      }}
      searchable
      allowDeselect={false}
      size="sm"
      miw={220}
      comboboxProps={{ withinPortal: false }}
    />
  )
}
