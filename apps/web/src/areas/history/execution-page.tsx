import { Button, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { isProblem } from '../../api/problem'
import { useRights } from '../../api/session'
import { useConfirm } from '../../components/confirm'
import { TextLink } from '../../components/link'
import { Page } from '../../components/page'
import { ErrorState, LoadingRows } from '../../components/states'
import { toastDone, toastProblem } from '../../components/toast'
import { PageNotFound } from '../../shell/fallbacks'
import { useNow } from '../../time/now'
import { ExecutionDetails } from './execution-details'
import { ExecutionStatus } from './execution-status'
import classes from './history.module.css'
import { type Execution, executionQuery, replay, whyQuery } from './queries'
import { lookAgain } from './use-delivery-decision'
import { WhyView } from './why-view'
import { ruleWords } from './words'

const FROM = '/signed-in/accounts/$accountId/history/$executionId'

/** One execution with all that answers "why". */
export function ExecutionPage() {
  const { t } = useTranslation(['history', 'shell'])
  const { accountId, executionId } = useParams({ from: FROM })
  const { data: execution, error, refetch } = useQuery(executionQuery(accountId, executionId))
  if (isProblem(error, 404)) return <PageNotFound />
  return (
    <Page
      title={t('details.title', { id: executionId })}
      back={<Back accountId={accountId} execution={execution} />}
      beside={execution === undefined ? undefined : <ExecutionStatus execution={execution} />}
      actions={execution === undefined ? undefined : <ReplayButton execution={execution} />}
    >
      {execution !== undefined ? (
        <Stack gap="lg">
          <ExecutionDetails execution={execution} />
          <WhyNow execution={execution} />
        </Stack>
      ) : error !== null ? (
        <ErrorState error={error} title={t('failed')} retry={refetch} />
      ) : (
        <LoadingRows rows={3} height={140} />
      )}
    </Page>
  )
}

/** To the list that somebody came from, as it was filtered; without one to the history of the account. */
function Back({ accountId, execution }: { readonly accountId: number; readonly execution: Execution | undefined }) {
  const { t } = useTranslation('history')
  const { from, ...filter } = useSearch({ from: FROM })
  // As tall as the way back will be.
  if (from !== undefined && execution === undefined) return <Text size="sm">←</Text>
  if (from === 'rule' && execution !== undefined)
    return (
      <TextLink
        to="/accounts/$accountId/rules/$ruleId/history"
        params={{ accountId, ruleId: execution.automation_rule_id }}
        search={filter}
        size="sm"
      >
        ← {t('details.backToRule', { name: ruleWords(execution, t) })}
      </TextLink>
    )
  if (from === 'conversation' && execution !== undefined)
    return (
      <TextLink
        to="/accounts/$accountId/conversations/$conversationId"
        params={{ accountId, conversationId: execution.conversation_id }}
        size="sm"
      >
        ← {t('conversation.title', { id: execution.conversation_id })}
      </TextLink>
    )
  return (
    <TextLink to="/accounts/$accountId/history" params={{ accountId }} search={filter} size="sm">
      ← {t('details.back')}
    </TextLink>
  )
}

/** The same question as things are now, with every condition and the values it sees; not for a rule that is gone. */
function WhyNow({ execution }: { readonly execution: Execution }) {
  const { t } = useTranslation('history')
  const { account_id: accountId, automation_rule_id: ruleId, conversation_id: conversationId } = execution
  const { error } = useQuery(whyQuery(accountId, ruleId, conversationId))
  if (isProblem(error, 404)) return null
  return (
    <section className={classes.card}>
      <Title order={2} size="h5" mb="sm">
        {t('details.whyNow')}
      </Title>
      <WhyView accountId={accountId} ruleId={ruleId} conversationId={conversationId} />
    </section>
  )
}

/** A claim lives 15 minutes without a sign of its worker; then the row may be taken anew. */
const STALE_CLAIM_MS = 15 * 60_000

/** Only where it can do something: what waits and is due, or was taken by a worker that is gone. */
function ReplayButton({ execution }: { readonly execution: Execution }) {
  const { t } = useTranslation('history')
  const { mayChange } = useRights()
  const now = useNow()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const { account_id: accountId, id, status } = execution
  const running = useMutation({
    mutationFn: (note: string) => replay(accountId, id, note === '' ? {} : { note }),
    onSuccess: () => toastDone(t('details.replayDone')),
    onError: (error) => toastProblem(error, t('details.replay')),
    onSettled: () => lookAgain(queryClient, accountId),
  })
  const due = status === 'pending' && Date.parse(execution.due_at) <= now
  const left =
    status === 'processing' && execution.claimed_at !== null && now - Date.parse(execution.claimed_at) > STALE_CLAIM_MS
  if (!mayChange || !(due || left)) return null
  return (
    <Button
      loading={running.isPending}
      onClick={async () => {
        const answer = await confirm({
          title: t('details.replayTitle'),
          text: t('details.replayText'),
          confirm: t('details.replay'),
          note: { label: t('deliveries.note'), placeholder: t('deliveries.notePlaceholder') },
        })
        if (answer !== null) running.mutate(answer.note)
      }}
    >
      {t('details.replay')}
    </Button>
  )
}
