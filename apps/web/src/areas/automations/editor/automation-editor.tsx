import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useRights } from '../../../api/session'
import { useConfirm } from '../../../components/confirm'
import { TextLink } from '../../../components/link'
import { Page } from '../../../components/page'
import classes from '../automation-page.module.css'
import type { Automation } from '../automation-queries'
import { StatusBadge } from '../status-badge'
import { ConflictNotice } from './conflict-notice'
import { EditorActions } from './editor-actions'
import { PathCanvas } from './path-canvas'
import { type Editor, useEditor } from './use-editor'

interface Props {
  readonly accountId: number
  /** Null for one that is being made. */
  readonly automation: Automation | null
  /** Beside the buttons of saving. */
  readonly tools?: ReactNode
  /** In place of the path, whose draft stays as it is. */
  readonly instead?: ReactNode
  /** Beside the path. */
  readonly panel?: ReactNode
  /** The panel stands in front of the path, for want of room. */
  readonly covered?: boolean
  /** After the first save. */
  readonly onCreated?: (automation: Automation) => void
}

/** The path of an automation as it is being written, and everything that saves it. */
export function AutomationEditor({ accountId, automation, tools, instead, panel, covered = false, onCreated }: Props) {
  const { t } = useTranslation(['automations', 'shell'])
  const { mayChange } = useRights()
  const editor = useEditor(accountId, automation)
  const { saved, draft, status } = editor
  useLeaveGuard(editor, mayChange)

  useEffect(() => {
    if (automation === null && saved !== null) onCreated?.(saved)
  }, [automation, saved, onCreated])

  return (
    <Page
      title={draft.name.trim() === '' ? t('editor.untitled') : draft.name}
      back={
        <TextLink to="/accounts/$accountId/automations" params={{ accountId }} size="sm">
          {t('shell:areas.automations')}
        </TextLink>
      }
      beside={<StatusBadge status={status} />}
      actions={
        <>
          {tools}
          {mayChange && <EditorActions accountId={accountId} editor={editor} />}
        </>
      }
    >
      {editor.conflict && <ConflictNotice editor={editor} />}
      <div className={classes.workspace} data-covered={covered}>
        <div className={classes.canvas} hidden={instead !== undefined} inert={covered}>
          <PathCanvas accountId={accountId} editor={editor} readOnly={!mayChange} />
        </div>
        {instead !== undefined && <div className={classes.canvas}>{instead}</div>}
        {panel}
      </div>
    </Page>
  )
}

/** What is not saved is not lost by a click on a link, nor by closing the tab. */
function useLeaveGuard({ dirty, writing, saved, draft }: Editor, mayChange: boolean): void {
  const { t } = useTranslation('automations')
  const confirm = useConfirm()
  const written = saved !== null || draft.name.trim() !== '' || draft.actions.length > 1
  // Asked when somebody leaves, and true from the letter on that was typed last.
  const guarded = useRef(false)
  useLayoutEffect(() => {
    guarded.current = mayChange && (writing || (dirty && written))
  })
  useBlocker({
    enableBeforeUnload: () => guarded.current,
    shouldBlockFn: async ({ current, next }) => {
      if (!guarded.current || current.pathname === next.pathname) return false
      const answer = await confirm({
        title: t('editor.leave.title'),
        text: t('editor.leave.text'),
        confirm: t('editor.leave.confirm'),
        danger: true,
      })
      return answer === null
    },
  })
}
