import { Badge, Button, Group, Skeleton, Table, Text, Title } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useConfirm } from '../../components/confirm'
import { Page } from '../../components/page'
import { EmptyState, ErrorState, LoadingRows } from '../../components/states'
import { toastDone, toastProblem } from '../../components/toast'
import { When } from '../../components/when'
import { durationWords } from './durations'
import { LoadMore } from './load-more'
import classes from './operations.module.css'
import { runSweep, type Sweep, sweepsQuery } from './queries'
import { Sections } from './sections'
import { Tiles } from './tiles'

const SweepCharts = lazy(async () => ({ default: (await import('./sweep-charts')).SweepCharts }))

/** Sweeps that the charts show. */
const CHARTED = 50

/** The pulse of the installation: what sweeps found, and how late. */
export function SweepsPage() {
  const { t } = useTranslation(['operations', 'shell'])
  const query = useInfiniteQuery(sweepsQuery)
  const sweeps = query.data?.pages.flatMap(({ payload }) => payload)
  return (
    <Page title={t('sections.sweeps')} back={<Sections />} intro={t('sweeps.intro')} actions={<SweepButton />}>
      <Tiles sweeps={sweeps} />
      {sweeps === undefined ? (
        query.isError ? (
          <ErrorState error={query.error} title={t('sweeps.failed')} retry={query.refetch} />
        ) : (
          <LoadingRows rows={6} height={80} />
        )
      ) : sweeps.length === 0 ? (
        <EmptyState title={t('sweeps.empty')} text={t('sweeps.emptyText')} />
      ) : (
        <>
          <Charts sweeps={sweeps.slice(0, CHARTED)} />
          <SweepTable sweeps={sweeps} />
          <LoadMore query={query} />
        </>
      )}
    </Page>
  )
}

function Charts({ sweeps }: { readonly sweeps: readonly Sweep[] }) {
  const { t } = useTranslation('operations')
  const sum = (of: (sweep: Sweep) => number) => sweeps.reduce((total, sweep) => total + of(sweep), 0)
  const latest = sweeps.reduce((most, { lateness_max_ms: late }) => Math.max(most, late ?? 0), 0)
  return (
    <Suspense
      fallback={
        <div className={classes.charts}>
          <Skeleton height={272} />
          <Skeleton height={272} />
        </div>
      }
    >
      <SweepCharts
        sweeps={sweeps}
        words={t('sweeps.chartText', {
          count: sweeps.length,
          enqueued: sum(({ enqueued }) => enqueued),
          expired: sum(({ expired }) => expired),
          reclaimed: sum(({ reclaimed }) => reclaimed),
        })}
        latenessWords={t('sweeps.chartLateText', { count: sweeps.length, max: durationWords(latest) })}
      />
    </Suspense>
  )
}

function SweepTable({ sweeps }: { readonly sweeps: readonly Sweep[] }) {
  const { t } = useTranslation('operations')
  return (
    <section>
      <Title order={2} size="h5" className="visually-hidden">
        {t('sweeps.caption')}
      </Title>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard. */}
      <section className={classes.scroller} aria-label={t('sweeps.caption')} tabIndex={0}>
        <Table className={classes.wide} verticalSpacing={6} highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('sweeps.started')}</Table.Th>
              <Table.Th>{t('sweeps.trigger')}</Table.Th>
              <Table.Th className={classes.number}>{t('sweeps.due')}</Table.Th>
              <Table.Th className={classes.number}>{t('sweeps.enqueued')}</Table.Th>
              <Table.Th className={classes.number}>{t('sweeps.remaining')}</Table.Th>
              <Table.Th className={classes.number}>{t('sweeps.expired')}</Table.Th>
              <Table.Th className={classes.number} title={t('sweeps.reclaimedTitle')}>
                {t('sweeps.reclaimed')}
              </Table.Th>
              <Table.Th className={classes.number}>{t('sweeps.flagDisabled')}</Table.Th>
              <Table.Th className={classes.number}>{t('sweeps.steps')}</Table.Th>
              <Table.Th className={classes.number}>{t('sweeps.late')}</Table.Th>
              <Table.Th className={classes.number}>{t('sweeps.duration')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sweeps.map((sweep) => (
              <SweepRow key={sweep.id} sweep={sweep} />
            ))}
          </Table.Tbody>
        </Table>
      </section>
    </section>
  )
}

function SweepRow({ sweep }: { readonly sweep: Sweep }) {
  const { t } = useTranslation('operations')
  const numbers = [
    sweep.due,
    sweep.enqueued,
    sweep.remaining,
    sweep.expired,
    sweep.reclaimed,
    sweep.flag_disabled,
    sweep.steps,
  ]
  return (
    <Table.Tr>
      <Table.Td>
        <When at={sweep.started_at} as="both" />
      </Table.Td>
      <Table.Td>
        <Group gap={6} wrap="nowrap">
          {t(`sweeps.triggers.${sweep.trigger}`)}
          {sweep.capped && (
            <Badge color="orange" variant="light" tt="none" title={t('sweeps.cappedTitle')}>
              {t('sweeps.capped')}
            </Badge>
          )}
          {sweep.event === 'disabled' && (
            <Badge color="red" variant="light" tt="none">
              {t('sweeps.disabled')}
            </Badge>
          )}
        </Group>
      </Table.Td>
      {numbers.map((number, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: columns never change places.
        <Table.Td key={column} className={classes.number}>
          {number === 0 ? (
            <Text span c="dimmed" size="sm">
              0
            </Text>
          ) : (
            number.toLocaleString()
          )}
        </Table.Td>
      ))}
      <Table.Td className={classes.number}>
        {sweep.lateness_max_ms === null
          ? '–'
          : `${durationWords(sweep.lateness_p50_ms)} / ${durationWords(sweep.lateness_max_ms)}`}
      </Table.Td>
      <Table.Td className={classes.number}>{durationWords(sweep.duration_ms)}</Table.Td>
    </Table.Tr>
  )
}

function SweepButton() {
  const { t } = useTranslation('operations')
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const running = useMutation({
    mutationFn: runSweep,
    onSuccess: ({ enqueued, due, steps }) => toastDone(t('sweeps.runDone', { enqueued, due, steps })),
    onError: (error) => toastProblem(error, t('sweeps.run')),
    onSettled: () => queryClient.invalidateQueries({ queryKey: sweepsQuery.queryKey }),
  })
  return (
    <Button
      variant="default"
      loading={running.isPending}
      onClick={async () => {
        const question = { title: t('sweeps.runTitle'), text: t('sweeps.runText'), confirm: t('sweeps.run') }
        if ((await confirm(question)) !== null) running.mutate()
      }}
    >
      {t('sweeps.run')}
    </Button>
  )
}
