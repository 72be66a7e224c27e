import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { isProblem } from '../../../api/problem'
import { useConfirm } from '../../../components/confirm'
import { toastDone, toastProblem } from '../../../components/toast'
import type { Automation } from '../automation-queries'
import type { Editor } from './use-editor'

/** Save what is off; publish, publish changes or turn off. After a failure the button says so and tries again. */
export function EditorActions({ editor }: { readonly editor: Editor }) {
  const { t } = useTranslation('automations')
  const confirm = useConfirm()
  const { status, dirty, saving, failure, conflict } = editor
  const busy = saving !== null
  const failed = failure !== null && !conflict

  async function run(act: () => Promise<Automation>, done: string): Promise<void> {
    try {
      await act()
      toastDone(done)
    } catch (error) {
      // A conflict has a notice of its own, with what can be done about it.
      if (!isProblem(error, 412)) toastProblem(error, t('actions.failed'))
    }
  }

  async function publish(): Promise<void> {
    const words = status === 'active' ? 'republish' : 'publish'
    const {
      title,
      text,
      confirm: act,
    } = {
      title: t(`actions.${words}.title`),
      text: t(`actions.${words}.text`),
      confirm: t(`actions.${words}.confirm`),
    }
    if ((await confirm({ title, text, confirm: act })) === null) return
    await run(() => editor.save('active'), t('actions.publish.done'))
  }

  async function turnOff(): Promise<void> {
    const question = {
      title: t('actions.off.title'),
      text: t('actions.off.text'),
      confirm: t('actions.off.confirm'),
      danger: true,
    }
    if ((await confirm(question)) === null) return
    await run(editor.turnOff, t('actions.off.done'))
  }

  if (status === 'active')
    return (
      <>
        <Button variant="default" loading={saving === 'off'} disabled={busy} onClick={() => void turnOff()}>
          {t('actions.off.confirm')}
        </Button>
        <Button
          loading={saving === 'active'}
          disabled={busy || !dirty || editor.blocksPublishing || conflict}
          onClick={() => void publish()}
        >
          {failed && dirty ? t('actions.retry') : dirty ? t('actions.republish.confirm') : t('actions.published')}
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
        {failed && dirty ? t('actions.retry') : t('actions.save')}
      </Button>
      <Button
        loading={saving === 'active'}
        disabled={busy || editor.blocksPublishing || conflict}
        title={editor.blocksPublishing ? t('actions.publish.blocked') : undefined}
        onClick={() => void publish()}
      >
        {t('actions.publish.confirm')}
      </Button>
    </>
  )
}
