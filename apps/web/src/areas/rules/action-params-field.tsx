import type { Action } from '@dwell/contracts/rule'
import { Code, Group, Select, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { fitsField, numberOrText, objectIn, paramsField } from './action-params'
import { AttributeParam } from './attribute-param'
import classes from './rules.module.css'
import { type Definition, PRIORITIES, STATUSES } from './vocabulary'
import { word } from './words'

export interface ParamsProps {
  readonly params: readonly unknown[]
  readonly error: string | undefined
  readonly readOnly: boolean
  readonly onChange: (params: readonly unknown[]) => void
}

interface Props extends ParamsProps {
  readonly action: Action
  readonly definitions: readonly Definition[]
}

/** Shown in texts as an example; braces would be read by the catalogue. */
const EXAMPLE = '{{contact.name}}'
const EXAMPLE_ADDRESS = '{{contact.email}}'

/** The field for what an action needs to know; nothing where it needs nothing. */
export function ActionParamsField({ action, definitions, ...props }: Props) {
  const { t } = useTranslation('rules')
  const { params, error, readOnly, onChange } = props
  const field = paramsField(action.action_name)
  const text = params[0] === undefined ? '' : String(params[0])
  const oneText = (value: string) => onChange(value === '' ? [] : [value])
  const oneNumber = (value: string) => onChange(value === '' ? [] : [numberOrText(value)])
  const same = { error, readOnly }

  if (action.action_name === '') return <span />
  if (field === undefined || !fitsField(field, params))
    return (
      <Stack gap={2}>
        <Text size="sm">{t('params.kept')}</Text>
        <Code block className={classes.kept}>
          {JSON.stringify(params)}
        </Code>
        {error !== undefined && (
          <Text size="xs" c="var(--mantine-color-error)">
            {error}
          </Text>
        )}
      </Stack>
    )
  switch (field) {
    case 'none':
      return <span />
    case 'message':
      return (
        <Textarea
          {...same}
          aria-label={t('params.message')}
          description={t('params.liquid', { example: EXAMPLE })}
          inputWrapperOrder={['input', 'description', 'error']}
          autosize
          minRows={2}
          value={text}
          onChange={(event) => oneText(event.currentTarget.value)}
        />
      )
    case 'labels':
    case 'files':
      return (
        <TagsInput
          {...same}
          aria-label={t(`params.${field}`)}
          placeholder={params.length === 0 ? t('params.typeEnter') : undefined}
          splitChars={field === 'labels' ? [] : [',']}
          value={params.map(String)}
          onChange={(values) => onChange(field === 'labels' ? values : values.map(numberOrText))}
        />
      )
    case 'agent':
      return <AgentParam {...props} />
    case 'team':
      return (
        <TextInput
          {...same}
          aria-label={t('params.team')}
          placeholder={t('params.team')}
          description={t('params.teamHint')}
          inputWrapperOrder={['input', 'description', 'error']}
          inputMode="numeric"
          value={params[0] === 'nil' || params[0] === 0 ? '' : text}
          onChange={(event) => oneNumber(event.currentTarget.value)}
        />
      )
    case 'status':
    case 'priority':
      return (
        <Select
          {...same}
          aria-label={t(`params.${field}`)}
          placeholder={t(`params.${field}`)}
          data={(field === 'status' ? STATUSES : [...PRIORITIES, 'nil']).map((value) => ({
            value,
            label: capital(word(t, 'values', value) ?? value),
          }))}
          value={text === '' ? null : text}
          allowDeselect={false}
          onChange={(value) => onChange(value === null ? [] : [value])}
        />
      )
    case 'duration':
      return (
        <TextInput
          {...same}
          aria-label={t('params.duration')}
          placeholder={t('params.duration')}
          description={t('params.durationHint')}
          inputWrapperOrder={['input', 'description', 'error']}
          inputMode="numeric"
          value={String(objectIn(params).duration_minutes ?? '')}
          onChange={({ currentTarget: { value } }) =>
            onChange(value === '' ? [] : [{ duration_minutes: numberOrText(value) }])
          }
        />
      )
    case 'policy':
      return (
        <TextInput
          {...same}
          aria-label={t('params.policy')}
          placeholder={t('params.policy')}
          inputMode="numeric"
          value={text}
          onChange={(event) => oneNumber(event.currentTarget.value)}
        />
      )
    case 'teams':
      return <TeamsParam {...props} />
    case 'emails':
      return (
        <TextInput
          {...same}
          aria-label={t('params.emails')}
          placeholder="a@example.com, b@example.com"
          description={t('params.emailsHint', { example: EXAMPLE_ADDRESS })}
          inputWrapperOrder={['input', 'description', 'error']}
          value={text}
          onChange={(event) => oneText(event.currentTarget.value)}
        />
      )
    case 'url':
      return (
        <TextInput
          {...same}
          aria-label={t('params.url')}
          type="url"
          placeholder="https://"
          value={text}
          onChange={(event) => oneText(event.currentTarget.value)}
        />
      )
    case 'attribute':
      return <AttributeParam {...props} definitions={definitions} />
  }
}

const WHO = ['number', 'last_responding_agent', 'nil'] as const

function AgentParam({ params, error, readOnly, onChange }: ParamsProps) {
  const { t } = useTranslation('rules')
  const [first] = params
  const who = first === 'nil' || first === 'last_responding_agent' ? first : 'number'
  const names = {
    number: t('params.agentNumber'),
    last_responding_agent: t('params.agentLast'),
    nil: t('params.agentNobody'),
  }
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Select
        aria-label={t('params.agentWho')}
        data={WHO.map((value) => ({ value, label: names[value] }))}
        value={who}
        error={who === 'number' ? undefined : error}
        readOnly={readOnly}
        allowDeselect={false}
        onChange={(value) => onChange(value === 'number' || value === null ? [] : [value])}
      />
      {who === 'number' && (
        <TextInput
          aria-label={t('params.agent')}
          placeholder={t('params.agent')}
          inputMode="numeric"
          value={first === undefined ? '' : String(first)}
          error={error}
          readOnly={readOnly}
          onChange={({ currentTarget: { value } }) => onChange(value === '' ? [] : [numberOrText(value)])}
        />
      )}
    </Group>
  )
}

function TeamsParam({ params, error, readOnly, onChange }: ParamsProps) {
  const { t } = useTranslation('rules')
  const { team_ids: teams, message } = objectIn(params)
  const ids = Array.isArray(teams) ? teams.map(String) : []
  const text = typeof message === 'string' ? message : ''
  const set = (nextIds: readonly string[], nextText: string) =>
    onChange([{ team_ids: nextIds.map(numberOrText), message: nextText }])
  return (
    <Stack gap="xs">
      <TagsInput
        aria-label={t('params.teams')}
        placeholder={ids.length === 0 ? t('params.teams') : undefined}
        splitChars={[',', ' ']}
        value={ids}
        readOnly={readOnly}
        onChange={(next) => set(next, text)}
      />
      <Textarea
        aria-label={t('params.message')}
        placeholder={t('params.message')}
        description={t('params.teamsHint', { liquid: t('params.liquid', { example: EXAMPLE }) })}
        inputWrapperOrder={['input', 'description', 'error']}
        autosize
        minRows={2}
        value={text}
        error={error}
        readOnly={readOnly}
        onChange={(event) => set(ids, event.currentTarget.value)}
      />
    </Stack>
  )
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
