import { lookAt } from './src/barriers'
import { openPerson, type Person, useBrowser } from './src/browser'
import { api } from './src/desk'
import { type BusyDesk, openBusyDesk } from './src/support-desk'

const PHONE = 390

const browser = useBrowser()
let desk: BusyDesk
let person: Person
beforeAll(async () => {
  desk = await openBusyDesk('A desk with a name that is rather long')
  await api.must('POST', `/accounts/${desk.accountId}/custom_attribute_definitions`, {
    attribute_key: 'plan_of_the_customer',
    attribute_display_name: 'Plan',
    attribute_display_type: 'list',
    attribute_model: 'contact_attribute',
    attribute_values: ['free', 'gold', 'platinum'],
  })
  await desk.token('agent')
  person = await openPerson(browser(), { width: PHONE })
})
afterAll(async () => {
  await person.leave()
  desk.hooks.close()
})

async function failedExecution(): Promise<number> {
  const { payload } = (await api.must('GET', `/accounts/${desk.accountId}/executions?conversation_id=106`)) as {
    payload: { id: number }[]
  }
  return payload[0]?.id ?? 0
}

/** Where a page is, and a text that stands there when it is complete. */
const PAGES: Readonly<Record<string, readonly [path: () => string | Promise<string>, complete: string]>> = {
  rules: [() => '/rules?tab=delayed', 'Runs after 4h'],
  'rule-form': [() => `/rules/${desk.rules.stale}`, 'If a conversation stays pending for 4 hours'],
  'rule-history': [() => `/rules/${desk.rules.stale}/history`, 'Conditions no longer held'],
  history: [() => '/history', '1 failed'],
  execution: [async () => `/history/${await failedExecution()}`, 'failed: the receiver answered 404'],
  conversation: [() => `/conversations/103?rule=${desk.rules.stale}`, 'does not hold'],
  settings: [() => '/settings', 'Messages to one conversation a minute'],
  'settings-webhooks': [() => '/settings/webhooks', 'signs first'],
  'settings-mail': [() => '/settings/mail', 'Addresses of teams'],
  'settings-tokens': [() => '/settings/tokens', 'Ann (agent)'],
  'settings-attributes': [() => '/settings/attributes', 'plan_of_the_customer'],
}

test.each(Object.keys(PAGES))('on a phone nothing of the page %s lies beside the screen', async (name) => {
  const { page, go, complaints } = person
  const [path, complete] = PAGES[name] ?? [() => '', '']
  await go(`/accounts/${desk.accountId}${await path()}`)
  await page.getByText(complete).first().waitFor()
  // Rows of links scroll sideways and show where one is; everything else is as wide as the screen.
  const beside = await page.evaluate(() =>
    [...document.querySelectorAll('html, main, main section, main table, main tbody tr, main form, main fieldset')]
      .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
      .map((element) => `${element.tagName} ${element.className} ${element.scrollWidth} > ${element.clientWidth}`),
  )
  expect(beside).toEqual([])
  const marked = page.getByRole('navigation', { name: 'Areas', exact: true }).locator('[class*="active"]')
  expect(await marked.evaluate((link) => link.getBoundingClientRect().right)).toBeLessThanOrEqual(PHONE)
  await lookAt(page, `phone-${name}`)
  expect(complaints).toEqual([])
})
