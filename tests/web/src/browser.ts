import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { instance } from './desk'

const SCREENS = join(__dirname, '..', '..', '..', 'reports', 'screens')
const VIEW = { width: 1280, height: 860 }

/** One browser for a test file. */
export function useBrowser(): () => Browser {
  let browser: Browser | undefined
  beforeAll(async () => {
    const sandboxed = process.getuid?.() !== 0
    browser = await chromium.launch({
      ...(process.env.DWELL_TEST_CHROMIUM ? { executablePath: process.env.DWELL_TEST_CHROMIUM } : {}),
      args: ['--disable-dev-shm-usage', ...(sandboxed ? [] : ['--no-sandbox'])],
    })
  })
  afterAll(async () => {
    await browser?.close()
  })
  return () => {
    if (browser === undefined) throw new Error('The browser is not started yet')
    return browser
  }
}

/** Somebody at a browser of their own; `complaints` are errors that the pages wrote, each of which is a fault of ours. */
export interface Person {
  readonly page: Page
  readonly context: BrowserContext
  readonly complaints: string[]
  /** Opens an address of the interface. */
  go(path: string): Promise<void>
  leave(): Promise<void>
}

export interface PersonOptions {
  /** Signed in with it unless null; the admin token unless given. */
  readonly token?: string | null
  readonly width?: number
}

export async function openPerson(browser: Browser, { token, width }: PersonOptions = {}): Promise<Person> {
  const context = await browser.newContext({
    baseURL: instance.url,
    viewport: { ...VIEW, ...(width === undefined ? {} : { width }) },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(15_000)
  if (token !== null) {
    const answer = await context.request.post('/api/v1/session', { data: { token: token ?? instance.admin_token } })
    if (!answer.ok()) throw new Error(`signing in answered ${answer.status()}`)
  }
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    // The browser itself notes every refused request; what the page makes of it is what the tests look at.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  return {
    page,
    context,
    complaints,
    async go(path) {
      await page.goto(path)
    },
    leave: () => context.close(),
  }
}

/** Writes the whole page to reports/screens: on a screen as high as it, so that what sticks to an edge is at the edge. */
export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENS, { recursive: true })
  const view = page.viewportSize() ?? VIEW
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  await page.setViewportSize({ ...view, height: Math.max(view.height, height) })
  await page.screenshot({ path: join(SCREENS, `${name}.png`), animations: 'disabled' })
  await page.setViewportSize(view)
}
