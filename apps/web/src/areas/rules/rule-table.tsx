import { Badge, Button, Center, Group, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { TextLink } from '../../components/link'
import { ActiveSwitch } from './active-switch'
import { shortDelay } from './delay'
import { definitionsQuery, type Rule } from './queries'
import { RuleHealth } from './rule-health'
import { RuleMenu } from './rule-menu'
import classes from './rules.module.css'
import { tellRule } from './sentence'
import type { Definition } from './vocabulary'

const ROWS = 50
const NO_DEFINITIONS: readonly Definition[] = []

export function RuleTable({ accountId, rules }: { readonly accountId: number; readonly rules: readonly Rule[] }) {
  const { t } = useTranslation('rules')
  const { data: definitions = NO_DEFINITIONS } = useQuery(definitionsQuery(accountId))
  const [most, setMost] = useState(ROWS)
  const left = rules.length - most
  return (
    <section className={classes.panel} aria-label={t('list.rule')}>
      <Table verticalSpacing="sm" horizontalSpacing="md" className={classes.rules}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('list.rule')}</Table.Th>
            <Table.Th w={230}>{t('list.lastDays')}</Table.Th>
            <Table.Th w={90}>{t('list.active')}</Table.Th>
            <Table.Th w={56}>
              <span className="visually-hidden">{t('list.actions')}</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rules.slice(0, most).map((rule) => (
            <RuleRow key={rule.id} rule={rule} definitions={definitions} />
          ))}
        </Table.Tbody>
      </Table>
      {left > 0 && (
        <Center p="sm">
          <Button variant="default" onClick={() => setMost(most + ROWS)}>
            {t('list.more', { count: Math.min(left, ROWS) })}
          </Button>
        </Center>
      )}
    </section>
  )
}

interface RowProps {
  readonly rule: Rule
  readonly definitions: readonly Definition[]
}

/** Not drawn again while somebody types into the search. */
const RuleRow = memo(({ rule, definitions }: RowProps) => {
  const { t } = useTranslation('rules')
  const { id: ruleId, account_id: accountId } = rule
  return (
    <Table.Tr>
      <Table.Td className={classes.rule}>
        <Group gap="xs">
          <TextLink to="/accounts/$accountId/rules/$ruleId" params={{ accountId, ruleId }} fw={600}>
            {rule.name}
          </TextLink>
          <DelayChip minutes={rule.execution_delay} />
          {rule.broken && (
            <Badge
              color="red"
              variant="light"
              tt="none"
              title={rule.broken_reasons.map((one) => one.message).join('\n')}
            >
              {t('broken.badge')}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed" className={classes.told} lineClamp={3}>
          {tellRule(rule, definitions, t).sentence}
        </Text>
        {rule.description !== null && (
          <Text size="sm" fs="italic" c="dimmed" className={classes.told} lineClamp={1}>
            {rule.description}
          </Text>
        )}
      </Table.Td>
      <Table.Td className={classes.health}>
        <RuleHealth rule={rule} />
      </Table.Td>
      <Table.Td className={classes.switch}>
        <ActiveSwitch rule={rule} />
      </Table.Td>
      <Table.Td className={classes.menu}>
        <RuleMenu rule={rule} />
      </Table.Td>
    </Table.Tr>
  )
})

export function DelayChip({ minutes }: { readonly minutes: number | null }) {
  const { t } = useTranslation('rules')
  if (minutes === null) return null
  return (
    <Badge color="indigo" variant="light" tt="none">
      {t('list.chip', { delay: shortDelay(minutes) })}
    </Badge>
  )
}
