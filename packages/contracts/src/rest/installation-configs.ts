import { z } from 'zod'
import { INSTALLATION_CONFIG_DEFAULTS, type InstallationConfigName } from '../pending-execution'
import { instantSchema } from './answers'

export const INSTALLATION_CONFIG_NAMES = Object.keys(
  INSTALLATION_CONFIG_DEFAULTS,
) as readonly InstallationConfigName[] as readonly [InstallationConfigName, ...InstallationConfigName[]]

export const MAX_SWEEP_LIMIT = 100_000

/** What the settings mean, whatever text they were stored as. */
export interface InstallationConfigs {
  readonly DISABLE_DELAYED_AUTOMATIONS: boolean
  readonly AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT: number
  readonly DELAYED_AUTOMATIONS_WHEN_DISABLED: 'skip' | 'pause'
}

/** What a setting is for, and what may be put in: for a form. */
export interface InstallationConfigDescription {
  readonly description: string
  readonly type: 'boolean' | 'integer' | 'choice'
  readonly minimum?: number
  readonly maximum?: number
  choices?: string[]
}

const DESCRIPTIONS: Readonly<Record<InstallationConfigName, InstallationConfigDescription>> = {
  DISABLE_DELAYED_AUTOMATIONS: {
    description: 'Kill switch: true stops all delayed executions within one sweep. What waits goes on waiting.',
    type: 'boolean',
  },
  AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT: {
    description: 'Rows that one sweep takes at most; the rest waits for the next.',
    type: 'integer',
    minimum: 1,
    maximum: MAX_SWEEP_LIMIT,
  },
  DELAYED_AUTOMATIONS_WHEN_DISABLED: {
    description:
      'What becomes of waiting rows while an account is without the feature: skipped, or kept until it returns.',
    type: 'choice',
    choices: ['skip', 'pause'],
  },
}

export function describeInstallationConfig(name: InstallationConfigName): InstallationConfigDescription {
  return DESCRIPTIONS[name]
}

const EXPECTED: Readonly<Record<InstallationConfigName, string>> = {
  DISABLE_DELAYED_AUTOMATIONS: 'must be true or false',
  AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT: `must be a whole number between 1 and ${MAX_SWEEP_LIMIT}`,
  DELAYED_AUTOMATIONS_WHEN_DISABLED: 'must be skip or pause',
}

const CASTS: {
  readonly [N in InstallationConfigName]: (value: boolean | number | string) => InstallationConfigs[N] | null
} = {
  DISABLE_DELAYED_AUTOMATIONS: castBoolean,
  AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT: castLimit,
  DELAYED_AUTOMATIONS_WHEN_DISABLED: (value) => {
    const text = typeof value === 'string' ? value.trim().toLowerCase() : null
    return text === 'skip' || text === 'pause' ? text : null
  },
}

export function isInstallationConfigName(name: string): name is InstallationConfigName {
  return Object.hasOwn(INSTALLATION_CONFIG_DEFAULTS, name)
}

/** The meaning of a stored value: the text "false" is false, "50" is 50. Null where it has none. */
export function castInstallationConfig<N extends InstallationConfigName>(
  name: N,
  value: unknown,
): InstallationConfigs[N] | null {
  if (typeof value !== 'boolean' && typeof value !== 'number' && typeof value !== 'string') return null
  return CASTS[name](value)
}

/** All settings, from what is stored; what is not stored or has no meaning counts as its default. */
export function castInstallationConfigs(stored: Readonly<Record<string, unknown>>): InstallationConfigs {
  return {
    DISABLE_DELAYED_AUTOMATIONS: castOrDefault('DISABLE_DELAYED_AUTOMATIONS', stored),
    AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT: castOrDefault('AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT', stored),
    DELAYED_AUTOMATIONS_WHEN_DISABLED: castOrDefault('DELAYED_AUTOMATIONS_WHEN_DISABLED', stored),
  }
}

function castOrDefault<N extends InstallationConfigName>(
  name: N,
  stored: Readonly<Record<string, unknown>>,
): InstallationConfigs[N] {
  return castInstallationConfig(name, stored[name]) ?? (INSTALLATION_CONFIG_DEFAULTS[name] as InstallationConfigs[N])
}

/** Body of `PUT /installation_configs/:name`: the value is kept as given, once it has a meaning. */
export function installationConfigBody(name: InstallationConfigName) {
  return z.strictObject({
    value: z
      .union([z.boolean(), z.number(), z.string()], EXPECTED[name])
      .refine((value) => castInstallationConfig(name, value) !== null, EXPECTED[name]),
  })
}

const value = z.union([z.boolean(), z.number(), z.string()])
/** For the description of the API, which knows no body that depends on the path. */
export const anyInstallationConfigBody = z.object({ value }).meta({ id: 'InstallationConfigChange' })

export const installationConfigAnswer = z
  .object({
    name: z.enum(INSTALLATION_CONFIG_NAMES),
    value: value.meta({ description: 'As it was given; the default where nothing is stored.' }),
    default: value,
    description: z.string(),
    type: z.enum(['boolean', 'integer', 'choice']),
    minimum: z.int().optional(),
    maximum: z.int().optional(),
    choices: z.array(z.string()).optional(),
    updated_at: instantSchema.nullable(),
  })
  .meta({ id: 'InstallationConfig' })
export type InstallationConfigAnswer = z.output<typeof installationConfigAnswer>

function castBoolean(value: boolean | number | string): boolean | null {
  if (typeof value === 'boolean') return value
  const text = String(value).trim().toLowerCase()
  if (['true', '1', 'yes', 'on'].includes(text)) return true
  return ['false', '0', 'no', 'off'].includes(text) ? false : null
}

function castLimit(value: boolean | number | string): number | null {
  if (typeof value === 'boolean' || (typeof value === 'string' && !/^\s*\d+\s*$/.test(value))) return null
  const limit = Number(value)
  return Number.isInteger(limit) && limit >= 1 && limit <= MAX_SWEEP_LIMIT ? limit : null
}
