import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { lookAt } from './src/barriers'
import { openPerson, useBrowser } from './src/browser'
import { type Desk, instance, openDesk } from './src/desk'

const DIST = join(__dirname, '..', '..', 'apps', 'web', 'dist')
const SCRIPT_BUDGET_BYTES = 250_000
const INTERACTIVE_WITHIN_MS = 1_500

const browser = useBrowser()
let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})

describe('signing in', () => {
  test('leads back to the address that was asked for, and keeps nothing that a script can read', async () => {
    const { page, context, complaints, leave } = await openPerson(browser(), { token: null })
    await page.goto(`/accounts/${desk.accountId}/rules`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await lookAt(page, 'sign-in')

    await page.getByLabel('Token', { exact: true }).fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('not known here').waitFor()
    await lookAt(page, 'sign-in-refused')

    const token = await desk.token('administrator')
    await page.getByLabel('Token', { exact: true }).fill(token)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/accounts/${desk.accountId}/rules`)

    const readable = await page.evaluate(() =>
      JSON.stringify([document.cookie, Object.entries(localStorage), Object.entries(sessionStorage)]),
    )
    expect(readable).not.toContain(token)
    const [cookie] = await context.cookies()
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
    expect(complaints).toEqual([])
    await leave()
  })

  test('does not lead to other sites', async () => {
    const { page, leave } = await openPerson(browser())
    for (const to of ['//example.com', 'https://example.com', 'javascript:alert(1)']) {
      await page.goto(`/sign-in?to=${encodeURIComponent(to)}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(new URL(page.url()).origin).toBe(instance.url)
    }
    await leave()
  })

  test('is asked for again when a session ended meanwhile, and leads back', async () => {
    const { page, context, leave } = await openPerson(browser())
    await page.goto(`/accounts/${desk.accountId}/rules?tab=instant`)
    await page.getByText('No instant rules yet').waitFor()
    await context.clearCookies()
    await page.getByRole('navigation').getByRole('link', { name: 'History' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByLabel('Token', { exact: true }).fill(instance.admin_token)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'History', level: 1 }).waitFor()
    await leave()
  })

  test('ends by signing out, also for the session itself', async () => {
    const { page, context, leave } = await openPerson(browser())
    await page.goto(`/accounts/${desk.accountId}/rules`)
    await page.getByRole('button', { name: 'Admin' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect((await context.request.get('/api/v1/session')).status()).toBe(401)
    await page.goBack()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await leave()
  })
})

describe('the frame', () => {
  test('switches between accounts, and names the only one of an account token', async () => {
    const other = await openDesk({ name: 'Second desk' })
    const admin = await openPerson(browser())
    await admin.go(`/accounts/${desk.accountId}/rules`)
    await admin.page.getByRole('textbox', { name: 'Account' }).click()
    await admin.page.getByRole('option', { name: 'Second desk' }).first().click()
    await admin.page.waitForURL(/\/accounts\/\d+\/rules$/)
    await admin.leave()

    const agent = await openPerson(browser(), { token: await other.token('agent') })
    await agent.go('/')
    await agent.page.waitForURL(`**/accounts/${other.accountId}/rules`)
    await agent.page.getByText('Second desk').waitFor()
    expect(await agent.page.getByRole('textbox', { name: 'Account' }).count()).toBe(0)
    await agent.leave()
  })

  test('moves the focus to the heading of the page that was opened, and names the page', async () => {
    const { page, leave, complaints } = await openPerson(browser())
    await page.goto(`/accounts/${desk.accountId}/rules`)
    await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor()
    expect(await page.title()).toBe('Rules · Dwell')
    await page.getByRole('navigation').getByRole('link', { name: 'Automations' }).click()
    await page.locator('h1:focus', { hasText: 'Automations' }).waitFor()
    expect(await page.title()).toBe('Automations · Dwell')
    await page.getByRole('link', { name: 'Automations' }).and(page.locator('[aria-current=page]')).waitFor()
    expect(complaints).toEqual([])
    await leave()
  })

  test('lets the keyboard skip to the content', async () => {
    const { page, leave } = await openPerson(browser())
    await page.goto(`/accounts/${desk.accountId}/rules`)
    await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor()
    await page.keyboard.press('Tab')
    await page.locator('a:focus', { hasText: 'Skip to the content' }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('main:focus').waitFor()
    await leave()
  })

  test('remembers light or dark', async () => {
    const { page, leave } = await openPerson(browser())
    await page.goto(`/accounts/${desk.accountId}/rules`)
    await page.getByRole('button', { name: 'Appearance' }).click()
    await page.getByRole('menuitem', { name: 'Dark' }).click()
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
    await page.reload()
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
    await leave()
  })

  test('says that an address leads nowhere', async () => {
    const { page, leave } = await openPerson(browser())
    for (const path of ['/nowhere', `/accounts/${desk.accountId}/nowhere`, '/accounts/none/rules']) {
      await page.goto(path)
      await page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor()
    }
    await lookAt(page, 'not-found')
    await leave()
  })
})

describe('the first load', () => {
  test('is interactive within a second and a half', async () => {
    // The best of a few: what else the machine does at the moment is not what is measured.
    let best = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < 5 && best >= INTERACTIVE_WITHIN_MS; tries += 1) {
      // A new person has nothing in the browser's cache.
      const { page, leave } = await openPerson(browser())
      const began = performance.now()
      await page.goto(`/accounts/${desk.accountId}/rules`)
      await page.getByRole('button', { name: 'Appearance' }).click()
      await page.getByRole('menuitem', { name: 'Dark' }).waitFor()
      best = Math.min(best, performance.now() - began)
      await leave()
    }
    expect(best).toBeLessThan(INTERACTIVE_WITHIN_MS)
  })

  test('needs at most 250 KB of script, compressed', async () => {
    const { page, leave } = await openPerson(browser())
    const scripts = new Set<string>()
    page.on('response', (response) => {
      const { pathname } = new URL(response.url())
      if (pathname.endsWith('.js')) scripts.add(pathname)
    })
    await page.goto(`/accounts/${desk.accountId}/rules`)
    await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    const sizes = [...scripts].map((path) => gzipSync(readFileSync(join(DIST, path))).length)
    expect(sizes.length).toBeGreaterThan(0)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(SCRIPT_BUDGET_BYTES)
    await leave()
  })

  test('runs no inline script', () => {
    const entry = readFileSync(join(DIST, 'index.html'), 'utf8')
    expect(entry.match(/<script(?![^>]*\bsrc=)[^>]*>/g)).toBeNull()
    expect(entry).not.toContain('<style')
    expect(readdirSync(join(DIST, 'assets')).length).toBeGreaterThan(0)
  })
})
