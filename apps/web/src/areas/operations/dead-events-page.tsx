import { DEAD_LETTER_ERRORS, type DeadLetterError } from '@dwell/contracts/dead-letter'
import { Badge, Button, Select, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Page } from '../../components/page'
import { EmptyState, ErrorState, LoadingRows } from '../../components/states'
import { DeadEventTable } from './dead-event-table'
import { LoadMore } from './load-more'
import classes from './operations.module.css'
import { deadEventsQuery } from './queries'
import { Sections } from './sections'
import { useDeadEventActs } from './use-dead-event-acts'

/** Events that could not be taken: why, what they said, and the way back. */
export function DeadEventsPage() {
  const { t } = useTranslation('operations')
  const { error: reason } = useSearch({ from: '/signed-in/installation/operations/dead-events' })
  const navigate = useNavigate()
  const query = useInfiniteQuery(deadEventsQuery(reason))
  const events = query.data?.pages.flatMap(({ payload }) => payload)
  const total = query.data?.pages[0]?.meta.total
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const { publish, pending } = useDeadEventActs()
  const chosen = events?.filter(({ id }) => selected.has(id)) ?? []

  // What was chosen among other reasons is not on the screen any more.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the reason is what it is about.
  useEffect(() => setSelected(new Set()), [reason])

  const show = (error: DeadLetterError | undefined) =>
    void navigate({ to: '/operations/dead-events', search: { error }, replace: true })

  return (
    <Page
      title={t('sections.dead')}
      back={<Sections />}
      intro={t('deadEvents.intro')}
      beside={
        total === undefined ? undefined : (
          <Badge color={total === 0 ? 'green' : 'red'} variant="light" tt="none">
            {t('deadEvents.total', { count: total })}
          </Badge>
        )
      }
    >
      <div className={classes.filters}>
        <Select
          label={t('deadEvents.reason')}
          placeholder={t('deadEvents.reasonAny')}
          clearable
          clearButtonProps={{ 'aria-label': t('clear') }}
          w={260}
          data={DEAD_LETTER_ERRORS.map((value) => ({ value, label: t(`deadEvents.errors.${value}`) }))}
          value={reason ?? null}
          onChange={(value) => show(DEAD_LETTER_ERRORS.find((name) => name === value))}
          comboboxProps={{ withinPortal: false }}
        />
        {chosen.length > 0 && (
          <Button
            loading={pending}
            onClick={async () => {
              if (await publish(chosen)) setSelected(new Set())
            }}
          >
            {t('deadEvents.publishAll', { count: chosen.length })}
          </Button>
        )}
      </div>
      {events === undefined ? (
        query.isError ? (
          <ErrorState error={query.error} title={t('deadEvents.failed')} retry={query.refetch} />
        ) : (
          <LoadingRows rows={6} />
        )
      ) : events.length === 0 ? (
        reason === undefined ? (
          <EmptyState title={t('deadEvents.empty')} text={t('deadEvents.emptyText')} />
        ) : (
          <EmptyState title={t('deadEvents.filtered')}>
            <Button variant="default" onClick={() => show(undefined)}>
              {t('clear')}
            </Button>
          </EmptyState>
        )
      ) : (
        <DeadEventTable events={events} selected={selected} onSelect={setSelected} />
      )}
      {query.isError && events !== undefined && <Text c="red">{t('deadEvents.failed')}</Text>}
      <LoadMore query={query} />
    </Page>
  )
}
