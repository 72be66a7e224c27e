import { Skeleton, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { When } from '../../components/when'
import { useNow } from '../../time/now'
import { durationWords } from './durations'
import classes from './operations.module.css'
import { configsQuery, deadEventsQuery, queuesQuery, type Sweep } from './queries'

/** The schedule is five minutes: twice that without a sweep means that nobody works. */
const SILENT_MS = 10 * 60_000

/** What somebody on call looks at first. */
export function Tiles({ sweeps }: { readonly sweeps: readonly Sweep[] | undefined }) {
  const { t } = useTranslation('operations')
  const now = useNow()
  const configs = useQuery(configsQuery).data
  const queues = useQuery(queuesQuery).data
  const dead = useInfiniteQuery(deadEventsQuery(undefined)).data?.pages[0]?.meta.total
  const stopped = configs?.find(({ name }) => name === 'DISABLE_DELAYED_AUTOMATIONS')
  const isStopped = stopped !== undefined && isTrue(stopped.value)
  const paused = queues?.filter((queue) => queue.paused).map(({ name }) => name)
  const latest = sweeps?.[0]
  const working = sweeps?.find(({ lateness_max_ms: late }) => late !== null)
  const silent = sweeps !== undefined && (latest === undefined || now - Date.parse(latest.started_at) > SILENT_MS)
  return (
    <div className={classes.tiles}>
      <Link to="/operations/limits" className={look(isStopped)}>
        <Tile name={t('tiles.kill')}>{stopped && (isStopped ? t('limits.kill.on') : t('limits.kill.off'))}</Tile>
      </Link>
      <div className={look(silent)}>
        <Tile name={t('tiles.silent')} about={silent ? t('tiles.silentText') : undefined}>
          {sweeps && (latest === undefined ? t('tiles.silentNever') : <When at={latest.started_at} />)}
        </Tile>
      </div>
      <div className={classes.tile}>
        <Tile name={t('tiles.late')} about={working && <When at={working.started_at} />}>
          {sweeps && (working === undefined ? t('tiles.lateNone') : durationWords(working.lateness_max_ms))}
        </Tile>
      </div>
      <Link to="/operations/dead-events" className={look(dead !== undefined && dead > 0)}>
        <Tile name={t('tiles.dead')}>
          {dead !== undefined && (dead === 0 ? t('tiles.deadNone') : dead.toLocaleString())}
        </Tile>
      </Link>
      <Link to="/operations/queues" className={look(paused !== undefined && paused.length > 0)}>
        <Tile name={t('tiles.paused')}>
          {paused &&
            (paused.length === 0 ? t('tiles.pausedNone') : t('tiles.pausedSome', { names: paused.join(', ') }))}
        </Tile>
      </Link>
    </div>
  )
}

function look(alarming: boolean): string {
  return alarming ? `${classes.tile} ${classes.alarming}` : (classes.tile ?? '')
}

/** Nothing yet is a skeleton of the same height. */
function Tile({
  name,
  about,
  children,
}: {
  readonly name: string
  readonly about?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      {children === undefined || children === false ? (
        <Skeleton height={28} width={90} />
      ) : (
        <Text size="lg" fw={600} component="div">
          {children}
        </Text>
      )}
      {about !== undefined && <Text size="sm">{about}</Text>}
    </>
  )
}

/** As the product reads it: the text "false" is false. */
export function isTrue(value: boolean | number | string): boolean {
  return ['true', '1', 'yes', 'on'].includes(String(value).trim().toLowerCase())
}
