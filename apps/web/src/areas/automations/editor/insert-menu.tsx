import { MAX_AUTOMATION_ACTIONS } from '@dwell/contracts/automations'
import { ActionIcon, Menu, Tooltip } from '@mantine/core'
import { IconClockHour4, IconMail, IconPlus } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { ActionDraft } from './draft'
import classes from './path.module.css'

interface Props {
  /** Where it would stand, from 0. */
  readonly place: number
  readonly count: number
  readonly readOnly: boolean
  readonly onInsert: (place: number, type: ActionDraft['type']) => void
}

/** Between two cards: puts a wait or an e-mail there. */
export function InsertMenu({ place, count, readOnly, onInsert }: Props) {
  const { t } = useTranslation('automations')
  if (readOnly) return <div className={classes.gap} />
  const label = place === count ? t('path.add') : t('path.insert', { place: place + 1 })
  const full = count >= MAX_AUTOMATION_ACTIONS
  const button = (
    <ActionIcon
      variant="default"
      radius="xl"
      size="md"
      aria-label={full ? `${label}: ${t('path.full')}` : label}
      aria-disabled={full}
      data-insert={place}
      data-disabled={full || undefined}
    >
      <IconPlus size={16} aria-hidden />
    </ActionIcon>
  )
  // What was put in gets the focus, not the button that did it.
  return (
    <div className={classes.gap}>
      {full ? (
        <Tooltip label={t('path.full')} events={{ hover: true, focus: true, touch: true }}>
          {button}
        </Tooltip>
      ) : (
        <Menu position="bottom" returnFocus={false}>
          <Menu.Target>{button}</Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconClockHour4 size={16} aria-hidden />} onClick={() => onInsert(place, 'wait')}>
              {t('path.wait')}
            </Menu.Item>
            <Menu.Item leftSection={<IconMail size={16} aria-hidden />} onClick={() => onInsert(place, 'send_email')}>
              {t('path.email')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
    </div>
  )
}
