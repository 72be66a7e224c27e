import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isProblem } from '../../api/problem'
import { useConfirm } from '../../components/confirm'
import { rescueFocus } from '../../components/focus'
import { toastDone, toastProblem } from '../../components/toast'
import { type DeadEvent, deleteDeadEvent, publishDeadEvent } from './queries'

/** Publishes dead events again, as they are or corrected, or gives them up: asks first, says what was done. */
export function useDeadEventActs() {
  const { t } = useTranslation(['operations', 'history'])
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const [pending, setPending] = useState(false)
  const [fault, setFault] = useState<string | undefined>(undefined)
  const note = { label: t('history:deliveries.note'), placeholder: t('history:deliveries.notePlaceholder') }

  /** Runs it; false where it failed. */
  async function act(work: () => Promise<unknown>, failure: string): Promise<boolean> {
    setPending(true)
    try {
      await work()
      return true
    } catch (error) {
      toastProblem(error, failure)
      return false
    } finally {
      setPending(false)
      await queryClient.invalidateQueries({ queryKey: ['dead-events'] })
      rescueFocus()
    }
  }

  return {
    pending,
    /** Why a correction is no event. */
    fault,
    /** One after the other, so that they keep their order. What somebody else was faster with is passed over. */
    async publish(events: readonly DeadEvent[]): Promise<boolean> {
      const count = events.length
      const answer = await confirm({
        title: count === 1 ? t('deadEvents.publishTitle') : t('deadEvents.publishAllTitle', { count }),
        text: count === 1 ? t('deadEvents.publishText') : t('deadEvents.publishAllText'),
        confirm: t('deadEvents.publish'),
        note,
      })
      if (answer === null) return false
      const body = answer.note === '' ? {} : { note: answer.note }
      let published = 0
      const worked = await act(async () => {
        // The list has the newest first.
        for (const { id } of [...events].reverse()) {
          try {
            await publishDeadEvent(id, body)
            published += 1
          } catch (error) {
            if (!isProblem(error, 404)) throw error
          }
        }
      }, t('deadEvents.publish'))
      if (published > 0) toastDone(t('deadEvents.publishDone', { count: published }))
      return worked
    },
    async correct(event: DeadEvent, text: string): Promise<void> {
      setFault(undefined)
      await act(async () => {
        try {
          await publishDeadEvent(event.id, { event: text })
          toastDone(t('deadEvents.publishDone', { count: 1 }))
        } catch (error) {
          if (!isProblem(error, 422)) throw error
          setFault(error.faults[0]?.message ?? error.message)
        }
      }, t('deadEvents.correct'))
    },
    async giveUp({ id }: DeadEvent): Promise<void> {
      const question = {
        title: t('deadEvents.deleteTitle'),
        text: t('deadEvents.deleteText'),
        confirm: t('deadEvents.delete'),
        danger: true,
      }
      if ((await confirm(question)) === null) return
      if (await act(() => deleteDeadEvent(id), t('deadEvents.delete'))) toastDone(t('deadEvents.deleteDone'))
    },
  }
}
