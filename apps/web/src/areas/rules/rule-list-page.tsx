import { Badge, Group, Tabs, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRights } from '../../api/session'
import { announce } from '../../components/announcer'
import { ButtonLink } from '../../components/link'
import { Page } from '../../components/page'
import { EmptyState, ErrorState, LoadingRows } from '../../components/states'
import { DelayedDisabledBanner, useDelayedEnabled } from './delayed-disabled-banner'
import { type Rule, rulesQuery } from './queries'
import { RECIPES } from './recipes'
import { RuleTable } from './rule-table'
import classes from './rules.module.css'
import { TABS, type Tab } from './tabs'

const route = getRouteApi('/signed-in/accounts/$accountId/rules')

export function RuleListPage() {
  const { t } = useTranslation(['rules', 'shell'])
  const { accountId } = route.useParams()
  const { tab, q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const { mayChange } = useRights()
  const { data: rules, error, refetch } = useQuery(rulesQuery(accountId))
  const enabled = useDelayedEnabled(accountId)
  const [text, setText] = useState(q)
  useEffect(() => setText(q), [q])

  const byTab = {
    instant: rules?.filter(({ execution_delay: delay }) => delay === null),
    delayed: rules?.filter(({ execution_delay: delay }) => delay !== null),
  }
  const shown: Tab = tab ?? (byTab.delayed?.length === 0 && byTab.instant?.length !== 0 ? 'instant' : 'delayed')
  const found = byTab[shown]?.filter((rule) => matches(rule, q))
  const count = found?.length

  useEffect(() => {
    if (count !== undefined && q !== '') announce(t('list.found', { count }))
  }, [count, q, t])

  return (
    <Page
      title={t('shell:areas.rules')}
      actions={
        mayChange ? (
          <ButtonLink to="/accounts/$accountId/rules/new" params={{ accountId }} search={{ tab: shown }}>
            {t('list.add')}
          </ButtonLink>
        ) : undefined
      }
    >
      <DelayedDisabledBanner accountId={accountId} delayed={byTab.delayed?.length ?? 0} />
      <Tabs
        value={shown}
        onChange={(value) =>
          void navigate({
            search: (search) => ({ ...search, tab: TABS.find((one) => one === value) }),
            replace: true,
          })
        }
        keepMounted={false}
      >
        <Group justify="space-between" align="flex-end" mb="md" gap="sm">
          <Tabs.List>
            {TABS.map((one) => (
              <Tabs.Tab
                key={one}
                value={one}
                rightSection={
                  // There from the beginning, so that nothing moves when the rules are known.
                  <Badge variant="light" color="gray" size="sm" miw={26}>
                    {byTab[one]?.length ?? '…'}
                  </Badge>
                }
              >
                {t(`list.tabs.${one}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <TextInput
            type="search"
            aria-label={t('list.search')}
            placeholder={t('list.search')}
            leftSection={<IconSearch size={16} aria-hidden />}
            className={classes.search}
            value={text}
            onChange={({ currentTarget: { value } }) => {
              setText(value)
              const next = value.trim() === '' ? undefined : value
              void navigate({ search: (search) => ({ ...search, q: next }), replace: true })
            }}
          />
        </Group>
        <Tabs.Panel value={shown}>
          {found === undefined ? (
            error === null ? (
              <LoadingRows rows={5} height={72} />
            ) : (
              <ErrorState error={error} title={t('list.failed')} retry={refetch} />
            )
          ) : found.length > 0 ? (
            <RuleTable accountId={accountId} rules={found} />
          ) : q !== '' ? (
            <EmptyState title={t('empty.found', { text: q })} />
          ) : (
            <EmptyState title={t(`empty.${shown}`)} text={t(`empty.${shown}Text`)}>
              {mayChange && (
                <ButtonLink to="/accounts/$accountId/rules/new" params={{ accountId }} search={{ tab: shown }}>
                  {t('list.add')}
                </ButtonLink>
              )}
              {mayChange && shown === 'delayed' && enabled === true && <Recipes accountId={accountId} />}
            </EmptyState>
          )}
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}

/** What people look for most, each as a rule that only wants its action. */
function Recipes({ accountId }: { readonly accountId: number }) {
  const { t } = useTranslation('rules')
  return (
    <section aria-label={t('form.recipes')} className={classes.recipes}>
      <Text size="sm" c="dimmed">
        {t('form.recipes')}:
      </Text>
      {RECIPES.map((recipe) => (
        <ButtonLink
          key={recipe}
          variant="default"
          size="xs"
          radius="xl"
          to="/accounts/$accountId/rules/new"
          params={{ accountId }}
          search={{ tab: 'delayed', recipe }}
        >
          {t(`recipes.${recipe}`)}
        </ButtonLink>
      ))}
    </section>
  )
}

/** In name or description, all words, whatever their case. */
function matches({ name, description }: Rule, text: string): boolean {
  const held = `${name} ${description ?? ''}`.toLocaleLowerCase()
  return text
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((part) => held.includes(part))
}
