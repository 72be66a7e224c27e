import type { AutomationStatus } from '@dwell/contracts/automations'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { answerOf, api } from '../../../api/client'
import { type Fault, isProblem, Problem } from '../../../api/problem'
import { type Automation, automationQuery } from '../automation-queries'
import { type AutomationDraft, bodyOf, draftFaults, draftOf, emptyDraft, isSame } from './draft'

export interface Editor {
  readonly draft: AutomationDraft
  readonly change: (next: (draft: AutomationDraft) => AutomationDraft) => void
  readonly status: AutomationStatus
  /** Null until it is saved for the first time. */
  readonly saved: Automation | null
  readonly dirty: boolean
  /** Something is being written that is not part of the draft yet. */
  readonly writing: boolean
  readonly setWriting: (writing: boolean) => void
  readonly blocksSaving: boolean
  readonly blocksPublishing: boolean
  /** Faults that the server found in what was last sent. */
  readonly faults: readonly Fault[]
  readonly saving: AutomationStatus | 'off' | null
  /** What was to be saved and was not, until the next save or change. */
  readonly failed: AutomationStatus | 'off' | null
  /** Somebody else saved since this was read. */
  readonly conflict: boolean
  /** Saves all of it with a status. Rejects with what the server said. */
  readonly save: (status: AutomationStatus) => Promise<Automation>
  /** Turns it off and saves nothing else: a draft stays a draft. */
  readonly turnOff: () => Promise<Automation>
  /** Drops the draft for what is saved now. */
  readonly takeTheirs: () => Promise<void>
  /** Saves the draft over what somebody else saved. */
  readonly keepMine: () => Promise<void>
}

type Save = { readonly kind: 'whole'; readonly status: AutomationStatus } | { readonly kind: 'off' }

/** An automation that is being written. What comes from the server later never changes the draft. */
export function useEditor(accountId: number, first: Automation | null): Editor {
  const queryClient = useQueryClient()
  const [saved, setSaved] = useState(first)
  const [draft, setDraft] = useState(() => (first === null ? emptyDraft(crypto.randomUUID()) : draftOf(first)))
  const [writing, setWriting] = useState(false)
  const original = useMemo(() => (saved === null ? null : draftOf(saved)), [saved])
  const lacks = useMemo(() => draftFaults(draft), [draft])

  const mutation = useMutation({
    mutationFn: async (save: Save): Promise<Automation> => {
      const content = save.kind === 'off' ? { status: 'inactive' as const } : bodyOf(draft, save.status)
      if (saved === null) {
        const params = { path: { account_id: accountId } }
        const body = { automations: [content] }
        return only(await answerOf(api.POST('/accounts/{account_id}/automations', { params, body })))
      }
      const params = { path: { account_id: accountId, id: saved.id } }
      const body = { automations: [{ ...content, version: saved.version }] }
      return only(await answerOf(api.PUT('/accounts/{account_id}/automations/{id}', { params, body })))
    },
    onSuccess: (automation, save) => {
      setSaved(automation)
      if (save.kind === 'whole') setDraft(draftOf(automation))
      keep(automation)
    },
  })

  function keep(automation: Automation): void {
    queryClient.setQueryData(automationQuery({ accountId, automationId: automation.id }).queryKey, automation)
    void queryClient.invalidateQueries({ queryKey: ['account', accountId, 'automations'] })
  }

  async function readAgain(): Promise<Automation> {
    if (saved === null) throw new Problem(0, 'nothing_saved', 'Nothing is saved yet.')
    const params = { path: { account_id: accountId, id: saved.id } }
    return only(await answerOf(api.GET('/accounts/{account_id}/automations/{id}', { params })))
  }

  const { error } = mutation
  const tried =
    mutation.variables === undefined ? null : mutation.variables.kind === 'off' ? 'off' : mutation.variables.status
  return {
    draft,
    change: (next) => {
      setDraft(next)
      if (error !== null) mutation.reset()
    },
    status: saved?.status ?? 'inactive',
    saved,
    dirty: original === null || !isSame(draft, original),
    blocksSaving: lacks.some(({ blocks }) => blocks === 'saving'),
    blocksPublishing: lacks.length > 0,
    faults: isProblem(error) ? error.faults : [],
    writing,
    setWriting,
    saving: mutation.isPending ? tried : null,
    failed: mutation.isError && !isProblem(error, 412) ? tried : null,
    conflict: isProblem(error, 412),
    save: (status) => mutation.mutateAsync({ kind: 'whole', status }),
    turnOff: () => mutation.mutateAsync({ kind: 'off' }),
    takeTheirs: async () => {
      const theirs = await readAgain()
      setSaved(theirs)
      setDraft(draftOf(theirs))
      keep(theirs)
      mutation.reset()
    },
    keepMine: async () => {
      setSaved(await readAgain())
      mutation.reset()
    },
  }
}

function only({ automations: [one] }: { readonly automations: readonly Automation[] }): Automation {
  if (one === undefined) throw new Problem(0, 'empty_answer', 'The server answered nothing.')
  return one
}
