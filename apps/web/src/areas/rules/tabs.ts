export const TABS = ['instant', 'delayed'] as const
export type Tab = (typeof TABS)[number]
