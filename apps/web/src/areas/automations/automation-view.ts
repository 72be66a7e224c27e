import { RUN_STATUSES, type RunStatus } from '@dwell/contracts/automations'
import { dayParam, oneOf, textParam } from '../../app/search-params'

/** What is open on the page of an automation; all of it stands in the address. */
export interface AutomationView {
  readonly panel?: 'performance'
  /** The run whose history stands in place of the path. */
  readonly run?: string
  readonly status?: RunStatus
  /** By entry; newest first unless said. */
  readonly order?: 'asc'
  /** Days in the browser's zone, both included; without them all time. */
  readonly from?: string
  readonly to?: string
  readonly search?: string
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const MAX_SEARCH_CHARACTERS = 1_000

export function automationView(search: Record<string, unknown>): AutomationView {
  const from = dayParam(search.from)
  const to = dayParam(search.to)
  const dated = from !== undefined && to !== undefined && from <= to
  return {
    panel: oneOf(search.panel, ['performance'] as const),
    run: typeof search.run === 'string' && UUID.test(search.run) ? search.run : undefined,
    status: oneOf(search.status, RUN_STATUSES),
    order: oneOf(search.order, ['asc'] as const),
    from: dated ? from : undefined,
    to: dated ? to : undefined,
    search: textParam(search.search, MAX_SEARCH_CHARACTERS),
  }
}
