import type { Condition, ConditionValues } from '@dwell/contracts/rule'
import { Group, MultiSelect, NumberInput, Select, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { changeOf, listOf, NOTHING, textOf, valueFrom } from './condition-values'
import { type Attribute, valuesOf } from './vocabulary'
import { word } from './words'

interface Props {
  readonly attribute: Attribute
  readonly condition: Condition
  readonly error: string | undefined
  readonly readOnly: boolean
  readonly onChange: (values: ConditionValues) => void
}

/** The field for what a condition compares with; none where it compares with nothing. */
export function ConditionValuesField({ attribute, condition, error, readOnly, onChange }: Props) {
  const { t } = useTranslation('rules')
  const { filter_operator: operator, values } = condition
  const label = t('conditions.value')
  const list = listOf(values)
  switch (valuesOf(operator)) {
    case 'none':
      return <span />
    case 'change':
      return (
        <ChangeFields
          attribute={attribute}
          values={changeOf(values)}
          error={error}
          readOnly={readOnly}
          onChange={onChange}
        />
      )
    case 'one':
      if (attribute.kind === 'date' && operator !== 'days_before')
        return (
          <TextInput
            type={list[0] === undefined || /^\d{4}-\d\d-\d\d$/.test(String(list[0])) ? 'date' : 'text'}
            aria-label={label}
            value={list[0] === undefined ? '' : String(list[0])}
            error={error}
            readOnly={readOnly}
            onChange={({ currentTarget: { value } }) => onChange(value === '' ? [] : [value])}
          />
        )
      return (
        <NumberInput
          aria-label={label}
          value={list[0] === undefined ? '' : String(list[0])}
          error={error}
          readOnly={readOnly}
          suffix={operator === 'days_before' ? ` ${t('conditions.days')}` : ''}
          onChange={(value) => onChange(value === '' ? [] : [valueFrom(String(value), 'number')])}
        />
      )
    case 'some':
      return (
        <ValuesField
          attribute={attribute}
          label={label}
          values={list}
          error={error}
          readOnly={readOnly}
          onChange={onChange}
        />
      )
  }
}

/** `from` and `to`, either of which may be left out: then it may be anything. */
function ChangeFields({
  attribute,
  values,
  error,
  readOnly,
  onChange,
}: Omit<Props, 'condition' | 'onChange'> & {
  readonly values: ReturnType<typeof changeOf>
  readonly onChange: (values: ConditionValues) => void
}) {
  const { t } = useTranslation('rules')
  const set = (end: 'from' | 'to', list: readonly unknown[]) => {
    const next = { ...values, [end]: list.length === 0 ? undefined : list }
    onChange({
      ...(next.from === undefined ? {} : { from: next.from }),
      ...(next.to === undefined ? {} : { to: next.to }),
    })
  }
  return (
    <Stack gap={6}>
      {(['from', 'to'] as const).map((end) => (
        <Group key={end} gap="xs" wrap="nowrap" align="center">
          <Text size="sm" w={40}>
            {t(`conditions.${end}`)}
          </Text>
          <div style={{ flex: 1 }}>
            <ValuesField
              attribute={attribute}
              label={t(`conditions.${end}`)}
              values={values[end] ?? []}
              placeholder={t('conditions.any')}
              withNothing
              error={end === 'to' ? error : undefined}
              readOnly={readOnly}
              onChange={(list) => set(end, list)}
            />
          </div>
        </Group>
      ))}
    </Stack>
  )
}

interface ValuesProps {
  readonly attribute: Attribute
  readonly label: string
  readonly values: readonly unknown[]
  readonly placeholder?: string
  /** "Nothing" is a value, too. */
  readonly withNothing?: boolean
  readonly error: string | undefined
  readonly readOnly: boolean
  readonly onChange: (values: readonly unknown[]) => void
}

/** Any number of values: names to choose from, or texts and numbers to write. */
function ValuesField(props: ValuesProps) {
  const { attribute, label, values, placeholder, withNothing = false, error, readOnly, onChange } = props
  const { t } = useTranslation('rules')
  const { kind, names, custom } = attribute
  const texts = values.map(textOf)
  const take = (next: readonly string[]) => onChange(next.map((text) => valueFrom(text, kind)))
  const nothing = withNothing ? [{ value: NOTHING, label: t('conditions.nothing') }] : []

  if (kind === 'boolean')
    return (
      <Select
        aria-label={label}
        data={['true', 'false'].map((value) => ({
          value,
          label: t(value === 'true' ? 'conditions.yes' : 'conditions.no'),
        }))}
        value={texts[0] ?? null}
        error={error}
        readOnly={readOnly}
        allowDeselect={false}
        onChange={(value) => take(value === null ? [] : [value])}
      />
    )
  if (kind === 'name') {
    const known = names ?? []
    const extra = texts.filter((text) => text !== NOTHING && !known.includes(text))
    return (
      <MultiSelect
        aria-label={label}
        data={[...known, ...extra]
          .map((value) => ({ value, label: capital(word(t, 'values', value) ?? value) }))
          .concat(nothing)}
        placeholder={texts.length === 0 ? placeholder : undefined}
        value={texts}
        error={error}
        readOnly={readOnly}
        onChange={take}
        hidePickedOptions
        searchable
      />
    )
  }
  const hint = t(`conditions.valuesHint.${kind === 'id' || kind === 'number' || kind === 'date' ? kind : 'text'}`)
  return (
    <TagsInput
      aria-label={label}
      data={[...(custom?.attribute_values ?? []), ...nothing.map(({ value }) => value)]}
      placeholder={texts.length === 0 ? (placeholder ?? hint) : undefined}
      // A comma is an ordinary character of a phrase; numbers have none.
      splitChars={kind === 'text' ? [] : [',', ' ']}
      value={texts}
      error={error}
      readOnly={readOnly}
      onChange={take}
    />
  )
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
