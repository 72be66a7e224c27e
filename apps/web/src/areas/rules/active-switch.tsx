import { Switch, Tooltip } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useRights } from '../../api/session'
import { useConfirm } from '../../components/confirm'
import { toastDone, toastProblem } from '../../components/toast'
import { changeRule, type Rule, rulesQuery } from './queries'

/** On or off, with a question first: turning a rule off skips what it has waiting, at once and for good. */
export function ActiveSwitch({ rule }: { readonly rule: Rule }) {
  const { t } = useTranslation(['rules', 'shell'])
  const { mayChange } = useRights()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const { id, account_id: accountId, name, active } = rule
  const turning = useMutation({
    mutationFn: (next: boolean) => changeRule(accountId, id, { active: next }),
    onSuccess: (changed) => {
      toastDone(t(changed.active ? 'active.turnedOn' : 'active.turnedOff', { name }))
      queryClient.setQueryData(rulesQuery(accountId).queryKey, (rules) =>
        rules?.map((one) => (one.id === id ? { ...one, active: changed.active } : one)),
      )
    },
    onError: (error) => toastProblem(error, t('form.saveFailed')),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['rules', accountId] }),
  })

  async function turn() {
    const next = !active
    const answer = await confirm({
      title: t(next ? 'active.turnOnTitle' : 'active.turnOffTitle', { name }),
      text: next ? t('active.turnOnText') : t('active.turnOffText', { count: rule.health?.waiting ?? 0 }),
      confirm: t(next ? 'active.turnOn' : 'active.turnOff'),
      danger: !next,
    })
    if (answer !== null) turning.mutate(next)
  }

  const control = (
    <Switch
      aria-label={t('active.switch', { name })}
      checked={turning.isPending ? turning.variables : active}
      disabled={!mayChange || turning.isPending}
      onChange={() => void turn()}
    />
  )
  if (mayChange) return control
  return (
    <Tooltip label={t('shell:readOnly')}>
      <div>{control}</div>
    </Tooltip>
  )
}
