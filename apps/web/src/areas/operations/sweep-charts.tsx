import { Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import {
  Bar,
  BarChart,
  CartesianGrid,
  Legend,
  Line,
  LineChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { absoluteWords } from '../../time/words'
import { durationWords } from './durations'
import classes from './operations.module.css'
import type { Sweep } from './queries'

interface Props {
  /** Newest first. */
  readonly sweeps: readonly Sweep[]
  /** The charts in words, for those who do not see them. */
  readonly words: string
  readonly latenessWords: string
}

const AXIS = { stroke: 'var(--mantine-color-dimmed)', tickLine: false } as const
const BOX = {
  contentStyle: { background: 'var(--surface)', border: '1px solid var(--line)', borderRadius: 8, fontSize: 13 },
  cursor: { fill: 'var(--surface-sunken)', stroke: 'var(--line)' },
} as const

const countWords = (count: number) => count.toLocaleString()

/** Loaded by itself: only this view needs the library. */
export function SweepCharts({ sweeps, words, latenessWords }: Props) {
  const { t } = useTranslation('operations')
  const points = [...sweeps].reverse().map((sweep) => ({
    at: absoluteWords(Date.parse(sweep.started_at)),
    time: new Date(sweep.started_at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }),
    enqueued: sweep.enqueued,
    remaining: sweep.remaining,
    expired: sweep.expired,
    reclaimed: sweep.reclaimed,
    median: sweep.lateness_p50_ms,
    latest: sweep.lateness_max_ms,
  }))
  return (
    <div className={classes.charts}>
      <section className={classes.chart}>
        <Title order={2} size="h6">
          {t('sweeps.chart')}
        </Title>
        <Text className="visually-hidden">{words}</Text>
        <div className={classes.plot} aria-hidden>
          <ResponsiveContainer width="100%" height="100%">
            <BarChart
              data={points}
              maxBarSize={28}
              accessibilityLayer={false}
              margin={{ top: 12, right: 4, bottom: 0, left: 0 }}
            >
              <CartesianGrid vertical={false} stroke="var(--line)" />
              <XAxis dataKey="time" {...AXIS} minTickGap={32} />
              <YAxis allowDecimals={false} {...AXIS} axisLine={false} width="auto" tickFormatter={countWords} />
              <Tooltip {...BOX} labelFormatter={(_label, items) => items[0]?.payload.at} />
              <Legend iconType="square" iconSize={10} itemSorter={null} />
              <Bar
                dataKey="enqueued"
                name={t('sweeps.enqueued')}
                stackId="rows"
                fill="var(--chart-1)"
                isAnimationActive={false}
              />
              <Bar
                dataKey="remaining"
                name={t('sweeps.remaining')}
                stackId="rows"
                fill="var(--chart-2)"
                isAnimationActive={false}
              />
              <Bar
                dataKey="expired"
                name={t('sweeps.expired')}
                stackId="others"
                fill="var(--chart-3)"
                isAnimationActive={false}
              />
              <Bar
                dataKey="reclaimed"
                name={t('sweeps.reclaimed')}
                stackId="others"
                fill="var(--chart-4)"
                isAnimationActive={false}
              />
            </BarChart>
          </ResponsiveContainer>
        </div>
      </section>
      <section className={classes.chart}>
        <Title order={2} size="h6">
          {t('sweeps.chartLate')}
        </Title>
        <Text className="visually-hidden">{latenessWords}</Text>
        <div className={classes.plot} aria-hidden>
          <ResponsiveContainer width="100%" height="100%">
            <LineChart data={points} accessibilityLayer={false} margin={{ top: 12, right: 4, bottom: 0, left: 0 }}>
              <CartesianGrid vertical={false} stroke="var(--line)" />
              <XAxis dataKey="time" {...AXIS} minTickGap={32} padding={{ left: 20, right: 20 }} />
              <YAxis {...AXIS} axisLine={false} tickFormatter={durationWords} width={64} />
              <Tooltip
                {...BOX}
                formatter={(value) => durationWords(Number(value))}
                labelFormatter={(_label, items) => items[0]?.payload.at}
              />
              <Legend iconType="plainline" itemSorter={null} />
              <Line
                dataKey="latest"
                name={t('sweeps.latest')}
                stroke="var(--chart-3)"
                strokeWidth={2}
                dot={{ r: 3 }}
                connectNulls
                isAnimationActive={false}
              />
              <Line
                dataKey="median"
                name={t('sweeps.median')}
                stroke="var(--chart-1)"
                strokeWidth={2}
                dot={{ r: 3 }}
                connectNulls
                isAnimationActive={false}
              />
            </LineChart>
          </ResponsiveContainer>
        </div>
      </section>
    </div>
  )
}
