import { existsSync, readdirSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import express, { type RequestHandler, Router } from 'express'
import { endpoints } from '../endpoints'
import { createOpenApiDocument } from '../openapi'
import { referencePage } from './reference-page'
import { startPage } from './start-page'
import { STYLE } from './style'

/** `/docs` and `/openapi.json`, for people and programs. */
export function createDocsRouter(): Router {
  const document = createOpenApiDocument(endpoints)
  const reference = referencePage(document as unknown as Readonly<Record<string, unknown>>)
  const router = Router()
  router.get('/openapi.json', (_request, response) => {
    response.json(document)
  })
  router.get('/docs', (_request, response) => {
    response.type('html').send(reference)
  })
  router.get('/docs/style.css', (_request, response) => {
    response.type('css').set('cache-control', 'public, max-age=3600').send(STYLE)
  })
  return router
}

const BUILT_WEB = join(__dirname, '..', '..', '..', 'web', 'dist')

/** The web interface where it is built; its own addresses all answer with its one page. Else a page that says where to look. */
export function createWebRouter(directory = BUILT_WEB): Router {
  const router = Router()
  const entry = join(directory, 'index.html')
  if (!existsSync(entry)) {
    router.get('/', (_request, response) => {
      response.type('html').send(startPage)
    })
    return router
  }
  router.use(compressedWhereTaken(directory))
  // The names of assets change with their contents.
  router.use('/assets', express.static(join(directory, 'assets'), { index: false, maxAge: '1y', immutable: true }))
  router.use(express.static(directory, { index: false, maxAge: '1h' }))
  router.get(/^\/(?!api\/|admin\/|assets\/|docs\b)/, (request, response, next) => {
    if (!request.accepts('html')) next()
    else response.set('cache-control', 'no-cache').sendFile(entry)
  })
  return router
}

/** Files that were built with a compressed form beside them are sent in it to whoever takes it. */
function compressedWhereTaken(directory: string): RequestHandler {
  const files = new Set(
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.gz'))
      .map((name) => `/${name.slice(0, -'.gz'.length).split(sep).join('/')}`),
  )
  return (request, response, next) => {
    const { path } = request
    if (files.has(path)) {
      response.vary('Accept-Encoding')
      if (request.acceptsEncodings('gzip')) {
        response.type(extname(path)).set('content-encoding', 'gzip')
        request.url = `${path}.gz`
      }
    }
    next()
  }
}
