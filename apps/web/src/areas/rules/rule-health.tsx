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
      <Count rule={rule} count={health.executed} what="fired" />
      <Count rule={rule} count={health.skipped} what="skipped" />
      {health.waiting > 0 && <Count rule={rule} count={health.waiting} what="waiting" />}
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

const STATUS = { fired: 'executed', skipped: 'skipped', waiting: 'pending' } as const

/** Behind a zero there is nothing to look at. */
function Count({
  rule,
  count,
  what,
}: {
  readonly rule: Rule
  readonly count: number
  readonly what: keyof typeof STATUS
}) {
  const { t } = useTranslation('rules')
  const text = t(`health.${what}`, { count })
  if (count === 0)
    return (
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    )
  return (
    <TextLink
      to="/accounts/$accountId/rules/$ruleId/history"
      params={{ accountId: rule.account_id, ruleId: rule.id }}
      search={{ status: STATUS[what] }}
      size="sm"
    >
      {text}
    </TextLink>
  )
}
