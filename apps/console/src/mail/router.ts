import type { Micros } from '@dwell/contracts/instant'
import { findAccount } from '@dwell/database/accounts'
import { recordClick, recordOpen } from '@dwell/database/automations/mail-visits'
import { optOutMember } from '@dwell/database/automations/opt-out'
import {
  CLICK_PATH,
  type MailTicket,
  openClick,
  openPixel,
  openUnsubscribe,
  PIXEL_PATH,
  UNSUBSCRIBE_PATH,
} from '@dwell/domain/automations/email/mail-links'
import { isWebAddress } from '@dwell/domain/automations/email/sanitise-html'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { Dependencies } from '../dependencies'
import { Problem } from '../http/problem'
import type { ObserveRequest } from '../middleware/request-metrics'
import { brokenLinkPage, confirmPage, donePage } from './unsubscribe-page'

/** The least a picture can be: one transparent point. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
/** Longer than this nobody waits for a count before they are sent on. */
const RECORD_LIMIT_MS = 2_000

/** What the addresses in mails lead to. Everything a request says stands in its signed token; nobody is signed in. */
export function createMailRouter(deps: Dependencies, observe: ObserveRequest): Router {
  const { signingKey } = deps.config
  // Without a key no mail was sent that could lead here.
  const key = signingKey === undefined ? null : Buffer.from(signingKey, 'utf8')
  const opened = <Ticket>(open: (key: Uint8Array, token: unknown) => Ticket | null, request: Request) =>
    key === null ? null : open(key, request.params.token)
  const router = Router({ caseSensitive: true })
  const route = (path: string) => router.route(`${path}/:token`).all(prepared(observe, `${path}/{token}`))

  route(UNSUBSCRIBE_PATH)
    .get(async (request, response) => {
      const ticket = opened(openUnsubscribe, request)
      if (ticket === null) answerPage(response, brokenLinkPage, 404)
      else answerPage(response, confirmPage(await accountName(deps, ticket)))
    })
    // RFC 8058. What the body says is not asked: no mail program and nobody's browser posts here without being told to.
    .post(async (request, response) => {
      const ticket = opened(openUnsubscribe, request)
      if (ticket === null) return answerPage(response, brokenLinkPage, 404)
      await optOutMember(deps.pool, ticket.accountId, ticket.memberId, await deps.clock.now())
      answerPage(response, donePage(await accountName(deps, ticket)))
    })
    .all(refuseOther('GET, HEAD, POST'))

  route(PIXEL_PATH)
    .get(async (request, response) => {
      const ticket = opened(openPixel, request)
      if (ticket !== null && counts(request)) await record(deps, (now) => recordOpen(deps.pool, ticket, now))
      // Mail programs show it in pages of their own.
      response.set('cross-origin-resource-policy', 'cross-origin').type('gif').send(PIXEL)
    })
    .all(refuseOther('GET, HEAD'))

  route(CLICK_PATH)
    .get(async (request, response) => {
      const click = opened(openClick, request)
      if (click === null || !isWebAddress(click.url)) return answerPage(response, brokenLinkPage, 404)
      if (counts(request)) await record(deps, (now) => recordClick(deps.pool, click, click.url, now))
      response.redirect(302, click.url)
    })
    .all(refuseOther('GET, HEAD'))

  return router
}

/** Nothing of it is kept anywhere, and nobody is told where somebody came from: the address is a key. */
function prepared(observe: ObserveRequest, name: string): RequestHandler {
  return (_request, response, next) => {
    observe.as(response, name)
    response.set({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' })
    next()
  }
}

function refuseOther(allowed: string): RequestHandler {
  return () => {
    throw new Problem(405, 'method_not_allowed', `Only ${allowed} here.`, { headers: { allow: allowed } })
  }
}

function answerPage(response: Response, text: string, status = 200): void {
  response.status(status).type('html').send(text)
}

async function accountName(deps: Dependencies, { accountId }: MailTicket): Promise<string | null> {
  return (await findAccount(deps.pool, accountId))?.name ?? null
}

/** Somebody has looked: neither a program that asks whether the address answers, nor a browser that loads ahead. */
function counts(request: Request): boolean {
  const ahead = [request.get('sec-purpose'), request.get('purpose'), request.get('x-moz'), request.get('x-purpose')]
  return request.method === 'GET' && !ahead.some((purpose) => /\b(?:prefetch|preview|prerender)\b/i.test(purpose ?? ''))
}

/** A count that cannot be kept is noted; the picture is shown and the link followed all the same. */
async function record({ clock, logger }: Dependencies, write: (now: Micros) => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, RECORD_LIMIT_MS)
  })
  const written = clock
    .now()
    .then(write)
    .catch((error: unknown) => logger.error('a visit could not be recorded', { event: 'mail.unrecorded', error }))
  await Promise.race([written, limit])
  clearTimeout(timer)
}
