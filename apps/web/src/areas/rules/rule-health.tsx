import { Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { TextLink } from '../../components/link'
import type { Rule } from './queries'

/** The last 30 days at a glance; each number leads to the executions that it counts. */
export function RuleHealth({ rule }: { readonly rule: Rule }) {
  const { t } = useTranslation('rules')
  const { health } = rule
  if (health === undefined) return null
  const failing = health.deliveries_failed + health.deliveries_unknown
  if (health.armed === 0 && failing === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('health.none')}
      </Text>
    )
  return (
    <Group gap="xs" role="group" aria-label={t('health.label', { name: rule.name })}>
      <Count rule={rule} text={t('health.fired', { count: health.executed })} status="executed" />
      <Count rule={rule} text={t('health.skipped', { count: health.skipped })} status="skipped" />
      {health.waiting > 0 && (
        <Count rule={rule} text={t('health.waiting', { count: health.waiting })} status="pending" />
      )}
      {failing > 0 && (
        <TextLink
          to="/accounts/$accountId/operations/deliveries"
          params={{ accountId: rule.account_id }}
          search={{ rule: rule.id }}
          size="sm"
          c="var(--mantine-color-error)"
          fw={600}
        >
          {t('health.failing', { count: failing })}
        </TextLink>
      )}
    </Group>
  )
}

function Count({
  rule,
  text,
  status,
}: {
  readonly rule: Rule
  readonly text: string
  readonly status: 'executed' | 'skipped' | 'pending'
}) {
  return (
    <TextLink
      to="/accounts/$accountId/rules/$ruleId/history"
      params={{ accountId: rule.account_id, ruleId: rule.id }}
      search={{ status }}
      size="sm"
    >
      {text}
    </TextLink>
  )
}
