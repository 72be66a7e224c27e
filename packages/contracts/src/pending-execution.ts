/** The words of a pending execution, the same in database, code, API, logs and metrics. Seed phase 1. */
export const PENDING_EXECUTION_STATUSES = ['pending', 'processing', 'executed', 'skipped'] as const
export type PendingExecutionStatus = (typeof PENDING_EXECUTION_STATUSES)[number]

export const SKIP_REASONS = [
  'rule_inactive',
  'flag_disabled',
  'conversation_gone',
  'episode_moved',
  'conditions_changed',
  'expired',
  'rule_changed',
] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

/** `unknown`: the target may or may not have taken it; a person decides. `dismissed`: a person decided not to send. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'unknown', 'dismissed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** Where an action leaves: the outbound stream, an HTTP POST, an e-mail. */
export const DELIVERY_TARGETS = ['stream', 'webhook', 'smtp'] as const
export type DeliveryTarget = (typeof DELIVERY_TARGETS)[number]

export interface DeliveryAttempt {
  /** ISO instant. */
  readonly at: string
  readonly outcome: 'delivered' | 'failed' | 'unknown'
  readonly error?: string
}

/** Account feature that lets rules wait; seed decision 2. */
export const DELAYED_AUTOMATIONS = 'delayed_automations'

/** Installation settings and their defaults; reference names of the seed. */
export const INSTALLATION_CONFIG_DEFAULTS = {
  DISABLE_DELAYED_AUTOMATIONS: false,
  AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT: 1000,
  DELAYED_AUTOMATIONS_WHEN_DISABLED: 'skip',
} as const
export type InstallationConfigName = keyof typeof INSTALLATION_CONFIG_DEFAULTS
