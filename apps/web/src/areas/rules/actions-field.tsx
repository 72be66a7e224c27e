import type { Action } from '@dwell/contracts/rule'
import { ActionIcon, Button, Select, Stack, Text } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { ActionParamsField } from './action-params-field'
import type { FaultAt } from './faults'
import { type Keyed, keyed } from './rule-draft'
import classes from './rules.module.css'
import { ACTIONS, type Definition } from './vocabulary'
import { word } from './words'

interface Props {
  readonly actions: readonly Keyed<Action>[]
  readonly definitions: readonly Definition[]
  readonly faultAt: FaultAt
  readonly readOnly: boolean
  /** `pointer`: what was touched. */
  readonly onChange: (actions: readonly Keyed<Action>[], pointer: string) => void
}

/** What the rule does, in the order in which it does it. */
export function ActionsField({ actions, definitions, faultAt, readOnly, onChange }: Props) {
  const { t } = useTranslation('rules')
  const box = useRef<HTMLDivElement>(null)
  const focusOn = useRef<string | null>(null)
  useEffect(() => {
    const target = focusOn.current
    if (target === null) return
    focusOn.current = null
    box.current?.querySelector<HTMLElement>(target)?.focus()
  })

  const set = (index: number, value: Action) =>
    onChange(
      actions.map((one, place) => (place === index ? { ...one, value } : one)),
      `/actions/${index}`,
    )

  function add() {
    focusOn.current = `[data-action="${actions.length}"]`
    onChange([...actions, keyed({ action_name: '', action_params: [] })], '/actions')
  }

  function remove(index: number) {
    focusOn.current = actions.length === 1 ? '[data-add]' : `[data-action="${Math.max(0, index - 1)}"]`
    onChange(
      actions.filter((_, place) => place !== index),
      '/actions',
    )
  }

  function move(index: number, by: -1 | 1) {
    const next = [...actions]
    const [one] = next.splice(index, 1)
    if (one === undefined) return
    next.splice(index + by, 0, one)
    const atEnd = index + by === 0 || index + by === actions.length - 1
    // The focus goes with the action; at an end its arrow cannot go on, so the other one has it.
    focusOn.current = `[data-move="${index + by}:${atEnd ? -by : by}"]`
    onChange(next, '/actions')
  }

  const none = faultAt('/actions', true)
  return (
    <Stack gap="sm" ref={box}>
      {actions.length > 1 && (
        <Text size="sm" c="dimmed">
          {t('actions.orderHint')}
        </Text>
      )}
      {actions.map(({ key, value }, index) => (
        <fieldset key={key} className={classes.group} aria-label={t('actions.item', { number: index + 1 })}>
          <div className={classes.action}>
            <Select
              aria-label={t('actions.choose')}
              placeholder={t('actions.choose')}
              data={choices(value)}
              value={value.action_name === '' ? null : value.action_name}
              error={faultAt(`/actions/${index}/action_name`) ?? faultAt(`/actions/${index}`, true)}
              readOnly={readOnly}
              searchable
              allowDeselect={false}
              data-action={index}
              onChange={(name) => {
                if (name !== null && name !== value.action_name)
                  set(index, { ...value, action_name: name, action_params: [] })
              }}
            />
            <ActionParamsField
              action={value}
              params={value.action_params ?? []}
              definitions={definitions}
              error={faultAt(`/actions/${index}/action_params`)}
              readOnly={readOnly}
              onChange={(action_params) => set(index, { ...value, action_params })}
            />
            {readOnly ? (
              <span />
            ) : (
              <div className={classes.tools}>
                {actions.length > 1 &&
                  ([-1, 1] as const).map((by) => (
                    <ActionIcon
                      key={by}
                      variant="subtle"
                      color="gray"
                      disabled={by === -1 ? index === 0 : index === actions.length - 1}
                      aria-label={t(by === -1 ? 'actions.moveUp' : 'actions.moveDown', { number: index + 1 })}
                      data-move={`${index}:${by}`}
                      onClick={() => move(index, by)}
                    >
                      {by === -1 ? <IconArrowUp size={18} aria-hidden /> : <IconArrowDown size={18} aria-hidden />}
                    </ActionIcon>
                  ))}
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t('actions.remove', { number: index + 1 })}
                  onClick={() => remove(index)}
                >
                  <IconTrash size={18} aria-hidden />
                </ActionIcon>
              </div>
            )}
          </div>
        </fieldset>
      ))}
      {none !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)">
          {none}
        </Text>
      )}
      {!readOnly && (
        <div>
          <Button variant="default" size="xs" leftSection={<IconPlus size={14} aria-hidden />} data-add onClick={add}>
            {t('actions.add')}
          </Button>
        </div>
      )}
    </Stack>
  )

  function choices({ action_name: present }: Action) {
    const known: readonly string[] = ACTIONS
    const names = present === '' || known.includes(present) ? known : [...known, present]
    return names.map((value) => ({ value, label: word(t, 'actions.names', value) ?? value }))
  }
}
