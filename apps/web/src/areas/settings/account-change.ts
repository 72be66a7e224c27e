import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { accountQuery, accountsQuery } from '../../api/accounts'
import { answerOf, api } from '../../api/client'
import { isProblem } from '../../api/problem'
import { toastDone, toastProblem } from '../../components/toast'
import type { SchemaAccountChange } from '../../generated/openapi'

export type AccountChange = SchemaAccountChange
export type SettingsChange = NonNullable<AccountChange['settings']>

/**
 * Changes the account. `faultAt('/settings/mail_from')` is what the server found wrong at, or below, that place of the last
 * change; a fault that no field shows is said aloud.
 */
export function useAccountChange(accountId: number) {
  const { t } = useTranslation('settings')
  const queryClient = useQueryClient()
  const mutation = useMutation({
    mutationFn: ({ change }: { readonly change: AccountChange; readonly done?: string }) =>
      answerOf(api.PATCH('/accounts/{account_id}', { params: { path: { account_id: accountId } }, body: change })),
    onSuccess: ({ payload }, { done }) => {
      queryClient.setQueryData(accountQuery(accountId).queryKey, payload)
      toastDone(done ?? t('saved'))
      return queryClient.invalidateQueries({ queryKey: accountsQuery.queryKey })
    },
    onError: (error) => {
      if (!isProblem(error, 422)) toastProblem(error, t('save'))
    },
  })
  const faults = isProblem(mutation.error, 422) ? mutation.error.faults : []
  return {
    pending: mutation.isPending,
    change: (change: AccountChange, done?: string) =>
      mutation.mutateAsync({ change, done }).then(
        () => true,
        () => false,
      ),
    faultAt: (pointer: string): string | undefined =>
      faults.find((fault) => fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`))?.message,
  }
}
