import { Badge, Group, Select, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { isProblem } from '../../api/problem'
import { TextLink } from '../../components/link'
import { Page } from '../../components/page'
import { EmptyState, ErrorState, LoadingRows } from '../../components/states'
import { When } from '../../components/when'
import type { SchemaConversation } from '../../generated/openapi'
import { ExecutionStatus } from './execution-status'
import { ExecutionsTable } from './executions-table'
import { Facts } from './facts'
import classes from './history.module.css'
import { conversationQuery, ruleNamesQuery } from './queries'
import { WhyView } from './why-view'
import { ruleWords, valueWords } from './words'

const FROM = '/signed-in/accounts/$accountId/conversations/$conversationId'

/** What is known of a conversation, what waits on it, and why a rule did not fire here. */
export function ConversationPage() {
  const { t } = useTranslation('history')
  const { accountId, conversationId } = useParams({ from: FROM })
  const { data: conversation, error, refetch } = useQuery(conversationQuery(accountId, conversationId))
  return (
    <Page
      title={t('conversation.title', { id: conversationId })}
      back={
        <TextLink to="/accounts/$accountId/history" params={{ accountId }} size="sm">
          ← {t('details.back')}
        </TextLink>
      }
      beside={
        conversation?.deleted_at == null ? undefined : (
          <Badge color="red" variant="light">
            {t('conversation.deleted')}
          </Badge>
        )
      }
    >
      <Stack gap="xl">
        {conversation !== undefined ? (
          <div className={classes.conversation}>
            <Known conversation={conversation} />
            <Stack gap="lg">
              <Armed conversation={conversation} />
              <WhyHere accountId={accountId} conversationId={conversationId} />
            </Stack>
          </div>
        ) : error === null ? (
          <LoadingRows rows={1} height={320} />
        ) : isProblem(error, 404) ? (
          <EmptyState
            title={t('conversation.notFound')}
            text={t('conversation.notFoundText', { id: conversationId })}
          />
        ) : (
          <ErrorState error={error} title={t('failed')} retry={refetch} />
        )}
        {conversation === undefined && error !== null && (
          <WhyHere accountId={accountId} conversationId={conversationId} />
        )}
        <section>
          <Title order={2} size="h4" mb="sm">
            {t('conversation.executions')}
          </Title>
          <ExecutionsTable
            accountId={accountId}
            filter={{ conversation: conversationId }}
            withoutConversation
            empty={<EmptyState title={t('conversation.emptyTitle')} text={t('conversation.emptyText')} />}
          />
        </section>
      </Stack>
    </Page>
  )
}

function Known({ conversation }: { readonly conversation: SchemaConversation }) {
  const { t } = useTranslation(['history', 'shell'])
  const none = t('conversation.none')
  const { contact } = conversation
  const extra = { ...conversation.additional_attributes, ...conversation.custom_attributes }
  const when = (at: string | null) => (at === null ? none : <When at={at} as="both" />)
  return (
    <section className={classes.card}>
      <Title order={2} size="h5">
        {t('conversation.facts')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('conversation.factsIntro')}
      </Text>
      <Facts
        facts={[
          [t('conversation.known.status'), conversation.status ?? none],
          [t('conversation.known.status_changed_at'), when(conversation.status_changed_at)],
          [t('conversation.known.waiting_since'), when(conversation.waiting_since)],
          [t('conversation.known.created_at'), when(conversation.created_at)],
          [t('conversation.known.inbox_id'), conversation.inbox_id ?? none],
          [t('conversation.known.priority'), conversation.priority ?? none],
          [t('conversation.known.assignee_id'), conversation.assignee_id ?? conversation.assignee_bot_id ?? none],
          [t('conversation.known.team_id'), conversation.team_id ?? none],
          [t('conversation.known.labels'), valueWords(conversation.labels, none)],
          [
            t('conversation.known.can_reply'),
            conversation.can_reply === null ? none : t(conversation.can_reply ? 'why.yes' : 'why.no'),
          ],
          ...Object.entries(extra).map(([key, value]) => [key, valueWords(value, none)] as const),
          [
            t('conversation.contact'),
            contact === null
              ? none
              : [contact.name, contact.email, contact.phone_number, `#${contact.id}`].filter(Boolean).join(' · '),
          ],
          [
            t('conversation.recent'),
            conversation.recent_incoming.length === 0
              ? none
              : conversation.recent_incoming.slice(-3).map(({ id, created_at: at }) => (
                  <div key={id}>
                    #{id} <When at={at} as="both" />
                  </div>
                )),
          ],
        ]}
      />
    </section>
  )
}

function Armed({ conversation: { armed, account_id: accountId } }: { readonly conversation: SchemaConversation }) {
  const { t } = useTranslation('history')
  return (
    <section className={classes.card}>
      <Title order={2} size="h5" mb="sm">
        {t('conversation.armed')}
      </Title>
      {armed.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('conversation.armedEmpty')}
        </Text>
      ) : (
        <ul className={classes.steps}>
          {armed.map((execution) => (
            <li key={execution.id}>
              <TextLink
                to="/accounts/$accountId/history/$executionId"
                params={{ accountId, executionId: execution.id }}
                fw={500}
              >
                {ruleWords(execution, t)}
              </TextLink>
              <Group gap="xs">
                <ExecutionStatus execution={execution} />
                <Text size="sm">
                  {t('why.due')} <When at={execution.due_at} as="both" />
                </Text>
              </Group>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function WhyHere({ accountId, conversationId }: { readonly accountId: number; readonly conversationId: number }) {
  const { t } = useTranslation('history')
  const { rule } = useSearch({ from: FROM })
  const navigate = useNavigate()
  const { data: rules = [] } = useQuery(ruleNamesQuery(accountId))
  return (
    <section className={classes.card}>
      <Title order={2} size="h4" mb="sm">
        {t('why.title')}
      </Title>
      <Select
        label={t('details.rule')}
        placeholder={t('why.pick')}
        searchable
        maw={420}
        mb={rule === undefined ? 0 : 'md'}
        data={rules.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={rule === undefined ? null : String(rule)}
        onChange={(value) =>
          void navigate({
            to: '/accounts/$accountId/conversations/$conversationId',
            params: { accountId, conversationId },
            search: value === null ? {} : { rule: Number(value) },
            replace: true,
          })
        }
        comboboxProps={{ withinPortal: false }}
      />
      {rule !== undefined && <WhyView accountId={accountId} ruleId={rule} conversationId={conversationId} />}
    </section>
  )
}
