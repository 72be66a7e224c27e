import { Alert, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconArrowLeft, IconInfoCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { isProblem } from '../../../api/problem'
import { announce } from '../../../components/announcer'
import { EmptyState, ErrorState } from '../../../components/states'
import { useNow } from '../../../time/now'
import { type AutomationAddress, runHistoryQuery } from '../automation-queries'
import { memberName } from '../member-name'
import classes from './run-detail.module.css'
import { type RunHistory, type SavedPath, storyOf } from './run-story'
import { StoryCardView } from './story-card'

interface Props {
  readonly address: AutomationAddress
  readonly runId: string
  /** As it is saved; null where it could not be read. */
  readonly path: SavedPath | null
  /** Where back leads: to the list of runs, else to the path. */
  readonly toRuns: boolean
  readonly onBack: () => void
}

/** What happened to one member, in place of the path: told from the recorded steps, never from the path as it is now. */
export function RunDetail({ address, runId, path, toRuns, onBack }: Props) {
  const { t } = useTranslation('runs')
  const run = useQuery(runHistoryQuery(address, runId))
  const back = useRef<HTMLButtonElement>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: each run that is opened moves the focus anew.
  useEffect(() => {
    back.current?.focus()
  }, [runId])
  useEffect(() => {
    if (run.isPending) announce(t('detail.loading'))
  }, [run.isPending, t])

  return (
    <section className={classes.detail} aria-label={t('detail.section')}>
      <Button
        ref={back}
        variant="subtle"
        color="gray"
        size="compact-sm"
        leftSection={<IconArrowLeft size={16} aria-hidden />}
        onClick={onBack}
      >
        {t(toRuns ? 'detail.backToRuns' : 'detail.back')}
      </Button>
      {run.isPending && <Loading />}
      {isProblem(run.error, 404) ? (
        <EmptyState title={t('detail.gone')} text={t('detail.goneText')} />
      ) : (
        run.isError && <ErrorState error={run.error} retry={run.refetch} title={t('detail.failed')} />
      )}
      {run.isSuccess && <Story run={run.data} path={path} />}
    </section>
  )
}

function Story({ run, path }: { readonly run: RunHistory; readonly path: SavedPath | null }) {
  const { t } = useTranslation('runs')
  const { cards, noOutlook } = storyOf(run, path, useNow())
  const name = memberName(run.member) ?? t('list.gone')
  const planned = cards.findIndex((card) => 'state' in card && card.state === 'planned')
  return (
    <>
      <Group justify="space-between" align="flex-end" gap="xs">
        <div>
          <Title order={2} size="h4">
            {name}
          </Title>
          {run.member?.name != null && run.member.email !== null && (
            <Text size="sm" c="dimmed" className={classes.words}>
              {run.member.email}
            </Text>
          )}
        </div>
        <Text fw={600}>{t(run.failed ? 'status.failed' : `status.${run.status}`)}</Text>
      </Group>
      <ol className={classes.cards}>
        {cards.map((card, index) => (
          <li key={card.key} className={classes.item}>
            {index === planned && (
              <Text size="sm" c="dimmed" ta="center" mb="xs">
                {t('detail.planned')}
              </Text>
            )}
            <StoryCardView card={card} />
          </li>
        ))}
      </ol>
      {noOutlook !== null && (
        <Alert color="gray" variant="light" icon={<IconInfoCircle aria-hidden />}>
          {t(`detail.noOutlook.${noOutlook}`)}
        </Alert>
      )}
    </>
  )
}

function Loading() {
  const { t } = useTranslation('runs')
  return (
    <Stack role="status" aria-busy="true" aria-label={t('detail.loading')}>
      <Skeleton height={44} width={260} />
      <Skeleton height={76} />
      <Skeleton height={76} />
      <Skeleton height={76} />
    </Stack>
  )
}
