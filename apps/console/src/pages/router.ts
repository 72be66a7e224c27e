import { existsSync } from 'node:fs'
import { join } from 'node:path'
import express, { Router } from 'express'
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
  router.use(express.static(directory, { index: false, maxAge: '1h' }))
  router.get(/^\/(?!api\/|admin\/|docs\b)/, (request, response, next) => {
    if (!request.accepts('html')) next()
    else response.set('cache-control', 'no-cache').sendFile(entry)
  })
  return router
}
