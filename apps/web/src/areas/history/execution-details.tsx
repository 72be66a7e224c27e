import { Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { TextLink } from '../../components/link'
import { When } from '../../components/when'
import { useNow } from '../../time/now'
import { DeliveryList } from './delivery-list'
import { Facts } from './facts'
import { GUARD_ORDER, GuardSteps, type Step } from './guard-steps'
import classes from './history.module.css'
import type { Execution } from './queries'
import { episodeWords, ruleWords } from './words'

/** Everything that answers "why" about one execution. */
export function ExecutionDetails({ execution }: { readonly execution: Execution }) {
  const { t } = useTranslation('history')
  const { account_id: accountId, conversation_id: conversationId, guard_outcome: guards } = execution
  return (
    <Stack gap="lg">
      <Verdict execution={execution} />
      <div className={classes.columns}>
        <section className={classes.card}>
          <Facts
            facts={[
              [
                t('details.rule'),
                execution.automation_rule_name === null ? (
                  ruleWords(execution, t)
                ) : (
                  <TextLink
                    key="rule"
                    to="/accounts/$accountId/rules/$ruleId/history"
                    params={{ accountId, ruleId: execution.automation_rule_id }}
                    size="sm"
                  >
                    {ruleWords(execution, t)}
                  </TextLink>
                ),
              ],
              [
                t('details.conversation'),
                <TextLink
                  key="conversation"
                  to="/accounts/$accountId/conversations/$conversationId"
                  params={{ accountId, conversationId }}
                  search={{ rule: execution.automation_rule_id }}
                  size="sm"
                >
                  {conversationId}
                </TextLink>,
              ],
              [t('details.message'), execution.message_id ?? undefined],
              [t('details.episode'), episodeWords(execution.episode_key, t)],
              [t('details.armed'), <When key="armed" at={execution.armed_at} as="both" />],
              [t('details.due'), <When key="due" at={execution.due_at} as="both" />],
              [
                t('details.claimed'),
                execution.claimed_at === null ? undefined : <When key="claimed" at={execution.claimed_at} as="both" />,
              ],
              [
                t(execution.status === 'executed' ? 'details.executed' : 'details.ended'),
                execution.finished_at === null ? undefined : <When key="ended" at={execution.finished_at} as="both" />,
              ],
            ]}
          />
        </section>
        <section className={classes.card}>
          <Title order={2} size="h5" mb="sm">
            {t('details.guards')}
          </Title>
          {guards === null || guards.length === 0 ? (
            <Text c="dimmed" size="sm">
              {t('details.guardsNone')}
            </Text>
          ) : (
            <GuardSteps steps={stepsOf(guards)} />
          )}
        </section>
      </div>
      {execution.status === 'executed' && (
        <section>
          <Title order={2} size="h5" mb="sm">
            {t('deliveries.title')}
          </Title>
          <DeliveryList accountId={accountId} executionId={execution.id} deliveries={execution.deliveries} />
        </section>
      )}
    </Stack>
  )
}

function Verdict({ execution }: { readonly execution: Execution }) {
  const { t } = useTranslation('history')
  const now = useNow()
  const { status, skip_reason: reason, deliveries } = execution
  if (status === 'skipped') return reason === null ? null : <Text>{t(`reasonsLong.${reason}`)}</Text>
  if (status === 'pending' && Date.parse(execution.due_at) <= now) return <Text>{t('statusesLong.due')}</Text>
  const troubled = deliveries.filter((one) => one.status === 'failed' || one.status === 'unknown').length
  if (status === 'executed' && troubled > 0) return <Text>{t('statusesLong.troubled', { count: troubled })}</Text>
  return <Text>{t(`statusesLong.${status}`)}</Text>
}

/** The row keeps the checks up to the first that failed; those behind it were not asked. */
function stepsOf(guards: NonNullable<Execution['guard_outcome']>): Step[] {
  const asked = guards.map(({ guard, passed, seen }) => ({ name: guard, passed, seen }))
  const names = new Set(asked.map(({ name }) => name))
  return [...asked, ...GUARD_ORDER.filter((name) => !names.has(name)).map((name) => ({ name, passed: null }))]
}
