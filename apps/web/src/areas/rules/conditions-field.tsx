import type { Condition } from '@dwell/contracts/rule'
import { Button, Group, SegmentedControl, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Fragment, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { ConditionRow } from './condition-row'
import type { FaultAt } from './faults'
import { EMPTY_CONDITION, groupsOf, joinerOf, type Keyed, keyed, type Trigger } from './rule-draft'
import classes from './rules.module.css'
import type { Definition } from './vocabulary'

interface Props {
  readonly trigger: Trigger
  readonly delayed: boolean
  readonly definitions: readonly Definition[]
  readonly faultAt: FaultAt
  readonly readOnly: boolean
  /** `pointer`: what was touched. */
  readonly onChange: (conditions: readonly Keyed<Condition>[], pointer: string) => void
}

/** The chain of conditions with its precedence to be seen: what is joined by "and" stands in one box, boxes by "or". */
export function ConditionsField({ trigger, delayed, definitions, faultAt, readOnly, onChange }: Props) {
  const { t } = useTranslation('rules')
  const { event, conditions } = trigger
  const chain = conditions.map(({ value }) => value)
  const groups = groupsOf(chain)
  const box = useRef<HTMLDivElement>(null)
  const focusOn = useRef<number | null>(null)

  useEffect(() => {
    const index = focusOn.current
    if (index === null) return
    focusOn.current = null
    box.current?.querySelector<HTMLElement>(`[data-condition="${index}"]`)?.focus()
  })

  const set = (index: number, value: Condition, pointer: string) =>
    onChange(
      conditions.map((one, place) => (place === index ? { ...one, value } : one)),
      pointer,
    )

  function add(joiner: 'and' | 'or') {
    focusOn.current = conditions.length
    const last = conditions.at(-1)
    const before =
      last === undefined
        ? []
        : [...conditions.slice(0, -1), { ...last, value: { ...last.value, query_operator: joiner } }]
    onChange([...before, keyed(EMPTY_CONDITION)], '/conditions')
  }

  function remove(index: number) {
    focusOn.current = Math.max(0, index - 1)
    onChange(
      conditions.filter((_, place) => place !== index),
      '/conditions',
    )
  }

  return (
    <div ref={box}>
      {conditions.length !== 1 && (
        <Text size="sm" c="dimmed" mb="sm">
          {conditions.length === 0 ? t('conditions.none') : t('conditions.hint')}
        </Text>
      )}
      {conditions.length > 0 &&
        groups.map((group, place) => (
          <Fragment key={group.map((index) => conditions[index]?.key).join()}>
            <fieldset
              className={classes.group}
              aria-label={
                groups.length === 1 ? t('conditions.groupOnly') : t('conditions.group', { number: place + 1 })
              }
            >
              {group.map((index, inGroup) => {
                const condition = conditions[index]
                if (condition === undefined) return null
                return (
                  <Fragment key={condition.key}>
                    <ConditionRow
                      condition={condition.value}
                      index={index}
                      event={event}
                      delayed={delayed}
                      definitions={definitions}
                      faultAt={faultAt}
                      readOnly={readOnly}
                      onChange={(value) => set(index, value, `/conditions/${index}`)}
                      onRemove={() => remove(index)}
                    />
                    {inGroup < group.length - 1 && (
                      <div className={classes.joiner}>
                        <Joiner index={index} value="and" readOnly={readOnly} onChange={join(index, condition.value)} />
                      </div>
                    )}
                  </Fragment>
                )
              })}
            </fieldset>
            {place < groups.length - 1 && (
              <div className={classes.alternative}>
                <Joiner
                  index={group.at(-1) ?? 0}
                  value="or"
                  readOnly={readOnly}
                  onChange={join(group.at(-1) ?? 0, chain[group.at(-1) ?? 0])}
                />
              </div>
            )}
          </Fragment>
        ))}
      {!readOnly && (
        <Group gap="xs" mt="sm">
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => add('and')}
            data-condition={conditions.length === 0 ? 0 : undefined}
          >
            {t('conditions.add')}
          </Button>
          {conditions.length > 0 && (
            <Button
              variant="subtle"
              size="xs"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => add('or')}
            >
              {t('conditions.addAlternative')}
            </Button>
          )}
        </Group>
      )}
    </div>
  )

  function join(index: number, value: Condition | undefined) {
    return (joiner: 'and' | 'or') => {
      if (value === undefined || joinerOf(value) === joiner) return
      set(index, { ...value, query_operator: joiner }, `/conditions/${index}/query_operator`)
    }
  }
}

function Joiner({
  index,
  value,
  readOnly,
  onChange,
}: {
  readonly index: number
  readonly value: 'and' | 'or'
  readonly readOnly: boolean
  readonly onChange: (joiner: 'and' | 'or') => void
}) {
  const { t } = useTranslation('rules')
  return (
    <SegmentedControl
      size="xs"
      className={classes.choice}
      aria-label={t('conditions.joiner', { number: index + 1 })}
      data={[
        { value: 'and', label: t('conditions.and') },
        { value: 'or', label: t('conditions.or') },
      ]}
      value={value}
      readOnly={readOnly}
      onChange={(next) => onChange(next === 'or' ? 'or' : 'and')}
    />
  )
}
