import { ActionIcon, CloseButton, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './performance-panel.module.css'

const DEBOUNCE_MS = 300

interface Props {
  readonly open: boolean
  readonly search: string | undefined
  readonly onOpen: () => void
  /** With what was written, trimmed; undefined when that is nothing. */
  readonly onSearch: (search: string | undefined) => void
  readonly onClose: () => void
}

/** An icon that becomes a field: searches while somebody writes, at once with Enter; Escape closes it and returns the focus. */
export function RunSearch({ open, search, onOpen, onSearch, onClose }: Props) {
  const { t } = useTranslation('runs')
  const [text, setText] = useState(search ?? '')
  const icon = useRef<HTMLButtonElement>(null)
  const returns = useRef(false)
  const wanted = text.trim() === '' ? undefined : text.trim()

  useEffect(() => {
    if (!open || wanted === search) return
    const timer = setTimeout(() => onSearch(wanted), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [open, wanted, search, onSearch])

  useEffect(() => {
    if (open || !returns.current) return
    returns.current = false
    icon.current?.focus()
  }, [open])

  function close(): void {
    setText('')
    returns.current = true
    onClose()
  }

  if (!open)
    return (
      <ActionIcon ref={icon} variant="subtle" color="gray" aria-label={t('search.open')} onClick={onOpen}>
        <IconSearch size={18} aria-hidden />
      </ActionIcon>
    )
  return (
    <TextInput
      type="search"
      size="xs"
      className={classes.search}
      data-autofocus
      autoFocus
      aria-label={t('search.label')}
      placeholder={t('search.label')}
      title={t('search.hint')}
      leftSection={<IconSearch size={15} aria-hidden />}
      rightSection={<CloseButton size="sm" aria-label={t('search.close')} onClick={close} />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && wanted !== search) onSearch(wanted)
        if (event.key !== 'Escape') return
        event.stopPropagation()
        close()
      }}
    />
  )
}
