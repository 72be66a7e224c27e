import { Alert, Button, Group, Text } from '@mantine/core'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Fault, isProblem } from '../../api/problem'
import { wordsOf } from '../../components/states'
import { delayFault } from './delay'
import { isBelow } from './faults'
import { RuleForm } from './rule-form'
import classes from './rules.module.css'
import type { DraftInHand } from './use-rule-draft'

interface Props {
  readonly accountId: number
  readonly hand: DraftInHand
  readonly delayEnabled: boolean
  readonly readOnly: boolean
  readonly submitLabel: string
  readonly cancel: ReactNode
  /** Rejects with a problem whose faults point into the rule. */
  readonly save: () => Promise<unknown>
}

/** The form with its saving: faults of the server at their fields, the focus on the first of them. */
export function RuleEditor({ accountId, hand, delayEnabled, readOnly, submitLabel, cancel, save }: Props) {
  const { t } = useTranslation(['rules', 'shell'])
  const [faults, setFaults] = useState<readonly Fault[]>([])
  const [failure, setFailure] = useState<string | null>(null)
  const [saving, setSaving] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const [refusals, setRefusals] = useState(0)

  useEffect(() => {
    if (refusals === 0) return
    const first = form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-refusal]')
    first?.focus()
  }, [refusals])

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (readOnly || saving) return
    setFailure(null)
    if (hand.draft.timing === 'later' && delayFault(hand.draft.delay) !== null) {
      setRefusals((count) => count + 1)
      return
    }
    setSaving(true)
    try {
      await save()
    } catch (error) {
      setFaults(isProblem(error) ? error.faults : [])
      if (!isProblem(error) || error.faults.length === 0) setFailure(wordsOf(error, t('shell:error.unknown')))
      setRefusals((count) => count + 1)
    } finally {
      setSaving(false)
    }
  }

  return (
    <form ref={form} className={classes.form} onSubmit={(event) => void submit(event)} noValidate>
      {hand.restored && (
        <Alert color="indigo" variant="light" role="status">
          <Group justify="space-between">
            <Text size="sm">{t('draft.restored')}</Text>
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                setFaults([])
                hand.discard()
              }}
            >
              {t('draft.discard')}
            </Button>
          </Group>
        </Alert>
      )}
      <RuleForm
        accountId={accountId}
        draft={hand.draft}
        faults={faults}
        delayEnabled={delayEnabled}
        readOnly={readOnly}
        onChange={(draft, pointer) => {
          hand.change(draft)
          setFaults((known) => known.filter((one) => one.pointer !== pointer && !isBelow(one.pointer, pointer)))
        }}
      />
      {faults.length > 0 && (
        <Alert color="red" role="alert">
          {t('form.faults', { count: faults.length })}
        </Alert>
      )}
      {failure !== null && (
        <Alert color="red" role="alert" title={t('form.saveFailed')} tabIndex={-1} data-refusal>
          {failure}
        </Alert>
      )}
      {!readOnly && (
        <div className={classes.bar}>
          {cancel}
          <Button type="submit" loading={saving}>
            {submitLabel}
          </Button>
        </div>
      )}
    </form>
  )
}
