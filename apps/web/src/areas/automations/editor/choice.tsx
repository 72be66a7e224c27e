import { NativeSelect, TextInput } from '@mantine/core'

interface Props {
  readonly label?: string
  readonly 'aria-label'?: string
  readonly data: readonly { readonly value: string; readonly label: string }[]
  readonly value: string
  readonly readOnly: boolean
  readonly onChange: (value: string) => void
}

/** One of a few; to those who only look a text, which can be read, not a choice greyed out. */
export function Choice({ data, value, readOnly, onChange, ...names }: Props) {
  if (readOnly) return <TextInput {...names} readOnly value={data.find((one) => one.value === value)?.label ?? value} />
  return (
    <NativeSelect {...names} data={[...data]} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
  )
}
