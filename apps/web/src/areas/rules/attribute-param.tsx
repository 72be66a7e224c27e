import { Group, Select, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { objectIn } from './action-params'
import type { ParamsProps } from './action-params-field'
import type { Definition } from './vocabulary'

/** A declared custom attribute and the value that it gets; no value clears it. */
export function AttributeParam({
  params,
  error,
  readOnly,
  onChange,
  definitions,
}: ParamsProps & { readonly definitions: readonly Definition[] }) {
  const { t } = useTranslation('rules')
  const { custom_attribute_type: model, attribute_key: key, value } = objectIn(params)
  const present = definitions.find((one) => one.attribute_model === model && one.attribute_key === key)
  const nameOf = (one: Definition) => `${one.attribute_model}:${one.attribute_key}`
  const unknown = present === undefined && typeof key === 'string'
  const set = (definition: Definition, text: string) =>
    onChange([
      {
        custom_attribute_type: definition.attribute_model,
        attribute_key: definition.attribute_key,
        value: valueFor(definition, text),
      },
    ])
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Select
        aria-label={t('params.attribute')}
        placeholder={t('params.attribute')}
        data={[
          ...definitions.map((one) => ({ value: nameOf(one), label: one.attribute_display_name })),
          ...(unknown ? [{ value: 'unknown', label: t('conditions.unknown', { key }), disabled: true }] : []),
        ]}
        value={present === undefined ? (unknown ? 'unknown' : null) : nameOf(present)}
        error={error}
        readOnly={readOnly}
        allowDeselect={false}
        onChange={(name) => {
          const next = definitions.find((one) => nameOf(one) === name)
          if (next !== undefined) set(next, '')
        }}
      />
      {present !== undefined && (
        <ValueParam
          definition={present}
          value={value === null || value === undefined ? '' : String(value)}
          readOnly={readOnly}
          onChange={(text) => set(present, text)}
        />
      )}
    </Group>
  )
}

function ValueParam({
  definition,
  value,
  readOnly,
  onChange,
}: {
  readonly definition: Definition
  readonly value: string
  readonly readOnly: boolean
  readonly onChange: (text: string) => void
}) {
  const { t } = useTranslation('rules')
  const { attribute_display_type: type, attribute_values: values } = definition
  const same = { 'aria-label': t('params.value'), placeholder: t('params.value'), readOnly }
  const choices =
    type === 'checkbox'
      ? [
          { value: 'true', label: t('conditions.yes') },
          { value: 'false', label: t('conditions.no') },
        ]
      : type === 'list' && values != null && values.length > 0
        ? values.map((one) => ({ value: one, label: one }))
        : null
  if (choices !== null)
    return (
      <Select
        {...same}
        data={choices}
        value={value === '' ? null : value}
        clearable
        clearButtonProps={{ 'aria-label': t('params.attributeClear') }}
        onChange={(next) => onChange(next ?? '')}
      />
    )
  return (
    <TextInput
      {...same}
      type={type === 'date' ? 'date' : 'text'}
      description={t('params.attributeClear')}
      inputWrapperOrder={['input', 'description']}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

function valueFor({ attribute_display_type: type }: Definition, text: string): unknown {
  if (text === '') return null
  if (type === 'checkbox') return text === 'true'
  return type === 'number' && Number.isFinite(Number(text)) ? Number(text) : text
}
