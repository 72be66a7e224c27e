import {
  MAX_RE_ENTRY_DAYS,
  MAX_TIER_ID_CHARACTERS,
  MIN_RE_ENTRY_DAYS,
  RE_ENTRIES,
  type ReEntry,
  TIER_SCOPES,
  type TierScope,
  type Trigger,
} from '@dwell/contracts/automations'
import type { ReEntryPolicy } from './automation'
import type { AutomationBody } from './body'
import { type FaultList, textFault, wholeNumberFault } from './fault-list'

/** Of nobody in particular: what an automation has whose creation does not say. */
export const NO_TRIGGER: Trigger = { scope: null, tierIds: [] }
export const ALWAYS: ReEntryPolicy = { reEntry: 'always', days: null }

/** What is left out stays as it is. Tiers go with `selected_paid`, at least one; the same twice is once. */
export function readTrigger(body: AutomationBody, stored: Trigger, faults: FaultList): Trigger {
  const scope = readScope(body.trigger_tier_scope, stored.scope, faults)
  const tierIds = readTierIds(body.trigger_tier_ids, faults)
  if (scope === undefined || tierIds === null) return stored
  const kept = stored.scope === 'selected_paid' && scope === 'selected_paid' ? stored.tierIds : []
  const chosen = tierIds ?? kept
  if (scope === 'selected_paid' && chosen.length === 0) {
    faults.add('/trigger_tier_ids', 'tiers_missing', 'selected_paid needs at least one tier')
  }
  if (scope !== 'selected_paid' && chosen.length > 0) {
    faults.add('/trigger_tier_ids', 'tiers_not_allowed', 'tiers go with trigger_tier_scope selected_paid only')
  }
  return { scope, tierIds: chosen }
}

function readScope(value: unknown, stored: TierScope | null, faults: FaultList): TierScope | null | undefined {
  if (value === undefined) return stored
  if (value === null) return null
  const scope = TIER_SCOPES.find((known) => known === value)
  if (scope === undefined) {
    faults.add(
      '/trigger_tier_scope',
      'unknown_scope',
      `trigger_tier_scope must be null or one of ${TIER_SCOPES.join(', ')}`,
    )
  }
  return scope
}

/** Undefined where nothing is said, null where what is said is wrong. */
function readTierIds(value: unknown, faults: FaultList): readonly string[] | undefined | null {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) {
    faults.add('/trigger_tier_ids', 'tiers_not_a_list', 'trigger_tier_ids must be a list of tier ids')
    return null
  }
  let valid = true
  for (const [i, id] of value.entries()) {
    const fault = textFault(id, { min: 1, max: MAX_TIER_ID_CHARACTERS })
    if (fault === null) continue
    faults.add(`/trigger_tier_ids/${i}`, 'invalid_tier', `a tier id ${fault}`)
    valid = false
  }
  return valid ? [...new Set(value as string[])] : null
}

/** `re_entry_days` goes with `after_days`; what is left out stays as it is. */
export function readReEntry(body: AutomationBody, stored: ReEntryPolicy, faults: FaultList): ReEntryPolicy {
  const reEntry = readPolicy(body.re_entry, stored.reEntry, faults)
  if (reEntry === undefined) return stored
  const days = body.re_entry_days ?? null
  if (reEntry !== 'after_days') {
    if (days === null) return { reEntry, days: null }
    faults.add('/re_entry_days', 'days_not_allowed', 're_entry_days goes with re_entry after_days only')
    return stored
  }
  if (days === null && stored.reEntry === 'after_days') return stored
  const fault = wholeNumberFault(days, MIN_RE_ENTRY_DAYS, MAX_RE_ENTRY_DAYS)
  if (fault === null) return { reEntry, days: Number(days) }
  faults.add('/re_entry_days', days === null ? 'days_missing' : 'invalid_days', `re_entry_days ${fault}`)
  return stored
}

function readPolicy(value: unknown, stored: ReEntry, faults: FaultList): ReEntry | undefined {
  if (value === undefined) return stored
  const policy = RE_ENTRIES.find((known) => known === value)
  if (policy === undefined)
    faults.add('/re_entry', 'unknown_re_entry', `re_entry must be one of ${RE_ENTRIES.join(', ')}`)
  return policy
}
