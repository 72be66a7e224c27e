import { Group, Text } from '@mantine/core'
import { IconClockHour4, IconDoorExit, IconFlag, IconLogin2, IconMail } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { When } from '../../../components/when'
import { useDurationWords } from '../durations'
import classes from './run-detail.module.css'
import type { StoryCard } from './run-story'

const ICONS = { entry: IconLogin2, wait: IconClockHour4, email: IconMail, exit: IconDoorExit, end: IconFlag } as const

export function StoryCardView({ card }: { readonly card: StoryCard }) {
  const { t } = useTranslation('runs')
  const durationWords = useDurationWords()
  switch (card.kind) {
    case 'entry':
      return <Card card={card} title={t('detail.entry')} when={<When at={card.at} as="both" />} />
    case 'wait': {
      const title = t(`detail.wait.${card.state}`, { duration: durationWords(card.hours) })
      const lead = card.state === 'open' ? t('detail.until') : card.state === 'planned' ? t('detail.untilAbout') : null
      return <Card card={card} title={title} when={<Moment lead={lead} at={card.at} />} />
    }
    case 'email': {
      const received = card.deliveredAt !== null
      const title = received ? t('detail.email.delivered') : t(`detail.email.${card.state}`)
      const lead = card.state === 'planned' ? t('detail.estimated') : null
      return (
        <Card card={card} title={title} when={<Moment lead={lead} at={card.deliveredAt ?? card.at} />}>
          <Text size="sm" className={classes.words}>
            {card.subject === '' ? t('detail.email.noSubject') : card.subject}
          </Text>
          {card.body !== null && card.body !== '' && (
            <details className={classes.content}>
              <summary>{t('detail.email.content')}</summary>
              <pre className={classes.body}>{card.body}</pre>
            </details>
          )}
        </Card>
      )
    }
    case 'exit':
      return (
        <Card card={card} title={t('detail.exit.title')} when={<When at={card.at} as="both" />}>
          <Text size="sm">{exitWords()}</Text>
        </Card>
      )
    case 'end':
      return (
        <Card card={card} title={t('detail.end.title')} when={<When at={card.at} as="both" />}>
          {(card.reason === 'path_cut' || card.reason === 'turned_off') && (
            <Text size="sm">{t(`detail.end.${card.reason}`)}</Text>
          )}
        </Card>
      )
  }

  function exitWords(): string {
    const reason = card.kind === 'exit' ? card.reason : 'failed'
    switch (reason) {
      case 'automation_disabled':
      case 'member_status_changed':
      case 'member_tier_changed':
      case 'member_unsubscribed':
        return t(`detail.exit.${reason}`)
      default:
        return t('detail.exit.failed')
    }
  }
}

function Moment({ lead, at }: { readonly lead: string | null; readonly at: string | null }) {
  return (
    <>
      {lead !== null && at !== null && `${lead} `}
      <When at={at} as="both" />
    </>
  )
}

interface CardProps {
  readonly card: StoryCard
  readonly title: string
  readonly when: ReactNode
  readonly children?: ReactNode
}

function Card({ card, title, when, children }: CardProps) {
  const Icon = ICONS[card.kind]
  return (
    <div className={classes.card} data-kind={card.kind} data-state={'state' in card ? card.state : 'done'}>
      <Icon size={20} aria-hidden className={classes.icon} />
      <div className={classes.told}>
        <Group justify="space-between" gap="xs" align="baseline">
          <Text fw={600}>{title}</Text>
          <Text size="sm" c="dimmed">
            {when}
          </Text>
        </Group>
        {children}
      </div>
    </div>
  )
}
