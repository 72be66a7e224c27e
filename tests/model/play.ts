import fc from 'fast-check'
import { compareTogether, type Difference } from './comparison'
import { type History, historyOf } from './history'
import { planFor } from './plan'
import type { Product } from './product'
import { shrink } from './shrink'
import { timelineOf } from './timeline'

/** Histories that share a clock, and so the sweeps and batches of the product. */
const SIDE_BY_SIDE = 50
const REPORT_EVERY = 2_000

export interface Findings {
  played: number
  /** How many rows there were at the end, by kind of episode and how they ended: what was tried at all. */
  rows: Map<string, number>
  /** How many histories the documents did not decide, by the reason. */
  gaps: Map<string, number>
  found: { index: number; difference: Difference; history: History | null } | null
}

interface Options {
  seed: number
  histories: number
  /** Whether a history that differs is made small. */
  shrinks: boolean
  log: (text: string) => void
}

/** Plays random histories until one of them tells product and model apart. */
export async function play(product: Product, { seed, histories, shrinks, log }: Options): Promise<Findings> {
  const findings: Findings = { played: 0, rows: new Map(), gaps: new Map(), found: null }
  for (let round = seed; findings.played < histories && findings.found === null; round += 1) {
    const timeline = timelineOf(round)
    const numRuns = Math.min(SIDE_BY_SIDE, histories - findings.played)
    const plans = fc.sample(planFor(timeline.length), { seed: round, numRuns })
    const results = await compareTogether(
      product,
      plans.map((plan) => historyOf(plan, timeline)),
    )
    for (const { gap, rows } of results) {
      if (gap !== null) count(findings.gaps, gap)
      for (const row of rows) count(findings.rows, `${kindOf(row.episode_key)} ${row.skip_reason ?? row.status}`)
    }
    const index = results.findIndex(({ difference }) => difference !== null)
    const difference = results[index]?.difference
    const plan = plans[index]
    if (difference && plan !== undefined) {
      const small = shrinks ? await shrink(product, { timeline, plan }) : { difference, history: null }
      findings.found = { index: findings.played + index, ...small }
    }
    findings.played += numRuns
    if (findings.played % REPORT_EVERY === 0) log(`${findings.played} histories`)
  }
  return findings
}

function kindOf(key: string): string {
  return key.slice(0, key.indexOf(':'))
}

function count(counts: Map<string, number>, key: string) {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
