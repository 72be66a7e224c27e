import { Button, Group, Menu } from '@mantine/core'
import { IconCalendar, IconCheck, IconX } from '@tabler/icons-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { serverNow } from '../../../time/now'
import { browserZone, type DateRange, dayIn, lastDays, namedRange, RANGE_DAYS } from './date-range'
import { rangeWords } from './range-words'

interface Props {
  readonly range: DateRange
  readonly onChange: (range: DateRange) => void
}

/** All time, or the last so many days, whose bounds are fixed at the moment they are chosen. */
export function DateRangeMenu({ range, onChange }: Props) {
  const { t } = useTranslation('runs')
  const today = dayIn(browserZone(), serverNow())
  const named = namedRange(range, today)
  const words =
    range === null ? t('panel.allTime') : named === null ? rangeWords(range) : t('panel.lastDays', { days: named })
  const button = useRef<HTMLButtonElement>(null)
  const check = <IconCheck size={14} aria-hidden />
  return (
    <Group gap={0} wrap="nowrap">
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            ref={button}
            size="compact-sm"
            variant={range === null ? 'subtle' : 'light'}
            color={range === null ? 'gray' : undefined}
            leftSection={<IconCalendar size={15} aria-hidden />}
            aria-label={`${t('panel.range')}: ${words}`}
          >
            {words}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item rightSection={range === null ? check : null} onClick={() => onChange(null)}>
            {t('panel.allTime')}
          </Menu.Item>
          {RANGE_DAYS.map((days) => (
            <Menu.Item
              key={days}
              rightSection={named === days ? check : null}
              onClick={() => onChange(lastDays(days, dayIn(browserZone(), serverNow())))}
            >
              {t('panel.lastDays', { days })}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {range !== null && (
        <Button
          size="compact-sm"
          variant="light"
          px={6}
          ml={2}
          aria-label={t('panel.clearRange', { range: words })}
          onClick={() => {
            onChange(null)
            button.current?.focus()
          }}
        >
          <IconX size={14} aria-hidden />
        </Button>
      )}
    </Group>
  )
}
