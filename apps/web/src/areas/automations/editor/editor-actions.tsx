import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { isProblem, Problem } from '../../../api/problem'
import { useConfirm } from '../../../components/confirm'
import { toastDone, toastProblem } from '../../../components/toast'
import type { Automation } from '../automation-queries'
import { membersInside } from './members-inside'
import { sentence } from './server-words'
import type { Editor } from './use-editor'

/** Save what is off; publish, publish changes or turn off. After a failure the button says so and tries again. */
export function EditorActions({ accountId, editor }: { readonly accountId: number; readonly editor: Editor }) {
  const { t } = useTranslation('automations')
  const confirm = useConfirm()
  const { status, dirty, saving, failed, conflict } = editor
  const busy = saving !== null

  async function run(act: () => Promise<Automation>, done: string): Promise<void> {
    try {
      await act()
      toastDone(done)
    } catch (error) {
      // A conflict has a notice of its own, with what can be done about it.
      if (!isProblem(error, 412)) toastProblem(inOwnWords(error), t('actions.failed'))
    }
  }

  async function publish(): Promise<void> {
    const words = status === 'active' ? 'republish' : 'publish'
    const question = {
      title: t(`actions.${words}.title`),
      text: await withMembers(t(`actions.${words}.text`)),
      confirm: t(`actions.${words}.confirm`),
    }
    if ((await confirm(question)) === null) return
    await run(() => editor.save('active'), t('actions.publish.done'))
  }

  async function turnOff(): Promise<void> {
    const question = {
      title: t('actions.off.title'),
      text: await withMembers(t('actions.off.text')),
      confirm: t('actions.off.confirm'),
      danger: true,
    }
    if ((await confirm(question)) === null) return
    await run(editor.turnOff, t('actions.off.done'))
  }

  /** Whom it concerns stands in front: nobody is stranded unseen. */
  async function withMembers(text: string): Promise<string> {
    const { saved } = editor
    const count = saved === null || status === 'inactive' ? null : await membersInside(accountId, saved.id)
    return count === null ? text : `${t('actions.members', { count })} ${text}`
  }

  if (status === 'active')
    return (
      <>
        <Button variant="default" loading={saving === 'off'} disabled={busy} onClick={() => void turnOff()}>
          {failed === 'off' ? t('actions.retry') : t('actions.off.confirm')}
        </Button>
        <Button
          loading={saving === 'active'}
          disabled={busy || !dirty || editor.blocksPublishing || conflict}
          title={dirty && editor.blocksPublishing ? t('actions.publish.blocked') : undefined}
          onClick={() => void publish()}
        >
          {failed === 'active' && dirty
            ? t('actions.retry')
            : dirty
              ? t('actions.republish.confirm')
              : t('actions.published')}
        </Button>
      </>
    )
  return (
    <>
      <Button
        variant="default"
        loading={saving === 'inactive'}
        disabled={busy || !dirty || editor.blocksSaving || conflict}
        onClick={() => void run(() => editor.save('inactive'), t('actions.saved'))}
      >
        {failed === 'inactive' && dirty ? t('actions.retry') : t('actions.save')}
      </Button>
      <Button
        loading={saving === 'active'}
        disabled={busy || editor.blocksPublishing || conflict}
        title={editor.blocksPublishing ? t('actions.publish.blocked') : undefined}
        onClick={() => void publish()}
      >
        {failed === 'active' ? t('actions.retry') : t('actions.publish.confirm')}
      </Button>
    </>
  )
}

/** Where the server marked fields, what it says of the first one tells more than that the request has faults. */
function inOwnWords(error: unknown): unknown {
  if (!isProblem(error) || error.faults[0] === undefined) return error
  return new Problem(error.status, error.code, sentence(error.faults[0].message), error.faults, error.requestId)
}
