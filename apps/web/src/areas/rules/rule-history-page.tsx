import { PENDING_EXECUTION_STATUSES, SKIP_REASONS } from '@dwell/contracts/pending-execution'
import { Badge, Button, NumberInput, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isProblem } from '../../api/problem'
import { ButtonLink, TextLink } from '../../components/link'
import { Page } from '../../components/page'
import { EmptyState } from '../../components/states'
import { PageNotFound } from '../../shell/fallbacks'
import { ExecutionsTable } from '../history/executions-table'
import classes from '../history/history.module.css'
import { ruleQuery } from './queries'
import { DelayChip } from './rule-table'

const route = getRouteApi('/signed-in/accounts/$accountId/rules/$ruleId/history')

/** What one rule did and did not do, and why. */
export function RuleHistoryPage() {
  const { t } = useTranslation(['rules', 'history'])
  const { accountId, ruleId } = route.useParams()
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const { data: rule, error } = useQuery(ruleQuery(accountId, ruleId))
  const filtered = Object.values(filter).some((value) => value !== undefined)
  const clear = () => void navigate({ search: {}, replace: true })
  if (isProblem(error, 404)) return <PageNotFound />
  return (
    <Page
      title={t('history.title', { name: rule?.name ?? ruleId })}
      intro={t('history.intro')}
      back={
        <TextLink to="/accounts/$accountId/rules" params={{ accountId }} size="sm">
          ← {t('history.back')}
        </TextLink>
      }
      beside={
        <>
          <DelayChip minutes={rule?.execution_delay ?? null} />
          <Badge variant="dot" color="green" tt="none">
            {t('history:live')}
          </Badge>
        </>
      }
      actions={
        <ButtonLink variant="default" to="/accounts/$accountId/rules/$ruleId" params={{ accountId, ruleId }}>
          {t('history.edit')}
        </ButtonLink>
      }
    >
      <div className={classes.filters}>
        <Select
          label={t('history:filters.status')}
          placeholder={t('history:filters.anyStatus')}
          clearable
          clearButtonProps={{ 'aria-label': t('history:clear') }}
          className={classes.state}
          data={PENDING_EXECUTION_STATUSES.map((value) => ({ value, label: t(`history:statuses.${value}`) }))}
          value={filter.status ?? null}
          onChange={(value) => {
            const status = PENDING_EXECUTION_STATUSES.find((name) => name === value)
            // Only what was skipped has a reason.
            const reason = status === undefined || status === 'skipped' ? filter.reason : undefined
            void navigate({ search: { ...filter, status, reason }, replace: true })
          }}
        />
        <Select
          label={t('history:filters.reason')}
          placeholder={t('history:filters.anyReason')}
          clearable
          clearButtonProps={{ 'aria-label': t('history:clear') }}
          className={classes.reason}
          data={SKIP_REASONS.map((value) => ({ value, label: t(`history:reasons.${value}`) }))}
          value={filter.reason ?? null}
          onChange={(value) => {
            const reason = SKIP_REASONS.find((name) => name === value)
            void navigate({
              search: { ...filter, reason, status: reason === undefined ? filter.status : 'skipped' },
              replace: true,
            })
          }}
        />
        {filtered && (
          <Button variant="subtle" onClick={clear}>
            {t('history:clear')}
          </Button>
        )}
        <WhyForm accountId={accountId} ruleId={ruleId} />
      </div>
      <ExecutionsTable
        accountId={accountId}
        filter={{ ...filter, rule: ruleId }}
        withoutRule
        empty={
          filtered ? (
            <EmptyState title={t('history:empty.filtered')} text={t('history:empty.filteredText')}>
              <Button variant="default" onClick={clear}>
                {t('history:clear')}
              </Button>
            </EmptyState>
          ) : (
            <EmptyState title={t('history.emptyTitle')} text={t('history.emptyText')} />
          )
        }
      />
    </Page>
  )
}

/** Leads to the answer for one conversation, also where the rule was never armed. */
function WhyForm({ accountId, ruleId }: { readonly accountId: number; readonly ruleId: number }) {
  const { t } = useTranslation('rules')
  const navigate = route.useNavigate()
  const [text, setText] = useState<string | number>('')
  function ask(event: FormEvent) {
    event.preventDefault()
    const conversationId = Number(text)
    if (Number.isSafeInteger(conversationId) && conversationId > 0)
      void navigate({
        to: '/accounts/$accountId/conversations/$conversationId',
        params: { accountId, conversationId },
        search: { rule: ruleId },
      })
  }
  return (
    <form onSubmit={ask} className={classes.aside}>
      <div className={classes.question}>
        <NumberInput
          label={t('history.askLabel')}
          placeholder={t('history.askHint')}
          min={1}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          value={text}
          onChange={setText}
        />
        <Button type="submit" variant="default">
          {t('history.ask')}
        </Button>
      </div>
    </form>
  )
}
