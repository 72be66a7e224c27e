import { mailgun } from './mailgun'
import type { ProviderWebhook } from './provider-webhook'
import { sendgrid } from './sendgrid'
import { standard } from './standard'

const PROVIDERS: Readonly<Record<string, ProviderWebhook>> = { standard, mailgun, sendgrid }

/** Null for a name that nobody has. */
export function providerWebhook(name: unknown): ProviderWebhook | null {
  return typeof name === 'string' && Object.hasOwn(PROVIDERS, name) ? (PROVIDERS[name] ?? null) : null
}
