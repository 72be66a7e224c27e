/** Braces keep all keys of a queue in one slot of a cluster. */
export const QUEUE_PREFIX = '{dwell}'

export const QUEUE_NAMES = ['sweep', 'process', 'step', 'deliver', 'settle', 'retention'] as const
export type QueueName = (typeof QUEUE_NAMES)[number]
