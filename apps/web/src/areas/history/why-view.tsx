import { Alert, Badge, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import stacked from '../../components/stacked.module.css'
import { ErrorState, LoadingRows } from '../../components/states'
import { When } from '../../components/when'
import { absoluteWords } from '../../time/words'
import { GuardSteps } from './guard-steps'
import classes from './history.module.css'
import { type Why, whyQuery } from './queries'
import { comparedWords, comparisonWords, episodeWords, ruleFormWords } from './words'

const COLOURS = {
  executed: 'green',
  waits: 'indigo',
  due: 'violet',
  held: 'orange',
  would_skip: 'orange',
  skipped: 'gray',
  not_armed: 'gray',
} as const

/** Why a rule acts, or does not, on a conversation: the verdict, every check and every condition as they are now. */
export function WhyView({
  accountId,
  ruleId,
  conversationId,
}: {
  readonly accountId: number
  readonly ruleId: number
  readonly conversationId: number
}) {
  const { t } = useTranslation('history')
  const { data: why, error, refetch } = useQuery(whyQuery(accountId, ruleId, conversationId))
  if (why === undefined)
    return error === null ? (
      <LoadingRows rows={2} height={120} />
    ) : (
      <ErrorState error={error} title={t('why.failed')} retry={refetch} />
    )
  return (
    <Stack gap="md">
      <Alert variant="light" color={COLOURS[why.outcome]} title={t(`why.outcomes.${why.outcome}`)}>
        <Text size="sm">{withTimes(why.sentence)}</Text>
        <Clock episode={why.episode} />
      </Alert>
      <div className={classes.answers}>
        <section>
          <Title order={3} size="h6" mb="xs">
            {t('why.steps')}
          </Title>
          <GuardSteps
            steps={why.steps.map(({ step, passed, detail, seen }) => ({ name: step, passed, detail: detail, seen }))}
          />
        </section>
        <section>
          <Title order={3} size="h6" mb="xs">
            {t('why.conditions')}
          </Title>
          <Conditions
            conditions={why.conditions}
            known={why.steps.every(({ step, passed }) => step !== 'conversation' || passed)}
          />
        </section>
      </div>
    </Stack>
  )
}

function Clock({ episode }: { readonly episode: Why['episode'] }) {
  const { t } = useTranslation('history')
  const { key, clock_starts_at: start, due_at: due } = episode
  if (key === null) return null
  return (
    <Text size="sm" c="dimmed" mt={4}>
      {episodeWords(key, t)}.
      {start !== null && due !== null && (
        <> {t('why.clock', { start: absoluteWords(Date.parse(start)), due: absoluteWords(Date.parse(due)) })}</>
      )}
    </Text>
  )
}

function Conditions({
  conditions,
  known,
}: {
  readonly conditions: Why['conditions']
  /** The conversation is there; else there is nothing that they could be asked of. */
  readonly known: boolean
}) {
  const { t } = useTranslation('history')
  const { t: ofForm } = useTranslation('rules')
  if (conditions.length === 0) return <Text c="dimmed">{t(known ? 'why.noConditions' : 'why.nothingToJudge')}</Text>
  return (
    <div className={classes.scroller}>
      <Table fz="sm" verticalSpacing={6} className={stacked.stacked}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('why.attribute')}</Table.Th>
            <Table.Th>{t('why.operator')}</Table.Th>
            <Table.Th>{t('why.values')}</Table.Th>
            <Table.Th>{t('why.seen')}</Table.Th>
            <Table.Th>{t('why.result')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {conditions.map((condition, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two conditions may be alike; their order is all they have.
            <Fragment key={index}>
              {index > 0 && condition.group !== conditions[index - 1]?.group && (
                <Table.Tr>
                  <Table.Td colSpan={5} className={classes.or}>
                    {t('why.or')}
                  </Table.Td>
                </Table.Tr>
              )}
              <Table.Tr>
                <Table.Td data-label={t('why.attribute')}>
                  {ruleFormWords('attributes', condition.attribute_key, ofForm)}
                </Table.Td>
                <Table.Td data-label={t('why.operator')}>{comparisonWords(condition, ofForm)}</Table.Td>
                <Table.Td data-label={t('why.values')} className={classes.values}>
                  {comparedWords(condition, condition.values, '–', ofForm)}
                </Table.Td>
                <Table.Td data-label={t('why.seen')} className={classes.values}>
                  {comparedWords(condition, condition.seen, t('why.empty'), ofForm)}
                </Table.Td>
                <Table.Td data-label={t('why.result')}>
                  <Group gap={4}>
                    <Badge color={condition.result ? 'green' : 'red'} variant="light" tt="none">
                      {condition.result ? t('why.holds') : t('why.holdsNot')}
                    </Badge>
                    {condition.broken !== undefined && (
                      <Text size="xs">
                        {t('why.broken')}: {condition.broken}
                      </Text>
                    )}
                  </Group>
                </Table.Td>
              </Table.Tr>
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

const INSTANT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/

/** The server names instants in UTC; people read them in their zone. */
function withTimes(sentence: string): ReactNode[] {
  return sentence
    .split(INSTANT)
    .map((part) =>
      INSTANT.test(part) ? <When key={part} at={part} as="both" /> : <Fragment key={part}>{part}</Fragment>,
    )
}
