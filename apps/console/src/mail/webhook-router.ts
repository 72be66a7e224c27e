import { createHash } from 'node:crypto'
import { MICROS_PER_SECOND } from '@dwell/contracts/instant'
import { accountSettings } from '@dwell/database/account-settings'
import type { ProviderWebhook } from '@dwell/domain/automations/provider-webhooks/provider-webhook'
import { providerWebhook } from '@dwell/domain/automations/provider-webhooks/providers'
import { SIGNATURE_WINDOW, valueIn } from '@dwell/domain/automations/provider-webhooks/signing'
import { Router } from 'express'
import type { Dependencies } from '../dependencies'
import { readBytes } from '../http/body'
import { notFound, Problem } from '../http/problem'
import type { ObserveRequest } from '../middleware/request-metrics'
import { type EmailEventResults, readEmailEvent, recordAll } from '../routes/email-events'

const PATH = '/mail/webhooks/{provider}/{account_id}'

/**
 * Where providers of e-mail report what became of mails. Who they are is shown by the signature of the body alone, so an
 * account that is not there answers like a wrong signature.
 */
export function createProviderWebhookRouter(deps: Dependencies, observe: ObserveRequest): Router {
  const router = Router({ caseSensitive: true })
  const route = router.route(PATH.replaceAll(/\{(\w+)\}/g, ':$1'))
  route.all((_request, response, next) => {
    observe.as(response, PATH)
    response.set('cache-control', 'no-store')
    next()
  })
  route.post(async (request, response) => {
    const { provider: name, account_id: account } = request.params as Record<string, string>
    const provider = providerWebhook(name)
    if (provider === null) throw notFound('No provider of this name reports here.')
    const body = await readBytes(request, response, deps.config.maxBodyBytes)
    const accountId = /^[1-9]\d{0,14}$/.test(account ?? '') ? Number(account) : 0
    const secrets = secretsOf(await accountSettings(deps.pool, accountId), name ?? '')
    const header = (wanted: string) => request.get(wanted) ?? null
    if (!provider.isGenuine({ header, body }, secrets, await deps.clock.now())) throw unsigned()
    response.json({ payload: await take(deps, accountId, provider, jsonOf(body)) })
  })
  route.all(() => {
    throw new Problem(405, 'method_not_allowed', 'Only POST here.', { headers: { allow: 'POST' } })
  })
  return router
}

const NOTHING: EmailEventResults = { recorded: 0, results: [] }

/** What cannot be used is told in the answer, never by its status: the provider would send it again for hours. */
async function take(
  deps: Dependencies,
  accountId: number,
  provider: ProviderWebhook,
  body: unknown,
): Promise<EmailEventResults> {
  const once = provider.once?.(body) ?? null
  const key = once === null ? null : usedKey(accountId, once)
  if (key !== null && !(await isFirstUse(deps, key))) return NOTHING
  try {
    return await recordAll(
      deps.pool,
      accountId,
      provider.events(body).map((event, index) => readEmailEvent(event, `/${index}`)),
    )
  } catch (error) {
    if (key !== null) await deps.redis.del(key)
    throw error
  }
}

function usedKey(accountId: number, once: string): string {
  return `dwell:used_webhook:${accountId}:${createHash('sha256').update(once).digest('hex')}`
}

/** Kept for as long as the signature holds, whichever clock is ahead. */
async function isFirstUse({ redis }: Dependencies, key: string): Promise<boolean> {
  return (await redis.set(key, '1', 'EX', (2 * SIGNATURE_WINDOW) / MICROS_PER_SECOND, 'NX')) === 'OK'
}

function secretsOf(settings: Readonly<Record<string, unknown>>, provider: string): string[] {
  const secrets = valueIn(settings, 'mail_webhook_secrets', provider)
  return Array.isArray(secrets) ? secrets.filter((secret) => typeof secret === 'string') : []
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new Problem(400, 'malformed_json', 'The body is not JSON.')
  }
}

const unsigned = (): Problem =>
  new Problem(401, 'unsigned', 'The signature is missing, wrong, or made more than five minutes ago.')
