import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import type { Bar as EntryBar } from './entries-summary'
import classes from './performance-panel.module.css'

const AXIS = { stroke: 'var(--mantine-color-dimmed)', tickLine: false } as const
const BOX = { background: 'var(--surface)', border: '1px solid var(--line)', borderRadius: 8, fontSize: 13 } as const

/** Loaded by itself: only this view needs the library. The caption of the figure says the same in words. */
export function EntriesChart({ bars, label }: { readonly bars: readonly EntryBar[]; readonly label: string }) {
  return (
    <div className={classes.plot} aria-hidden>
      <ResponsiveContainer width="100%" height="100%">
        <BarChart data={[...bars]} accessibilityLayer={false} margin={{ top: 6, right: 2, bottom: 0, left: 0 }}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis dataKey="tick" {...AXIS} minTickGap={28} />
          <YAxis allowDecimals={false} {...AXIS} axisLine={false} width="auto" tickFormatter={countWords} />
          <Tooltip
            contentStyle={BOX}
            cursor={{ fill: 'var(--surface-sunken)' }}
            formatter={countWords}
            separator=": "
            labelFormatter={(_tick, items) => items[0]?.payload.label}
          />
          <Bar dataKey="count" name={label} fill="var(--bar)" isAnimationActive={false} maxBarSize={28} />
        </BarChart>
      </ResponsiveContainer>
    </div>
  )
}

const countWords = (count: unknown) => Number(count).toLocaleString()
