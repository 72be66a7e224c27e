import { PENDING_EXECUTION_STATUSES, SKIP_REASONS } from '@dwell/contracts/pending-execution'
import { Button, NumberInput, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../../components/link'
import classes from './history.module.css'
import { type ExecutionFilter, ruleNamesQuery } from './queries'

interface Props {
  readonly accountId: number
  readonly filter: ExecutionFilter
  readonly onChange: (filter: ExecutionFilter) => void
}

/** What of the history is shown; all of it stands in the address. */
export function HistoryFilters({ accountId, filter, onChange }: Props) {
  const { t } = useTranslation('history')
  const { data: rules = [] } = useQuery(ruleNamesQuery(accountId))
  const { status, reason, rule, conversation } = filter
  const filtered = [status, reason, rule, conversation].some((value) => value !== undefined)
  return (
    <section aria-label={t('filters.label')}>
      <div className={classes.filters}>
        <Select
          label={t('filters.status')}
          placeholder={t('filters.anyStatus')}
          clearable
          clearButtonProps={{ 'aria-label': t('clear') }}
          className={classes.state}
          data={PENDING_EXECUTION_STATUSES.map((value) => ({ value, label: t(`statuses.${value}`) }))}
          value={status ?? null}
          onChange={(value) =>
            onChange({
              ...filter,
              status: PENDING_EXECUTION_STATUSES.find((name) => name === value),
              // Only what was skipped has a reason.
              reason: value === null || value === 'skipped' ? reason : undefined,
            })
          }
          comboboxProps={{ withinPortal: false }}
        />
        <Select
          label={t('filters.reason')}
          placeholder={t('filters.anyReason')}
          clearable
          clearButtonProps={{ 'aria-label': t('clear') }}
          className={classes.reason}
          data={SKIP_REASONS.map((value) => ({ value, label: t(`reasons.${value}`) }))}
          value={reason ?? null}
          onChange={(value) => {
            const chosen = SKIP_REASONS.find((name) => name === value)
            onChange({ ...filter, reason: chosen, status: chosen === undefined ? status : 'skipped' })
          }}
          comboboxProps={{ withinPortal: false }}
        />
        <Select
          label={t('filters.rule')}
          placeholder={t('filters.anyRule')}
          clearable
          searchable
          clearButtonProps={{ 'aria-label': t('clear') }}
          className={classes.ofRule}
          data={rules.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={rule === undefined ? null : String(rule)}
          onChange={(value) => onChange({ ...filter, rule: value === null ? undefined : Number(value) })}
          comboboxProps={{ withinPortal: false }}
        />
        <ConversationField value={conversation} onChange={(value) => onChange({ ...filter, conversation: value })} />
        {conversation !== undefined && (
          <ButtonLink
            variant="light"
            to="/accounts/$accountId/conversations/$conversationId"
            params={{ accountId, conversationId: conversation }}
          >
            {t('filters.open', { id: conversation })}
          </ButtonLink>
        )}
        {filtered && (
          <Button variant="subtle" onClick={() => onChange({})}>
            {t('clear')}
          </Button>
        )}
      </div>
    </section>
  )
}

/** Asked for when it is written, not with every digit. */
function ConversationField({
  value,
  onChange,
}: {
  readonly value: number | undefined
  readonly onChange: (value: number | undefined) => void
}) {
  const { t } = useTranslation('history')
  const [text, setText] = useState<string | number>(value ?? '')
  useEffect(() => setText(value ?? ''), [value])
  const take = (event?: FormEvent) => {
    event?.preventDefault()
    const id = Number(text)
    const next = Number.isSafeInteger(id) && id > 0 ? id : undefined
    if (next !== value) onChange(next)
  }
  return (
    <form onSubmit={take} className={classes.ofConversation}>
      <NumberInput
        label={t('filters.conversation')}
        placeholder={t('filters.conversationHint')}
        min={1}
        allowDecimal={false}
        allowNegative={false}
        hideControls
        value={text}
        onChange={setText}
        onBlur={() => take()}
      />
    </form>
  )
}
