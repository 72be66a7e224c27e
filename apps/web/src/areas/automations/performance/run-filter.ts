import type { RunFilter } from '../automation-queries'
import type { AutomationView } from '../automation-view'

/** What the address says about the list of runs. */
export function runFilterOf({ from, to, status, order, search }: AutomationView): RunFilter {
  const range = from === undefined || to === undefined ? null : { from, to }
  return { range, status, order, search }
}
