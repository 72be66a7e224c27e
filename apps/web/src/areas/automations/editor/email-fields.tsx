import { Button, Group, Text } from '@mantine/core'
import { IconEye, IconPencil } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { components } from '../../../generated/openapi'
import type { ActionDraft, DraftFault, EmailDraft } from './draft'
import classes from './path.module.css'

const EmailDialog = lazy(async () => ({ default: (await import('./email-dialog')).EmailDialog }))

interface Props {
  readonly accountId: number
  readonly action: EmailDraft
  readonly lacks: readonly DraftFault[]
  readonly stats: components['schemas']['EmailStatistics'] | undefined
  readonly readOnly: boolean
  readonly onWriting: (writing: boolean) => void
  readonly onChange: (action: ActionDraft) => void
}

/** Its subject, what it lacks, how it did, and the way to write it. */
export function EmailFields({ accountId, action, lacks, stats, readOnly, onWriting, onChange }: Props) {
  const { t } = useTranslation('automations')
  const [open, setOpen] = useState(false)
  return (
    <>
      <Text size="sm" className={classes.words} c={action.subject.trim() === '' ? 'dimmed' : undefined}>
        {action.subject.trim() === '' ? t('email.noSubject') : action.subject}
      </Text>
      {lacks.map(({ kind }) => (
        <Text key={kind} size="sm" c="var(--mantine-color-error)">
          {t(`faults.${kind}`)}
        </Text>
      ))}
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          {stats !== undefined && stats.sent_count > 0 && statsWords(stats)}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={readOnly ? <IconEye size={14} aria-hidden /> : <IconPencil size={14} aria-hidden />}
          onClick={() => setOpen(true)}
        >
          {readOnly ? t('email.look') : t('email.edit')}
        </Button>
      </Group>
      {open && (
        <Suspense fallback={null}>
          <EmailDialog
            accountId={accountId}
            email={action}
            readOnly={readOnly}
            onWriting={onWriting}
            onDone={(email) => {
              if (email !== null) onChange(email)
              setOpen(false)
            }}
          />
        </Suspense>
      )}
    </>
  )

  function statsWords(counts: components['schemas']['EmailStatistics']): string {
    const rate = (value: number | null) => (value === null ? '–' : `${value}%`)
    return t('email.stats', {
      sent: counts.sent_count,
      opened: rate(counts.opened_rate),
      clicked: rate(counts.clicked_rate),
    })
  }
}
