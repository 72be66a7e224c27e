import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answerOf, api } from '../../api/client'
import { useConfirm } from '../../components/confirm'
import { rescueFocus } from '../../components/focus'
import { toastDone, toastProblem } from '../../components/toast'
import type { Delivery } from './queries'

type Decision = 'retry' | 'dismiss'

/** Asks, does it, says that it was done, and lets every view of it look again. */
export function useDeliveryDecision(
  accountId: number,
  executionId: number,
  delivery: Pick<Delivery, 'id' | 'status'>,
): { readonly decide: (decision: Decision) => Promise<void>; readonly pending: boolean } {
  const { t } = useTranslation('history')
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const mutation = useMutation({
    mutationFn: ({ decision, note }: { readonly decision: Decision; readonly note: string }) => {
      const params = { path: { account_id: accountId, id: executionId, delivery_id: delivery.id } }
      const body = note === '' ? {} : { note }
      return decision === 'retry'
        ? answerOf(api.POST('/accounts/{account_id}/executions/{id}/deliveries/{delivery_id}/retry', { params, body }))
        : answerOf(
            api.POST('/accounts/{account_id}/executions/{id}/deliveries/{delivery_id}/dismiss', { params, body }),
          )
    },
    onSuccess: (_answer, { decision }) => toastDone(t(`deliveries.${decision}Done`)),
    onError: (error, { decision }) => toastProblem(error, t(`deliveries.${decision}`)),
    onSettled: () => lookAgain(queryClient, accountId),
  })
  return {
    pending: mutation.isPending,
    async decide(decision) {
      const unknown = decision === 'retry' && delivery.status === 'unknown'
      const answer = await confirm({
        title: t(`deliveries.${decision}Title`),
        text: unknown ? t('deliveries.retryTextUnknown') : t(`deliveries.${decision}Text`),
        confirm: t(`deliveries.${decision}`),
        danger: unknown || decision === 'dismiss',
        note: { label: t('deliveries.note'), placeholder: t('deliveries.notePlaceholder') },
      })
      if (answer !== null) mutation.mutate({ decision, note: answer.note })
    },
  }
}

/** What shows executions or deliveries of the account is asked for anew. */
export async function lookAgain(queryClient: ReturnType<typeof useQueryClient>, accountId: number): Promise<void> {
  await Promise.all(
    ['executions', 'execution', 'conversation', 'deliveries', 'why'].map((what) =>
      queryClient.invalidateQueries({ queryKey: [what, accountId] }),
    ),
  )
  rescueFocus()
}
