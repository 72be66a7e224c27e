import type { Page } from 'playwright-core'
import { lookAt } from './src/barriers'
import { openPerson, type Person, screenshot, useBrowser } from './src/browser'
import { type Desk, openDesk, setClock, sweep } from './src/desk'
import { breakMails } from './src/mail-sink'
import { automation, signUp } from './src/members'

const MANY = 10_000
const PAGE = 50
const MAX_ROWS_IN_DOCUMENT = 200

const browser = useBrowser()
let desk: Desk
let welcome: string
let crowded: string
let untouched: string
let person: Person

/** In batches that one request of events may hold. */
async function signUpMany(count: number): Promise<void> {
  for (let from = 0; from < count; from += 1_000) {
    const events = Array.from({ length: 1_000 }, (_, offset) => {
      const number = from + offset
      const at = new Date(Date.parse('2026-09-01T00:00:00Z') + number * 60_000).toISOString()
      return signUp(String(100_000 + number), at, { name: `Crowd ${number}`, status: 'paid' })
    })
    await desk.publish(...events.map((event) => ({ ...event, event: 'member_subscription_changed' })))
  }
}

beforeAll(async () => {
  desk = await openDesk({ name: 'Pottery weekly' })
  await setClock('2026-09-10T08:00:00.000000Z')
  welcome = (await automation(desk, 'Welcome', [{ wait: 1 }, { wait: 48 }])).id
  untouched = (
    await automation(desk, 'Nobody came', [{ wait: 1 }], {
      trigger_tier_scope: 'selected_paid',
      trigger_tier_ids: ['gold'],
    })
  ).id
  crowded = (await automation(desk, 'For paying members', [{ wait: 720 }], { trigger_tier_scope: 'all_paid' })).id
  await desk.publish(
    signUp('1', '2026-09-10T08:00:00Z', { name: 'Renée Ábel', email: 'renee@example.com' }),
    signUp('2', '2026-09-11T08:00:00Z', { name: null, email: 'nameless@example.com' }),
    signUp('3', '2026-09-12T08:00:00Z', { name: 'Gone Girl' }),
    signUp('4', '2026-09-13T08:00:00Z', { name: 'Tom Leaves' }),
  )
  await setClock('2026-09-14T09:00:00.000000Z')
  await desk.publish(
    {
      event: 'member_updated',
      occurred_at: '2026-09-14T09:00:01Z',
      member: { ...signUp('4', '').member, name: 'Tom Leaves', status: 'paid' },
    },
    { event: 'member_deleted', occurred_at: '2026-09-14T09:00:02Z', member: signUp('3', '').member },
  )
  await sweep()
  await signUpMany(MANY)
  await setClock('2026-09-16T08:00:00.000000Z')
  await sweep()
}, 180_000)

beforeEach(async () => {
  person = await openPerson(browser())
})

afterEach(async () => {
  expect(person.complaints).toEqual([])
  await person.leave()
})

const addressOf = (id: string, search = '') => `/accounts/${desk.accountId}/automations/${id}${search}`
const panelOf = (page: Page) => page.getByRole('complementary', { name: 'Performance' })
const rowsOf = (page: Page) => panelOf(page).getByRole('button', { name: /, entered / })

/** Counts requests of the list and of the statistics from now on. */
function requestsOf(page: Page): { runs: URL[]; stats: URL[] } {
  const seen = { runs: [] as URL[], stats: [] as URL[] }
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.pathname.endsWith('/runs')) seen.runs.push(url)
    if (url.pathname.endsWith('/performance-stats')) seen.stats.push(url)
  })
  return seen
}

test('the panel loads when it is first opened, and keeps what it shows while it is closed', async () => {
  const { page } = person
  const seen = requestsOf(page)
  await person.go(addressOf(welcome))
  await page.getByRole('button', { name: 'Performance', exact: true }).waitFor()
  expect(seen).toEqual({ runs: [], stats: [] })
  await page.getByRole('button', { name: 'Performance', exact: true }).click()
  await rowsOf(page).first().waitFor()
  await page.getByRole('button', { name: 'Close performance' }).click()
  await page.locator('aside[inert]').waitFor({ state: 'attached' })
  expect(await panelOf(page).count()).toBe(0)
  await page.getByRole('button', { name: 'Performance', exact: true }).click()
  await rowsOf(page).first().waitFor()
  expect([seen.runs.length, seen.stats.length]).toEqual([1, 1])
  expect(seen.stats[0]?.searchParams.get('timezone')).toBe('Europe/Berlin')
  await lookAt(page, 'automation-performance')
})

test('a card filters the list and nothing else, and clears the filter when it is pressed again', async () => {
  const { page } = person
  await person.go(addressOf(welcome, '?panel=performance'))
  await rowsOf(page).first().waitFor()
  const all = await rowsOf(page).count()
  const seen = requestsOf(page)
  const card = page.getByRole('button', { name: /Exited early/ })
  await card.click()
  await page.locator('button[aria-pressed=true]', { hasText: 'Exited early' }).waitFor()
  await panelOf(page)
    .getByRole('row', { name: /Tom Leaves/ })
    .waitFor()
  await page.waitForFunction(() => document.querySelectorAll('tbody button').length < 4)
  expect(new URL(page.url()).searchParams.get('status')).toBe('exited_early')
  expect(seen.stats).toEqual([])
  await lookAt(page, 'automation-runs-filtered')
  await card.click()
  await page.waitForFunction((count) => document.querySelectorAll('tbody button').length === count, all)
  expect(await card.getAttribute('aria-pressed')).toBe('false')
})

test('names fall back to the address, and a deleted member is not named at all', async () => {
  const { page } = person
  await person.go(addressOf(welcome, '?panel=performance'))
  await rowsOf(page).first().waitFor()
  await panelOf(page)
    .getByRole('row', { name: /nameless@example\.com/ })
    .waitFor()
  await panelOf(page)
    .getByRole('row', { name: /Deleted member/ })
    .waitFor()
  expect(await panelOf(page).getByText('Gone Girl').count()).toBe(0)
})

test('the heading of the entry time changes the order', async () => {
  const { page } = person
  await person.go(addressOf(welcome, '?panel=performance'))
  await rowsOf(page).first().waitFor()
  const header = panelOf(page).getByRole('columnheader', { name: /Entered/ })
  expect(await header.getAttribute('aria-sort')).toBe('descending')
  await header.getByRole('button').click()
  await page.locator('th[aria-sort=ascending]').waitFor()
  await page.waitForFunction(() => document.querySelector('tbody button')?.textContent?.includes('Renée'))
})

test('scrolling through ten thousand runs loads page after page, and keeps few rows in the document', async () => {
  const { page } = person
  await person.go(addressOf(crowded, '?panel=performance'))
  await rowsOf(page).first().waitFor()
  const scroller = panelOf(page).locator('[tabindex="0"]')
  let most = 0
  for (let loaded = PAGE; loaded < MANY; ) {
    await scroller.evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
    most = Math.max(most, await page.locator('tbody tr').count())
    loaded = await page
      .waitForFunction((before) => {
        const rows = Math.floor((document.querySelector('aside [tabindex="0"]')?.scrollHeight ?? 0) / 72)
        return rows > before ? rows : 0
      }, loaded)
      .then((handle) => handle.jsonValue())
  }
  await scroller.evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
  await panelOf(page)
    .getByRole('row', { name: /Crowd 0\b/ })
    .waitFor()
  expect(most).toBeLessThan(MAX_ROWS_IN_DOCUMENT)
  await screenshot(page, 'automation-runs-scrolled')
}, 240_000)

test('a next page that fails keeps the rows and is asked for alone', async () => {
  const { page } = person
  await person.go(addressOf(crowded, '?panel=performance'))
  await rowsOf(page).first().waitFor()
  await page.route(/\/runs\?.*cursor=/, (route) =>
    route.fulfill({ status: 500, json: { title: 'Down', code: 'internal' } }),
  )
  const scroller = panelOf(page).locator('[tabindex="0"]')
  await scroller.evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
  await page.getByText('The next runs could not be loaded').waitFor()
  await lookAt(page, 'automation-runs-next-page-failed')
  await page.unroute(/\/runs\?.*cursor=/)
  const seen = requestsOf(page)
  await panelOf(page).getByRole('button', { name: 'Try again' }).click()
  await page.waitForFunction(() => (document.querySelector('aside [tabindex="0"]')?.scrollHeight ?? 0) > 72 * 60)
  expect(seen.runs.every((url) => url.searchParams.has('cursor'))).toBe(true)
  expect(seen.stats).toEqual([])
})

test('a list that fails leaves the chart, statistics that fail leave the list', async () => {
  const { page } = person
  const fail = { status: 500, json: { title: 'The runs cannot be read.', code: 'internal' } }
  await page.route(/\/runs\?/, (route) => route.fulfill(fail))
  await person.go(addressOf(welcome, '?panel=performance'))
  await page.getByText('The runs could not be loaded').waitFor()
  await panelOf(page).getByText('4 entries').waitFor()
  await lookAt(page, 'automation-runs-failed')
  await page.unroute(/\/runs\?/)
  await panelOf(page).getByRole('button', { name: 'Try again' }).click()
  await rowsOf(page).first().waitFor()

  await page.route(/performance-stats/, (route) => route.fulfill(fail))
  await page.reload()
  await page.getByText('The statistics could not be loaded').waitFor()
  await rowsOf(page).first().waitFor()
  await lookAt(page, 'automation-statistics-failed')
})

test('another period clears the rows and loads both; a chip leads back to all time', async () => {
  const { page } = person
  await person.go(addressOf(welcome, '?panel=performance'))
  await rowsOf(page).first().waitFor()
  const seen = requestsOf(page)
  await page.getByRole('button', { name: 'Period: All time' }).click()
  await page.getByRole('menuitem', { name: 'Last 7 days' }).click()
  await page.getByRole('button', { name: 'Period: Last 7 days' }).waitFor()
  await rowsOf(page).first().waitFor()
  expect(seen.runs[0]?.searchParams.get('date_from')).toBe('2026-09-10')
  expect(seen.runs[0]?.searchParams.get('date_to')).toBe('2026-09-16')
  expect(seen.stats).toHaveLength(1)
  await page.getByRole('button', { name: /Show all time/ }).click()
  await page.getByRole('button', { name: 'Period: All time' }).waitFor()
  await person.go(addressOf(welcome, '?panel=performance&from=2026-08-01&to=2026-08-02'))
  await panelOf(page).getByText('No entries in this period').waitFor()
  await lookAt(page, 'automation-runs-none-in-period')
})

test('an empty history keeps its chart and says so in the list', async () => {
  const { page } = person
  await person.go(addressOf(untouched, '?panel=performance'))
  await panelOf(page).getByText('No entries yet').waitFor()
  await page.getByRole('button', { name: /Completed/ }).click()
  await panelOf(page).getByText('No matching entries').waitFor()
  await lookAt(page, 'automation-runs-none')
})

test('a search hides what does not belong to it, finds without accents, and Escape leads back', async () => {
  const { page } = person
  await person.go(addressOf(welcome, '?panel=performance'))
  await rowsOf(page).first().waitFor()
  await page.getByRole('button', { name: 'Search members' }).click()
  await page.getByRole('searchbox').fill('renee abel')
  await panelOf(page)
    .getByRole('row', { name: /Renée Ábel/ })
    .waitFor()
  await page.waitForFunction(() => document.querySelectorAll('tbody button').length === 1)
  expect(
    await panelOf(page)
      .getByRole('button', { name: /Exited early/ })
      .count(),
  ).toBe(0)
  expect(
    await panelOf(page)
      .getByRole('button', { name: /Period/ })
      .count(),
  ).toBe(0)
  await lookAt(page, 'automation-runs-search')
  await page.getByRole('searchbox').fill('nobody of this name')
  await panelOf(page).getByText('No member matches “nobody of this name”').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Search members' }).and(page.locator(':focus')).waitFor()
  await rowsOf(page).nth(3).waitFor()
})

test('a search goes on by itself for eight pages, then asks', async () => {
  const { page } = person
  let pages = 0
  await page.route(/\/runs\?.*search=/, (route) => {
    pages += 1
    const pagination = { limit: PAGE, next_cursor: `cursor-${pages}`, state: 'scanning', search: 'x' }
    return route.fulfill({ json: { automation_runs: [], meta: { pagination } } })
  })
  await person.go(addressOf(welcome, '?panel=performance&search=x'))
  await page.getByRole('button', { name: 'Search further' }).waitFor()
  expect(pages).toBe(8)
  await lookAt(page, 'automation-runs-search-paused')
  await page.getByRole('button', { name: 'Search further' }).click()
  await page.waitForFunction(() => document.querySelector('[aria-label="Loading runs"]') !== null)
  await page.getByRole('button', { name: 'Search further' }).waitFor()
  expect(pages).toBe(16)
})

test('a run shows what happened, and what is planned', async () => {
  const { page } = person
  await person.go(addressOf(welcome, '?panel=performance'))
  await panelOf(page)
    .getByRole('button', { name: /^nameless@example\.com/ })
    .click()
  await page.getByRole('button', { name: 'Back to the path' }).and(page.locator(':focus')).waitFor()
  const detail = page.getByRole('region', { name: 'Run', exact: true })
  await detail.getByText('Waited 1 hour').waitFor()
  await detail.getByText('Waiting 2 days').waitFor()
  await lookAt(page, 'automation-run-in-progress')
  await page.getByRole('button', { name: 'Back to the path' }).click()
  await detail.waitFor({ state: 'detached' })
  await panelOf(page)
    .getByRole('button', { name: /^Tom Leaves/ })
    .click()
  await detail.getByText('status no longer fits').waitFor()
  await lookAt(page, 'automation-run-exited')
  await person.go(addressOf(welcome, '?run=01234567-89ab-7def-8123-456789abcdef'))
  await page.getByText('This run does not exist').waitFor()
  await lookAt(page, 'automation-run-gone')
})

test('what is loaded is said, and what a card shows, once it is there', async () => {
  const { page } = person
  await person.go(addressOf(welcome, '?panel=performance'))
  const said = (text: string) => page.locator('[aria-live=polite]', { hasText: text }).waitFor({ state: 'attached' })
  await said('4 runs loaded')
  await page.getByRole('button', { name: /Exited early/ }).click()
  await said('Showing only: Exited early. 2 runs loaded')
  await page.getByRole('button', { name: /Completed/ }).click()
  await said('Showing only: Completed. No matching entries')
  await page.getByRole('button', { name: /Completed/ }).click()
  await said('Showing all runs. 4 runs loaded')
  await person.go(addressOf(crowded, '?panel=performance'))
  await said('50 runs loaded')
  const scroller = panelOf(page).locator('[tabindex="0"]')
  await scroller.evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
  await said('50 more runs, 100 in all')
})

test('rows stay while another state is asked for; those of another period go, and ten skeletons stand there', async () => {
  const { page } = person
  await person.go(addressOf(welcome, '?panel=performance'))
  await rowsOf(page).first().waitFor()
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\/runs\?/, async (route) => {
    await held
    await route.continue()
  })
  await page.getByRole('button', { name: /Exited early/ }).click()
  await page.locator('button[aria-pressed=true]', { hasText: 'Exited early' }).waitFor()
  await panelOf(page).getByRole('status', { name: 'Loading runs' }).waitFor()
  expect(await rowsOf(page).count()).toBe(4)
  expect(await page.locator('[data-skeleton]').count()).toBe(0)
  await page.getByRole('button', { name: 'Period: All time' }).click()
  await page.getByRole('menuitem', { name: 'Last 30 days' }).click()
  await page.locator('[data-skeleton]').nth(9).waitFor()
  expect(await page.locator('[data-skeleton]').count()).toBe(10)
  expect(await rowsOf(page).count()).toBe(0)
  await lookAt(page, 'automation-runs-loading')
  release()
  await rowsOf(page).nth(1).waitFor()
  expect(await rowsOf(page).count()).toBe(2)
  await page.getByRole('button', { name: /Show all time/ }).click()
  await page.getByRole('button', { name: 'Period: All time' }).and(page.locator(':focus')).waitFor()
})

test('what is closed gives the focus back: the panel, a run, an attempt that failed', async () => {
  const { page } = person
  await person.go(addressOf(welcome, '?panel=performance'))
  await panelOf(page)
    .getByRole('button', { name: /^Tom Leaves/ })
    .click()
  await page.getByRole('button', { name: 'Back to the path' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await panelOf(page)
    .getByRole('button', { name: /^Tom Leaves/ })
    .and(page.locator(':focus'))
    .waitFor()
  await page.getByRole('button', { name: 'Close performance' }).click()
  await page.getByRole('button', { name: 'Performance', exact: true }).and(page.locator(':focus')).waitFor()

  await page.route(/\/runs\?|performance-stats/, (route) =>
    route.fulfill({ status: 500, json: { title: 'Down', code: 'internal' } }),
  )
  await person.go(addressOf(welcome, '?panel=performance'))
  await page.getByText('The runs could not be loaded').waitFor()
  await page.getByText('The statistics could not be loaded').waitFor()
  await page.unroute(/\/runs\?|performance-stats/)
  await panelOf(page).getByRole('button', { name: 'Try again' }).first().click()
  await panelOf(page).getByRole('heading', { name: 'Performance' }).and(page.locator(':focus')).waitFor()
  await panelOf(page).getByRole('button', { name: 'Try again' }).click()
  await panelOf(page).locator('[tabindex="0"]:focus').waitFor()
})

test('on a phone a run is seen when it is opened from the panel, and leads back to the runs', async () => {
  const phone = await openPerson(browser(), { width: 390 })
  const { page } = phone
  await phone.go(addressOf(welcome))
  await page.getByRole('button', { name: 'Performance', exact: true }).click()
  await rowsOf(page).first().waitFor()
  await lookAt(page, 'automation-performance-phone')
  // The path behind the panel is not reached by the keyboard either.
  expect(await page.locator('[inert]').getByLabel('Name', { exact: true }).count()).toBe(1)
  await panelOf(page)
    .getByRole('button', { name: /^Tom Leaves/ })
    .click()
  await page.getByRole('button', { name: 'Back to the runs' }).and(page.locator(':focus')).waitFor()
  await page.getByRole('region', { name: 'Run', exact: true }).getByText('status no longer fits').waitFor()
  expect(await panelOf(page).count()).toBe(0)
  await page.getByRole('button', { name: 'Back to the runs' }).click()
  await panelOf(page)
    .getByRole('button', { name: /^Tom Leaves/ })
    .and(page.locator(':focus'))
    .waitFor()
  await page.getByRole('button', { name: 'Search members' }).click()
  await page.getByRole('searchbox').fill('renee')
  await page.getByRole('button', { name: 'Close the search' }).click()
  await page.getByRole('button', { name: 'Close performance' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor()
  await page.goto(addressOf(welcome, '?panel=performance'))
  await rowsOf(page).first().click()
  await page.getByRole('region', { name: 'Run', exact: true }).getByRole('listitem').first().waitFor()
  await lookAt(page, 'automation-run-phone')
  expect(phone.complaints).toEqual([])
  await phone.leave()
})

test('a run that came to its end has an end, one whose mail was refused a red dot and the reason', async () => {
  const { page } = person
  const { id } = await automation(desk, 'One letter', [{ subject: 'A letter' }])
  await breakMails({ to: 'refused@example.com', reply: 550 })
  await desk.publish(
    signUp('901', '2026-09-16T08:00:00Z', { name: 'Gladly Taken' }),
    signUp('902', '2026-09-16T08:00:01Z', { name: 'Not Taken', email: 'refused@example.com' }),
  )
  await setClock('2026-09-16T08:05:00.000000Z')
  await sweep()
  await breakMails()
  await person.go(addressOf(id, '?panel=performance'))
  await panelOf(page)
    .getByRole('row', { name: /Not Taken.*Failed/ })
    .waitFor()
  const detail = page.getByRole('region', { name: 'Run', exact: true })
  await panelOf(page)
    .getByRole('button', { name: /^Gladly Taken/ })
    .click()
  await detail.getByText('End of the path').waitFor()
  await detail.getByText('Sent', { exact: true }).waitFor()
  await lookAt(page, 'automation-run-completed')
  await panelOf(page)
    .getByRole('button', { name: /^Not Taken/ })
    .click()
  await detail.getByText('A step failed for good.').waitFor()
  await detail.getByText('Not sent', { exact: true }).waitFor()
  await lookAt(page, 'automation-run-failed')
})

test('a run that cannot be loaded says so and is asked for again; who leaves the page and returns sees anew', async () => {
  const { page } = person
  await person.go(addressOf(welcome, '?panel=performance'))
  await rowsOf(page).first().waitFor()
  await page.route(/\/runs\/[\da-f-]{36}$/, (route) =>
    route.fulfill({ status: 500, json: { title: 'The run cannot be read.', code: 'internal' } }),
  )
  await rowsOf(page).first().click()
  await page.getByText('The run could not be loaded').waitFor()
  await lookAt(page, 'automation-run-not-loaded')
  await page.unroute(/\/runs\/[\da-f-]{36}$/)
  const detail = page.getByRole('region', { name: 'Run', exact: true })
  await detail.getByRole('button', { name: 'Try again' }).click()
  await detail.getByRole('listitem').first().waitFor()

  const seen = requestsOf(page)
  await page.getByRole('link', { name: 'Automations' }).last().click()
  await page.getByRole('heading', { name: 'Automations', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Welcome', exact: true }).click()
  await page.getByRole('button', { name: 'Performance', exact: true }).click()
  await rowsOf(page).first().waitFor()
  expect([seen.runs.length, seen.stats.length]).toEqual([1, 1])
})
