import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import express from 'express'
import { createWebRouter } from './router'

const directory = mkdtempSync(join(tmpdir(), 'dwell-web-'))
let url = ''
const server = createServer()

beforeAll(async () => {
  mkdirSync(join(directory, 'assets'))
  writeFileSync(join(directory, 'index.html'), '<!doctype html><title>interface</title>')
  writeFileSync(join(directory, 'assets', 'main.js'), 'export {}')
  writeFileSync(join(directory, 'assets', 'main.js.gz'), gzipSync('export {}'))
  server.on('request', express().use(createWebRouter(directory)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  rmSync(directory, { recursive: true })
})

const get = (path: string, accept = 'text/html') => fetch(`${url}${path}`, { headers: { accept } })

describe('a built web interface', () => {
  test.each(['/', '/accounts/1/rules', '/accounts/1/rules/7?tab=delayed'])(
    'answers %s with its one page',
    async (path) => {
      const reply = await get(path)
      expect(reply.status).toBe(200)
      expect(reply.headers.get('cache-control')).toBe('no-cache')
      expect(await reply.text()).toContain('<title>interface</title>')
    },
  )

  test('serves its assets, and does not answer for what is not its own', async () => {
    expect((await get('/assets/main.js')).headers.get('content-type')).toContain('javascript')
    for (const path of ['/api/v1/nowhere', '/admin/nowhere', '/docs/nowhere'])
      expect((await get(path)).status).toBe(404)
    expect((await get('/assets/gone.js')).status).toBe(404)
    expect((await get('/..%2f..%2fetc%2fpasswd')).status).not.toBe(500)
  })

  test.each([
    ['gzip', 'gzip'],
    ['identity', null],
  ])('sends an asset to whoever takes %s, to be kept for ever, as the script that it is', async (taken, encoding) => {
    const reply = await fetch(`${url}/assets/main.js`, { headers: { 'accept-encoding': taken } })
    expect(reply.headers.get('content-encoding')).toBe(encoding)
    expect(reply.headers.get('vary')).toContain('Accept-Encoding')
    expect(reply.headers.get('content-type')).toContain('javascript')
    expect(reply.headers.get('cache-control')).toContain('immutable')
    expect(await reply.text()).toBe('export {}')
  })
})

test('without a build the root says where to look', async () => {
  const bare = createServer(express().use(createWebRouter(join(directory, 'nowhere'))))
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve))
  try {
    const reply = await fetch(`http://127.0.0.1:${(bare.address() as AddressInfo).port}/`)
    expect(reply.status).toBe(200)
    expect(await reply.text()).toMatch(/\/docs.*\/admin\/queues/s)
  } finally {
    bare.close()
  }
})
