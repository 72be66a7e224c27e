import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core'
import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'

export interface Question {
  readonly title: string
  /** What will happen, in plain words. */
  readonly text: ReactNode
  /** Names the act: "Delete", never "OK". */
  readonly confirm: string
  /** Cannot be undone, or stops something. */
  readonly danger?: boolean
  /** With it a note can be written, e.g. for the audit log. */
  readonly note?: { readonly label: string; readonly placeholder?: string }
}

/** Resolves with the note (empty where none was written) when confirmed, else null. */
type Ask = (question: Question) => Promise<{ readonly note: string } | null>

/** Of a dialog that asks it: those stand at 200, what drops down at 300. */
const IN_FRONT = 250

const Context = createContext<Ask>(() => Promise.resolve(null))

/** Usage: `const confirm = useConfirm(); if ((await confirm({…})) === null) return`. The focus goes back where it was. */
export function useConfirm(): Ask {
  return useContext(Context)
}

export function ConfirmProvider({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation()
  const [question, setQuestion] = useState<Question | null>(null)
  const [opened, setOpened] = useState(false)
  const [note, setNote] = useState('')
  const settle = useRef<(answer: { readonly note: string } | null) => void>(() => {})

  const ask = useCallback<Ask>((next) => {
    settle.current(null)
    setNote('')
    setQuestion(next)
    setOpened(true)
    return new Promise((resolve) => {
      settle.current = resolve
    })
  }, [])

  const close = useCallback((answer: { readonly note: string } | null) => {
    setOpened(false)
    settle.current(answer)
    settle.current = () => {}
  }, [])

  // The question stays while the dialog fades, so its text does not vanish before it.
  const dialog = useMemo(
    () => (
      <Modal
        opened={opened}
        zIndex={IN_FRONT}
        onClose={() => close(null)}
        title={question?.title}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault()
            close({ note: note.trim() })
          }}
        >
          <Stack>
            <Text size="sm" component="div">
              {question?.text}
            </Text>
            {question?.note !== undefined && (
              <Textarea
                label={question.note.label}
                placeholder={question.note.placeholder}
                maxLength={2_000}
                autosize
                minRows={2}
                value={note}
                onChange={(event) => setNote(event.currentTarget.value)}
              />
            )}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={() => close(null)} data-autofocus={question?.danger === true}>
                {t('cancel')}
              </Button>
              <Button type="submit" color={question?.danger ? 'red' : undefined} data-autofocus={!question?.danger}>
                {question?.confirm}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    ),
    [opened, question, note, close, t],
  )

  return (
    <Context.Provider value={ask}>
      {children}
      {dialog}
    </Context.Provider>
  )
}
