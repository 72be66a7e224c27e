import type { Condition, RuleEvent } from '@dwell/contracts/rule'
import { ActionIcon, Code, Select, Stack, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { isEditable } from './condition-values'
import { ConditionValuesField } from './condition-values-field'
import type { FaultAt } from './faults'
import classes from './rules.module.css'
import {
  ATTRIBUTES,
  type Attribute,
  attributeOf,
  customAttribute,
  type Definition,
  groupOf,
  isOffered,
  operatorsFor,
  valuesOf,
} from './vocabulary'
import { conditionWords, operatorWords, type Texts, word } from './words'

export interface ConditionRowProps {
  readonly condition: Condition
  readonly index: number
  readonly event: RuleEvent
  readonly delayed: boolean
  readonly definitions: readonly Definition[]
  readonly faultAt: FaultAt
  readonly readOnly: boolean
  readonly onChange: (condition: Condition) => void
  readonly onRemove: () => void
}

const GROUPS = ['conversation', 'message', 'contact'] as const

export function ConditionRow(props: ConditionRowProps) {
  const { condition, index, event, delayed, definitions, faultAt, readOnly, onChange, onRemove } = props
  const { t } = useTranslation('rules')
  const pointer = `/conditions/${index}`
  const attribute = attributeOf(condition, definitions)
  const editable =
    condition.attribute_key === '' ||
    (attribute !== undefined && isEditable(attribute, condition.filter_operator, condition.values))
  const own = faultAt(pointer, true) ?? faultAt(`${pointer}/query_operator`)

  return (
    <fieldset className={classes.plain} aria-label={t('conditions.item', { number: index + 1 })}>
      <div className={classes.row}>
        <Select
          aria-label={t('conditions.attribute')}
          placeholder={t('conditions.chooseAttribute')}
          data={choices(event, condition, definitions, t)}
          value={condition.attribute_key === '' ? null : nameOf(condition, attribute)}
          error={faultAt(`${pointer}/attribute_key`) ?? faultAt(`${pointer}/custom_attribute_type`)}
          readOnly={readOnly}
          searchable
          allowDeselect={false}
          data-condition={index}
          onChange={(name) => {
            const next = attributes(definitions).find((one) => nameOfAttribute(one) === name)
            if (next === undefined) return
            const [operator = ''] = operatorsFor(next, event, delayed)
            onChange({
              ...condition,
              attribute_key: next.key,
              custom_attribute_type: next.custom?.attribute_model ?? '',
              filter_operator: operator,
              values: [],
            })
          }}
        />
        {editable ? (
          <>
            <Select
              aria-label={t('conditions.operator')}
              placeholder={t('conditions.chooseOperator')}
              data={operatorChoices(attribute, condition, event, delayed, t)}
              value={condition.filter_operator === '' ? null : condition.filter_operator}
              error={faultAt(`${pointer}/filter_operator`)}
              readOnly={readOnly}
              disabled={attribute === undefined}
              allowDeselect={false}
              onChange={(operator) => {
                if (operator === null) return
                const same = valuesOf(operator) === valuesOf(condition.filter_operator)
                const values = same ? condition.values : valuesOf(operator) === 'change' ? {} : []
                onChange({ ...condition, filter_operator: operator, ...(values === undefined ? {} : { values }) })
              }}
            />
            {attribute === undefined || condition.filter_operator === '' ? (
              <span />
            ) : (
              <ConditionValuesField
                attribute={attribute}
                condition={condition}
                error={faultAt(`${pointer}/values`)}
                readOnly={readOnly}
                onChange={(values) => onChange({ ...condition, values })}
              />
            )}
          </>
        ) : (
          <Stack gap={2} className={classes.two}>
            {attribute === undefined ? (
              <Text size="sm" mt={7}>
                {t('conditions.gone', { words: conditionWords(condition, definitions, t) })}
              </Text>
            ) : (
              <>
                <Text size="sm">{t('conditions.kept')}</Text>
                <Code block className={classes.kept}>
                  {JSON.stringify(condition)}
                </Code>
              </>
            )}
          </Stack>
        )}
        <div className={classes.tools}>
          {!readOnly && (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('conditions.remove', { number: index + 1 })}
              onClick={onRemove}
            >
              <IconTrash size={18} aria-hidden />
            </ActionIcon>
          )}
        </div>
      </div>
      {own !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" mt={4}>
          {own}
        </Text>
      )}
    </fieldset>
  )
}

function attributes(definitions: readonly Definition[]): readonly Attribute[] {
  return [...ATTRIBUTES, ...definitions.map(customAttribute)]
}

/** A name for the choice: the two models may have attributes of the same key. */
function nameOfAttribute({ key, custom }: Attribute): string {
  return custom === undefined ? key : `${custom.attribute_model}:${key}`
}

function nameOf(condition: Condition, attribute: Attribute | undefined): string {
  return attribute === undefined ? `unknown:${condition.attribute_key}` : nameOfAttribute(attribute)
}

/** What is worth offering for the event, and in any case what the condition asks about now. */
function choices(event: RuleEvent, condition: Condition, definitions: readonly Definition[], t: Texts) {
  const present = attributeOf(condition, definitions)
  const all = attributes(definitions)
  const groups = GROUPS.map((group) => ({
    group: t(`conditions.groups.${group}`),
    items: all
      .filter((one) => groupOf(one) === group)
      .filter(
        (one) => isOffered(one, event) || (present !== undefined && nameOfAttribute(one) === nameOfAttribute(present)),
      )
      .map((one) => ({ value: nameOfAttribute(one), label: labelOf(one, definitions, t) })),
  })).filter(({ items }) => items.length > 0)
  if (condition.attribute_key === '' || present !== undefined) return groups
  const unknown = {
    value: nameOf(condition, undefined),
    label: t('conditions.unknown', { key: condition.attribute_key }),
    disabled: true,
  }
  return [...groups, unknown]
}

function labelOf(attribute: Attribute, definitions: readonly Definition[], t: Texts): string {
  const { custom, key } = attribute
  if (custom === undefined) return word(t, 'attributes', key) ?? key
  const definition = definitions.find(
    (one) => one.attribute_key === key && one.attribute_model === custom.attribute_model,
  )
  return definition?.attribute_display_name ?? key
}

function operatorChoices(
  attribute: Attribute | undefined,
  condition: Condition,
  event: RuleEvent,
  delayed: boolean,
  t: Texts,
) {
  if (attribute === undefined) return []
  const offered: string[] = [...operatorsFor(attribute, event, delayed)]
  const { filter_operator: present } = condition
  if (present !== '' && !offered.includes(present)) offered.push(present)
  return offered.map((value) => ({ value, label: operatorWords(attribute, value, t) }))
}
