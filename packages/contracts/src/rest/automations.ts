import { z } from 'zod'
import {
  ACTION_TYPES,
  AUTOMATION_STATUSES,
  EMAIL_FORMATS,
  END_REASONS,
  MAX_RE_ENTRY_DAYS,
  MAX_SUBJECT_CHARACTERS,
  MAX_WAIT_HOURS,
  MIN_RE_ENTRY_DAYS,
  MIN_WAIT_HOURS,
  RE_ENTRIES,
  RUN_STATUSES,
  SEARCH_STATES,
  STEP_STATUSES,
  TIER_SCOPES,
} from '../automations'

/** The shapes of automations as the API answers them; what a save may hold is checked by `@dwell/domain/automations`. */

const uuid = z.guid()
/** ISO 8601 in UTC with three fractional digits. */
const milliseconds = z.iso.datetime({ precision: 3 }).meta({ example: '2026-09-14T12:00:00.123Z' })

const waitData = z.object({ wait_hours: z.int().min(MIN_WAIT_HOURS).max(MAX_WAIT_HOURS) })
const emailData = z.object({
  email_subject: z.string().max(MAX_SUBJECT_CHARACTERS),
  email_body: z.string(),
  email_format: z.enum(EMAIL_FORMATS),
})

const emailStatistics = z
  .object({
    sent_count: z.int(),
    delivered_count: z.int(),
    opened_count: z.int(),
    clicked_count: z.int(),
    opened_rate: z.int().nullable().meta({ description: 'Whole percent of the tracked sends; null without any.' }),
    clicked_rate: z.int().nullable(),
  })
  .meta({ id: 'EmailStatistics' })

export const automationActionAnswer = z
  .discriminatedUnion('type', [
    z.object({ id: uuid, type: z.literal('wait'), data: waitData }),
    z.object({ id: uuid, type: z.literal('send_email'), data: emailData, stats: emailStatistics.optional() }),
  ])
  .meta({ id: 'AutomationAction' })

const summary = {
  id: uuid,
  slug: z.string().nullable(),
  name: z.string(),
  description: z.string(),
  status: z.enum(AUTOMATION_STATUSES),
  version: z.int().meta({ description: 'Also the ETag; a save made on another one is answered 412.' }),
  created_at: milliseconds,
  updated_at: milliseconds,
}

export const automationSummaryAnswer = z
  .object({
    ...summary,
    stats: z
      .object({
        last_run_created_at: milliseconds.nullable(),
        total_run_count: z.int(),
        in_progress_run_count: z.int(),
      })
      .optional()
      .meta({ description: 'Left out where statistics cannot be read.' }),
  })
  .meta({ id: 'AutomationSummary' })

export const automationAnswer = z
  .object({
    ...summary,
    trigger_tier_scope: z.enum(TIER_SCOPES).nullable(),
    trigger_tier_ids: z.array(z.string()),
    re_entry: z.enum(RE_ENTRIES),
    re_entry_days: z.int().min(MIN_RE_ENTRY_DAYS).max(MAX_RE_ENTRY_DAYS).nullable(),
    actions: z.array(automationActionAnswer),
    edges: z.array(z.object({ source_action_id: uuid, target_action_id: uuid })),
  })
  .meta({ id: 'Automation' })
export type AutomationAnswer = z.output<typeof automationAnswer>

export const performanceStatsAnswer = z
  .object({
    automation_id: uuid,
    total_run_count: z.int(),
    in_progress_run_count: z.int(),
    completed_run_count: z.int(),
    exited_early_run_count: z.int(),
    entries: z.array(z.object({ date: z.union([z.iso.date(), milliseconds]), count: z.int() })),
    entry_window: z.object({
      date_from: z.iso.date(),
      date_to: z.iso.date().meta({ description: 'Not included.' }),
      bucket: z.enum(['hour', 'day']),
      timezone: z.string(),
    }),
  })
  .meta({ id: 'AutomationPerformanceStats' })

const runMember = z
  .object({ id: z.string(), name: z.string().nullable(), email: z.string().nullable() })
  .nullable()
  .meta({ description: 'Present details; null once the member is deleted.' })

export const runAnswer = z
  .object({
    id: uuid,
    created_at: milliseconds,
    status: z.enum(RUN_STATUSES),
    failed: z.boolean(),
    member: runMember,
  })
  .meta({ id: 'AutomationRun' })

export const runPagination = z
  .object({
    limit: z.int(),
    next_cursor: z.string().nullable(),
    state: z.enum(SEARCH_STATES).optional(),
    search: z.string().optional(),
  })
  .meta({ id: 'RunPagination' })

export const runHistoryAnswer = z
  .object({
    ...runAnswer.shape,
    automation_id: uuid,
    ended_at: milliseconds.nullable(),
    end_reason: z.enum(END_REASONS).nullable(),
    steps: z.array(
      z.object({
        id: uuid,
        automation_action_revision_id: uuid,
        status: z.enum(STEP_STATUSES),
        created_at: milliseconds,
        updated_at: milliseconds,
        ready_at: milliseconds,
        started_at: milliseconds.nullable(),
        finished_at: milliseconds.nullable(),
        email_sent_at: milliseconds.nullable(),
        email_delivered_at: milliseconds.nullable(),
        action: z.object({ id: uuid, type: z.enum(ACTION_TYPES), data: z.union([waitData, emailData]) }),
      }),
    ),
  })
  .meta({ id: 'AutomationRunHistory' })
