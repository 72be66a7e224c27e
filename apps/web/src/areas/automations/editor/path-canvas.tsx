import { ActionIcon, Alert, Group, Text } from '@mantine/core'
import { IconZoomIn, IconZoomOut } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { announce } from '../../../components/announcer'
import { useConfirm } from '../../../components/confirm'
import { ActionCard } from './action-card'
import {
  type ActionDraft,
  draftFaults,
  fieldOf,
  insertAt,
  moveAction,
  newAction,
  placeOf,
  removeAction,
  replaceAction,
} from './draft'
import { InsertMenu } from './insert-menu'
import classes from './path.module.css'
import { sentence } from './server-words'
import { SettingsCard } from './settings-card'
import { TriggerCard } from './trigger-card'
import type { Editor } from './use-editor'
import { useStepFocus } from './use-step-focus'

const ZOOMS = [0.6, 0.75, 0.9, 1, 1.15, 1.3] as const
const PLAIN = 3

interface Props {
  readonly accountId: number
  readonly editor: Editor
  readonly readOnly: boolean
}

/** What members walk, from top to bottom: who enters, each wait and e-mail, and places to put more between them. */
export function PathCanvas({ accountId, editor, readOnly }: Props) {
  const { t } = useTranslation('automations')
  const confirm = useConfirm()
  const [zoom, setZoom] = useState(PLAIN)
  const { draft, change } = editor
  const { path, goTo } = useStepFocus()
  const lacks = draftFaults(draft)
  const others = editor.faults.filter(({ pointer }) => placeOf(pointer) === null && fieldOf(pointer) === null)

  function insert(place: number, type: ActionDraft['type']): void {
    const action = newAction(type, crypto.randomUUID())
    change((now) => insertAt(now, place, action))
    goTo({ step: action.id })
    announce(t('path.inserted', { place: place + 1 }))
  }

  async function remove(action: ActionDraft): Promise<void> {
    if (action.type === 'send_email') {
      const question = {
        title: t('path.remove.title'),
        text: t('path.remove.text'),
        confirm: t('path.remove.confirm'),
        danger: true,
      }
      if ((await confirm(question)) === null) return
    }
    const place = draft.actions.findIndex(({ id }) => id === action.id)
    const neighbour = draft.actions[place + 1] ?? draft.actions[place - 1]
    change((now) => removeAction(now, action.id))
    goTo(neighbour === undefined ? 'end' : { step: neighbour.id })
    announce(t('path.removed'))
  }

  function move(action: ActionDraft, by: -1 | 1): void {
    if (draft.actions.at(by === -1 ? 0 : -1)?.id === action.id) return
    change((now) => moveAction(now, action.id, by))
    goTo({ step: action.id, move: by })
    const place = draft.actions.findIndex(({ id }) => id === action.id) + by
    announce(t('path.moved', { place: place + 1, count: draft.actions.length }))
  }

  return (
    <>
      <Group className={classes.zoom} gap={4}>
        <ActionIcon
          variant="default"
          aria-label={t('path.zoomOut')}
          disabled={zoom === 0}
          onClick={() => setZoom(zoom - 1)}
        >
          <IconZoomOut size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon
          variant="default"
          aria-label={t('path.zoomIn')}
          disabled={zoom === ZOOMS.length - 1}
          onClick={() => setZoom(zoom + 1)}
        >
          <IconZoomIn size={16} aria-hidden />
        </ActionIcon>
      </Group>
      <div ref={path} className={classes.path} style={{ zoom: ZOOMS[zoom] }}>
        {others.length > 0 && (
          <Alert role="alert" color="red" variant="light" title={t('path.refused')}>
            {others.map(({ pointer, message }) => (
              <Text key={pointer} size="sm">
                {sentence(message)}
              </Text>
            ))}
          </Alert>
        )}
        <SettingsCard editor={editor} readOnly={readOnly} />
        <TriggerCard editor={editor} readOnly={readOnly} />
        <ol className={classes.actions} aria-label={t('path.label')}>
          {draft.actions.map((action, place) => (
            <li key={action.id} className={classes.action}>
              <InsertMenu place={place} count={draft.actions.length} readOnly={readOnly} onInsert={insert} />
              <ActionCard
                accountId={accountId}
                action={action}
                place={place}
                count={draft.actions.length}
                lacks={lacks.filter((fault) => fault.place === place)}
                faults={editor.faults.filter(({ pointer }) => placeOf(pointer) === place)}
                stats={statsOf(editor, action.id)}
                readOnly={readOnly}
                onWriting={editor.setWriting}
                onChange={(next) => change((now) => replaceAction(now, next))}
                onMove={(by) => move(action, by)}
                onRemove={() => void remove(action)}
              />
            </li>
          ))}
        </ol>
        <InsertMenu place={draft.actions.length} count={draft.actions.length} readOnly={readOnly} onInsert={insert} />
        <Text ta="center" size="sm" c="dimmed">
          {t('path.end')}
        </Text>
      </div>
    </>
  )
}

function statsOf({ saved }: Editor, id: string) {
  const action = saved?.actions.find((one) => one.id === id)
  return action?.type === 'send_email' ? action.stats : undefined
}
