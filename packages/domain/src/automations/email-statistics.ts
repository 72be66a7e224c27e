/** Counters of one or several revisions of an e-mail action. `…Tracked`: sends whose opens or clicks could be seen. */
export interface EmailCounters {
  readonly sent: number
  readonly delivered: number
  readonly opened: number
  readonly clicked: number
  readonly openTracked: number
  readonly clickTracked: number
}

/** `stats` of an e-mail action. DESIGN section 4. */
export interface EmailStatistics {
  readonly sent_count: number
  readonly delivered_count: number
  readonly opened_count: number
  readonly clicked_count: number
  /** Whole percent of the sends whose opens were tracked; null when there were none. */
  readonly opened_rate: number | null
  readonly clicked_rate: number | null
}

/** Over all revisions of the action. */
export function emailStatistics(revisions: readonly EmailCounters[]): EmailStatistics {
  const sum = (key: keyof EmailCounters) => revisions.reduce((total, revision) => total + revision[key], 0)
  return {
    sent_count: sum('sent'),
    delivered_count: sum('delivered'),
    opened_count: sum('opened'),
    clicked_count: sum('clicked'),
    opened_rate: rate(sum('opened'), sum('openTracked')),
    clicked_rate: rate(sum('clicked'), sum('clickTracked')),
  }
}

function rate(count: number, tracked: number): number | null {
  return tracked === 0 ? null : Math.round((count / tracked) * 100)
}
