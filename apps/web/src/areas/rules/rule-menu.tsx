import { ActionIcon, Menu } from '@mantine/core'
import { IconCopy, IconDotsVertical, IconHistory, IconPencil, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useRights } from '../../api/session'
import { useConfirm } from '../../components/confirm'
import { toastDone, toastProblem } from '../../components/toast'
import { copyRule, deleteRule, type Rule } from './queries'

/** What else can be done with a rule of the list. */
export function RuleMenu({ rule }: { readonly rule: Rule }) {
  const { t } = useTranslation('rules')
  const { mayChange } = useRights()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const { id: ruleId, account_id: accountId, name } = rule
  const lookAgain = () => queryClient.invalidateQueries({ queryKey: ['rules', accountId] })

  const copying = useMutation({
    mutationFn: () => copyRule(accountId, ruleId),
    onSuccess: () => toastDone(t('copy.done', { name })),
    onError: (error) => toastProblem(error, t('copy.failed')),
    onSettled: lookAgain,
  })
  const deleting = useMutation({
    mutationFn: () => deleteRule(accountId, ruleId),
    onSuccess: () => toastDone(t('delete.done', { name })),
    onError: (error) => toastProblem(error, t('delete.failed')),
    onSettled: lookAgain,
  })

  async function askAndDelete() {
    const answer = await confirm({
      title: t('delete.title', { name }),
      text: t('delete.text', { count: rule.health?.waiting ?? 0 }),
      confirm: t('delete.action'),
      danger: true,
    })
    if (answer !== null) deleting.mutate()
  }

  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('list.menu', { name })}>
          <IconDotsVertical size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconPencil size={16} aria-hidden />}
          onClick={() => void navigate({ to: '/accounts/$accountId/rules/$ruleId', params: { accountId, ruleId } })}
        >
          {t(mayChange ? 'list.edit' : 'list.view')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconHistory size={16} aria-hidden />}
          onClick={() =>
            void navigate({ to: '/accounts/$accountId/rules/$ruleId/history', params: { accountId, ruleId } })
          }
        >
          {t('list.history')}
        </Menu.Item>
        {mayChange && (
          <>
            <Menu.Item leftSection={<IconCopy size={16} aria-hidden />} onClick={() => copying.mutate()}>
              {t('copy.action')}
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item
              color="red"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => void askAndDelete()}
            >
              {t('delete.action')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
