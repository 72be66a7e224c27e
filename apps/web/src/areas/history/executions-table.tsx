import { Button, Center, Table, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { announce } from '../../components/announcer'
import { TextLink } from '../../components/link'
import stacked from '../../components/stacked.module.css'
import { ErrorState, LoadingRows } from '../../components/states'
import { When } from '../../components/when'
import { DeliveryCounts, ExecutionStatus } from './execution-status'
import classes from './history.module.css'
import { type CameFrom, type Execution, type ExecutionFilter, executionsQuery } from './queries'
import { ruleWords } from './words'

interface Props {
  readonly accountId: number
  readonly filter: ExecutionFilter
  /** Instead of an empty table. */
  readonly empty: ReactNode
  /** Where all are of one conversation. */
  readonly withoutConversation?: boolean
  /** Where all are of one rule. */
  readonly withoutRule?: boolean
}

/** Executions that match the filter, the newest first, alive. */
export function ExecutionsTable({ accountId, filter, empty, withoutConversation, withoutRule }: Props) {
  const { t } = useTranslation('history')
  const query = useInfiniteQuery(executionsQuery(accountId, filter))
  const executions = query.data?.pages.flatMap(({ payload }) => payload)
  useFound(executions?.length, JSON.stringify(filter))
  const cameFrom = placeOf(filter, withoutRule, withoutConversation)

  if (executions === undefined)
    return query.isError ? (
      <ErrorState error={query.error} title={t('failed')} retry={query.refetch} />
    ) : (
      <LoadingRows rows={8} height={52} />
    )
  if (executions.length === 0) return <>{empty}</>
  return (
    <>
      <section className={classes.scroller} aria-label={t('table.caption')}>
        <Table className={`${classes.table} ${stacked.stacked}`} verticalSpacing="xs" highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={108}>{t('table.execution')}</Table.Th>
              <Table.Th>{t('table.state')}</Table.Th>
              {!withoutRule && <Table.Th>{t('table.rule')}</Table.Th>}
              {!withoutConversation && <Table.Th w={124}>{t('table.conversation')}</Table.Th>}
              <Table.Th w={150}>{t('table.due')}</Table.Th>
              <Table.Th w={150}>{t('table.ended')}</Table.Th>
              <Table.Th w={150}>{t('table.deliveries')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {executions.map((execution) => (
              <Row
                key={execution.id}
                execution={execution}
                cameFrom={cameFrom}
                withoutConversation={withoutConversation}
                withoutRule={withoutRule}
              />
            ))}
          </Table.Tbody>
        </Table>
      </section>
      {query.isError && <ErrorState error={query.error} title={t('failed')} retry={query.refetch} />}
      {query.hasNextPage && (
        <Center mt="md">
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t('more')}
          </Button>
        </Center>
      )}
    </>
  )
}

/** What the execution itself does not say: the list, and what else was asked of it. */
function placeOf(filter: ExecutionFilter, ofRule = false, ofConversation = false): CameFrom {
  const { rule, conversation, ...rest } = filter
  if (ofRule) return { ...rest, conversation, from: 'rule' }
  return ofConversation ? { from: 'conversation' } : filter
}

function Row({
  execution,
  cameFrom,
  withoutConversation,
  withoutRule,
}: {
  readonly execution: Execution
  readonly cameFrom: CameFrom
  readonly withoutConversation?: boolean
  readonly withoutRule?: boolean
}) {
  const { t } = useTranslation('history')
  const { id, account_id: accountId, conversation_id: conversationId, automation_rule_id: ruleId } = execution
  return (
    <Table.Tr>
      <Table.Td>
        <TextLink
          to="/accounts/$accountId/history/$executionId"
          params={{ accountId, executionId: id }}
          search={cameFrom}
          size="sm"
          fw={500}
          aria-label={t('details.title', { id })}
        >
          #{id}
        </TextLink>
      </Table.Td>
      <Table.Td>
        <ExecutionStatus execution={execution} />
      </Table.Td>
      {!withoutRule && (
        <Table.Td data-label={t('table.rule')}>
          {execution.automation_rule_name === null ? (
            <Text size="sm" c="dimmed">
              {ruleWords(execution, t)}
            </Text>
          ) : (
            <TextLink
              to="/accounts/$accountId/rules/$ruleId/history"
              params={{ accountId, ruleId }}
              size="sm"
              className={classes.ruleName}
            >
              {ruleWords(execution, t)}
            </TextLink>
          )}
        </Table.Td>
      )}
      {!withoutConversation && (
        <Table.Td data-label={t('table.conversation')}>
          <TextLink
            to="/accounts/$accountId/conversations/$conversationId"
            params={{ accountId, conversationId }}
            size="sm"
          >
            {conversationId}
          </TextLink>
        </Table.Td>
      )}
      <Table.Td data-label={t('table.due')}>
        <When at={execution.due_at} />
      </Table.Td>
      <Table.Td data-label={t('table.ended')} data-empty={execution.finished_at === null || undefined}>
        <When at={execution.finished_at} />
      </Table.Td>
      <Table.Td data-label={t('table.deliveries')} data-empty={execution.deliveries.length === 0 || undefined}>
        <DeliveryCounts deliveries={execution.deliveries} />
      </Table.Td>
    </Table.Tr>
  )
}

/** Tells a screen reader how many there are after somebody changed what is asked for; not with every look for new ones. */
function useFound(count: number | undefined, asked: string): void {
  const { t } = useTranslation('history')
  const told = useRef(asked)
  useEffect(() => {
    if (count === undefined || told.current === asked) return
    told.current = asked
    announce(t('found', { count }))
  }, [count, asked, t])
}
