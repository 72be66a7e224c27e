import type { RequestHandler } from 'express'
import helmet from 'helmet'

type Directives = Readonly<Record<string, readonly string[]>>

/** Nothing from elsewhere, nothing inline; our own pages need no more. */
const STRICT: Directives = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  fontSrc: ["'self'"],
  connectSrc: ["'self'"],
  manifestSrc: ["'self'"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
}

/** Bull Board styles its elements inline and sets a base address. */
const BOARD: Directives = { ...STRICT, styleSrc: ["'self'", "'unsafe-inline'"], baseUri: ["'self'"] }

export const securityHeaders: RequestHandler = headersWith(STRICT)
export const boardSecurityHeaders: RequestHandler = headersWith(BOARD)

function headersWith(directives: Directives): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: Object.fromEntries(Object.entries(directives).map(([name, sources]) => [name, [...sources]])),
    },
    // The session cookie is SameSite=Strict; nobody needs to know where a link was followed from.
    referrerPolicy: { policy: 'same-origin' },
  })
}
