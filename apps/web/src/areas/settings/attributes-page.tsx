import { Button, Code, Select, Table, TagsInput, TextInput } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answerOf, api } from '../../api/client'
import { isProblem } from '../../api/problem'
import { useRights } from '../../api/session'
import { useConfirm } from '../../components/confirm'
import { rescueFocus } from '../../components/focus'
import stacked from '../../components/stacked.module.css'
import { EmptyState, ErrorState, LoadingRows } from '../../components/states'
import { toastDone, toastProblem } from '../../components/toast'
import type { SchemaCustomAttributeDefinition } from '../../generated/openapi'
import classes from './settings.module.css'
import { SettingsPage } from './settings-page'

type Definition = SchemaCustomAttributeDefinition

const TYPES = ['text', 'number', 'link', 'date', 'list', 'checkbox'] as const
const MODELS = ['conversation_attribute', 'contact_attribute'] as const

const attributesQuery = (accountId: number) =>
  queryOptions({
    queryKey: ['account', accountId, 'custom-attributes'],
    queryFn: async ({ signal }) =>
      (
        await answerOf(
          api.GET('/accounts/{account_id}/custom_attribute_definitions', {
            params: { path: { account_id: accountId }, query: { limit: 500 } },
            signal,
          }),
        )
      ).payload,
  })

/** What rules may ask about beside the usual. */
export function AttributesPage() {
  const { t } = useTranslation('settings')
  return (
    <SettingsPage section="attributes" intro={t('attributes.intro')}>
      {({ id }) => <Attributes accountId={id} />}
    </SettingsPage>
  )
}

function Attributes({ accountId }: { readonly accountId: number }) {
  const { t } = useTranslation('settings')
  const { mayChange } = useRights()
  const { data: definitions, error, refetch } = useQuery(attributesQuery(accountId))
  return (
    <>
      {mayChange && <NewAttribute accountId={accountId} />}
      {definitions === undefined ? (
        error === null ? (
          <LoadingRows rows={3} />
        ) : (
          <ErrorState error={error} title={t('attributes.failed')} retry={refetch} />
        )
      ) : definitions.length === 0 ? (
        <EmptyState title={t('attributes.empty')} text={t('attributes.emptyText')} />
      ) : (
        <section className={classes.scroller} aria-label={t('attributes.caption')}>
          <Table verticalSpacing="sm" className={stacked.stacked}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('attributes.displayName')}</Table.Th>
                <Table.Th>{t('attributes.key')}</Table.Th>
                <Table.Th>{t('attributes.model')}</Table.Th>
                <Table.Th>{t('attributes.type')}</Table.Th>
                {mayChange && (
                  <Table.Th w={110}>
                    <span className="visually-hidden">{t('attributes.delete')}</span>
                  </Table.Th>
                )}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {definitions.map((definition) => (
                <Row key={definition.id} accountId={accountId} definition={definition} mayChange={mayChange} />
              ))}
            </Table.Tbody>
          </Table>
        </section>
      )}
    </>
  )
}

function Row({
  accountId,
  definition,
  mayChange,
}: {
  readonly accountId: number
  readonly definition: Definition
  readonly mayChange: boolean
}) {
  const { t } = useTranslation('settings')
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const { id, attribute_display_name: name, attribute_values: values } = definition
  const deleting = useMutation({
    mutationFn: () =>
      answerOf(
        api.DELETE('/accounts/{account_id}/custom_attribute_definitions/{id}', {
          params: { path: { account_id: accountId, id } },
        }),
      ),
    onSuccess: () => toastDone(t('attributes.deleted')),
    onError: (error) => toastProblem(error, t('attributes.delete')),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['account', accountId] }).then(rescueFocus),
  })
  return (
    <Table.Tr>
      <Table.Td data-label={t('attributes.displayName')}>{name}</Table.Td>
      <Table.Td data-label={t('attributes.key')}>
        <Code>{definition.attribute_key}</Code>
      </Table.Td>
      <Table.Td data-label={t('attributes.model')}>{t(`attributes.${definition.attribute_model}`)}</Table.Td>
      <Table.Td data-label={t('attributes.type')}>
        {t(`attributes.types.${definition.attribute_display_type}`)}
        {values !== null && values.length > 0 ? `: ${values.join(', ')}` : ''}
      </Table.Td>
      {mayChange && (
        <Table.Td>
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            loading={deleting.isPending}
            onClick={async () => {
              const answer = await confirm({
                title: t('attributes.deleteTitle', { name }),
                text: t('attributes.deleteText'),
                confirm: t('attributes.delete'),
                danger: true,
              })
              if (answer !== null) deleting.mutate()
            }}
          >
            {t('attributes.delete')}
          </Button>
        </Table.Td>
      )}
    </Table.Tr>
  )
}

interface Draft {
  readonly attribute_key: string
  readonly attribute_display_name: string
  readonly attribute_display_type: Definition['attribute_display_type']
  readonly attribute_model: Definition['attribute_model']
  readonly attribute_values: string[]
}

const NEW: Draft = {
  attribute_key: '',
  attribute_display_name: '',
  attribute_display_type: 'text',
  attribute_model: 'conversation_attribute',
  attribute_values: [],
}

function NewAttribute({ accountId }: { readonly accountId: number }) {
  const { t } = useTranslation('settings')
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState(NEW)
  const isList = draft.attribute_display_type === 'list'
  const adding = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/accounts/{account_id}/custom_attribute_definitions', {
          params: { path: { account_id: accountId } },
          body: { ...draft, attribute_values: isList ? draft.attribute_values : null },
        }),
      ),
    onSuccess: () => {
      setDraft(NEW)
      toastDone(t('attributes.added'))
      return queryClient.invalidateQueries({ queryKey: ['account', accountId] })
    },
    onError: (error) => {
      if (!isProblem(error, 422) && !isProblem(error, 409)) toastProblem(error, t('attributes.add'))
    },
  })
  const faultAt = (field: keyof Draft) => {
    const { error } = adding
    if (isProblem(error, 409)) return field === 'attribute_key' ? error.message : undefined
    return isProblem(error, 422)
      ? error.faults.find(({ pointer }) => pointer.startsWith(`/${field}`))?.message
      : undefined
  }
  return (
    <form
      className={`${classes.card} ${classes.wide}`}
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        adding.mutate()
      }}
    >
      <div className={classes.row}>
        <TextInput
          label={t('attributes.displayName')}
          className={classes.field}
          required
          withAsterisk={false}
          value={draft.attribute_display_name}
          error={faultAt('attribute_display_name')}
          onChange={(event) => setDraft({ ...draft, attribute_display_name: event.currentTarget.value })}
        />
        <TextInput
          label={t('attributes.key')}
          placeholder={t('attributes.keyHint')}
          className={classes.field}
          required
          withAsterisk={false}
          value={draft.attribute_key}
          error={faultAt('attribute_key')}
          onChange={(event) => setDraft({ ...draft, attribute_key: event.currentTarget.value })}
        />
        <Select
          label={t('attributes.model')}
          className={classes.field}
          allowDeselect={false}
          data={MODELS.map((value) => ({ value, label: t(`attributes.${value}`) }))}
          value={draft.attribute_model}
          onChange={(value) =>
            setDraft({ ...draft, attribute_model: MODELS.find((one) => one === value) ?? draft.attribute_model })
          }
          comboboxProps={{ withinPortal: false }}
        />
        <Select
          label={t('attributes.type')}
          className={classes.field}
          allowDeselect={false}
          data={TYPES.map((value) => ({ value, label: t(`attributes.types.${value}`) }))}
          value={draft.attribute_display_type}
          onChange={(value) =>
            setDraft({
              ...draft,
              attribute_display_type: TYPES.find((one) => one === value) ?? draft.attribute_display_type,
            })
          }
          comboboxProps={{ withinPortal: false }}
        />
        {isList && (
          <TagsInput
            label={t('attributes.values')}
            placeholder={draft.attribute_values.length === 0 ? t('attributes.valuesHint') : undefined}
            className={classes.long}
            value={draft.attribute_values}
            error={faultAt('attribute_values')}
            onChange={(values) => setDraft({ ...draft, attribute_values: values })}
            comboboxProps={{ withinPortal: false }}
          />
        )}
        <Button type="submit" loading={adding.isPending}>
          {t('attributes.add')}
        </Button>
      </div>
    </form>
  )
}
