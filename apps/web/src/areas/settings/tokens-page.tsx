import { Alert, Badge, Button, Code, CopyButton, Group, Select, Stack, Table, TextInput } from '@mantine/core'
import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answerOf, api } from '../../api/client'
import { isProblem } from '../../api/problem'
import { useRights } from '../../api/session'
import { useConfirm } from '../../components/confirm'
import { rescueFocus } from '../../components/focus'
import stacked from '../../components/stacked.module.css'
import { EmptyState, ErrorState, LoadingRows } from '../../components/states'
import { toastDone, toastProblem } from '../../components/toast'
import { When } from '../../components/when'
import type { SchemaCreatedToken, SchemaToken } from '../../generated/openapi'
import { LoadMore } from '../operations/load-more'
import classes from './settings.module.css'
import { SettingsPage } from './settings-page'

const tokensQuery = (accountId: number) =>
  infiniteQueryOptions({
    queryKey: ['tokens', accountId],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/accounts/{account_id}/tokens', {
          params: { path: { account_id: accountId }, query: { limit: 100, cursor: pageParam } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.meta.next_cursor ?? undefined,
  })

/** Who may work in this account. */
export function TokensPage() {
  const { t } = useTranslation('settings')
  return (
    <SettingsPage section="tokens" intro={t('tokens.intro')}>
      {({ id }) => <Tokens accountId={id} />}
    </SettingsPage>
  )
}

function Tokens({ accountId }: { readonly accountId: number }) {
  const { t } = useTranslation('settings')
  const { mayChange } = useRights()
  const query = useInfiniteQuery(tokensQuery(accountId))
  const tokens = query.data?.pages.flatMap(({ payload }) => payload)
  const [created, setCreated] = useState<SchemaCreatedToken | null>(null)
  return (
    <>
      {mayChange && <NewToken accountId={accountId} onCreated={setCreated} />}
      {created !== null && <Shown created={created} onDone={() => setCreated(null)} />}
      {tokens === undefined ? (
        query.isError ? (
          <ErrorState error={query.error} title={t('tokens.failed')} retry={query.refetch} />
        ) : (
          <LoadingRows rows={3} />
        )
      ) : tokens.length === 0 ? (
        <EmptyState title={t('tokens.empty')} text={t('tokens.emptyText')} />
      ) : (
        <section className={classes.scroller} aria-label={t('tokens.caption')}>
          <Table verticalSpacing="sm" className={stacked.stacked}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('tokens.name')}</Table.Th>
                <Table.Th w={180}>{t('tokens.role')}</Table.Th>
                <Table.Th w={260}>{t('tokens.created')}</Table.Th>
                {mayChange && (
                  <Table.Th w={120}>
                    <span className="visually-hidden">{t('tokens.revoke')}</span>
                  </Table.Th>
                )}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {tokens.map((token) => (
                <TokenRow key={token.id} accountId={accountId} token={token} mayChange={mayChange} />
              ))}
            </Table.Tbody>
          </Table>
        </section>
      )}
      <LoadMore query={query} />
    </>
  )
}

function NewToken({
  accountId,
  onCreated,
}: {
  readonly accountId: number
  readonly onCreated: (created: SchemaCreatedToken) => void
}) {
  const { t } = useTranslation('settings')
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const [role, setRole] = useState<SchemaToken['role']>('agent')
  const creating = useMutation({
    mutationFn: async () =>
      (
        await answerOf(
          api.POST('/accounts/{account_id}/tokens', {
            params: { path: { account_id: accountId } },
            body: { name, role },
          }),
        )
      ).payload,
    onSuccess: (created) => {
      setName('')
      onCreated(created)
      return queryClient.invalidateQueries({ queryKey: tokensQuery(accountId).queryKey })
    },
    onError: (error) => {
      if (!isProblem(error, 422)) toastProblem(error, t('tokens.add'))
    },
  })
  const fault = isProblem(creating.error, 422) ? creating.error.faults[0]?.message : undefined
  return (
    <form
      className={`${classes.card} ${classes.wide}`}
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        creating.mutate()
      }}
    >
      <div className={classes.row}>
        <TextInput
          label={t('tokens.name')}
          placeholder={t('tokens.nameHint')}
          className={classes.field}
          maxLength={255}
          required
          withAsterisk={false}
          value={name}
          error={fault}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          label={t('tokens.role')}
          className={classes.long}
          allowDeselect={false}
          data={(['agent', 'administrator'] as const).map((value) => ({ value, label: t(`tokens.roles.${value}`) }))}
          value={role}
          onChange={(value) => setRole(value === 'administrator' ? value : 'agent')}
          comboboxProps={{ withinPortal: false }}
        />
        <Button type="submit" loading={creating.isPending}>
          {t('tokens.add')}
        </Button>
      </div>
    </form>
  )
}

/** The only time that the token itself is on the screen. */
function Shown({ created, onDone }: { readonly created: SchemaCreatedToken; readonly onDone: () => void }) {
  const { t } = useTranslation('settings')
  const box = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new token is to be seen.
  useEffect(() => box.current?.focus(), [created.id])
  return (
    <Alert ref={box} tabIndex={-1} color="green" variant="light" title={t('tokens.once')}>
      <Stack gap="sm">
        <Code fz="sm" aria-label={t('tokens.value')}>
          {created.token}
        </Code>
        <Group gap="xs">
          <CopyButton value={created.token}>
            {({ copied, copy }) => (
              <Button size="xs" onClick={copy} aria-live="polite">
                {t(copied ? 'tokens.copied' : 'tokens.copy')}
              </Button>
            )}
          </CopyButton>
          <Button size="xs" variant="default" onClick={onDone}>
            {t('tokens.done')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}

function TokenRow({
  accountId,
  token,
  mayChange,
}: {
  readonly accountId: number
  readonly token: SchemaToken
  readonly mayChange: boolean
}) {
  const { t } = useTranslation('settings')
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const { id, name, role } = token
  const revoking = useMutation({
    mutationFn: () =>
      answerOf(api.DELETE('/accounts/{account_id}/tokens/{id}', { params: { path: { account_id: accountId, id } } })),
    onSuccess: () => toastDone(t('tokens.revoked')),
    onError: (error) => toastProblem(error, t('tokens.revoke')),
    onSettled: () => queryClient.invalidateQueries({ queryKey: tokensQuery(accountId).queryKey }).then(rescueFocus),
  })
  return (
    <Table.Tr>
      <Table.Td data-label={t('tokens.name')}>{name}</Table.Td>
      <Table.Td data-label={t('tokens.role')}>
        <Badge variant="light" color={role === 'administrator' ? 'indigo' : 'gray'} tt="none">
          {t(`tokens.rolesShort.${role}`)}
        </Badge>
      </Table.Td>
      <Table.Td data-label={t('tokens.created')}>
        <When at={token.created_at} as="both" />
      </Table.Td>
      {mayChange && (
        <Table.Td>
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            loading={revoking.isPending}
            onClick={async () => {
              const answer = await confirm({
                title: t('tokens.revokeTitle', { name }),
                text: t('tokens.revokeText'),
                confirm: t('tokens.revoke'),
                danger: true,
              })
              if (answer !== null) revoking.mutate()
            }}
          >
            {t('tokens.revoke')}
          </Button>
        </Table.Td>
      )}
    </Table.Tr>
  )
}
