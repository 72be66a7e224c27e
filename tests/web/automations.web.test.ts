import type { Page } from 'playwright-core'
import { lookAt } from './src/barriers'
import { openPerson, type Person, useBrowser } from './src/browser'
import { api, type Desk, openDesk, setClock, sweep } from './src/desk'
import { mailsTo } from './src/mail-sink'
import { automation, signUp } from './src/members'

const browser = useBrowser()
let desk: Desk
let person: Person

beforeAll(async () => {
  desk = await openDesk({ name: 'Pottery weekly' })
  await setClock('2026-09-10T08:00:00.000000Z')
})

beforeEach(async () => {
  person = await openPerson(browser())
})

afterEach(async () => {
  expect(person.complaints).toEqual([])
  await person.leave()
})

const listAddress = () => `/accounts/${desk.accountId}/automations`
const addressOf = (id: string) => `${listAddress()}/${id}`
const step = (page: Page, name: string) => page.getByRole('region', { name })

interface Saved {
  readonly version: number
  readonly status: string
  readonly actions: readonly {
    readonly id: string
    readonly type: string
    readonly data: Record<string, unknown>
  }[]
  readonly edges: readonly { readonly source_action_id: string; readonly target_action_id: string }[]
}
/** What the actions hold, as members walk: the list itself goes by creation. */
function pathOf({ actions, edges }: Saved): Record<string, unknown>[] {
  const next = new Map(edges.map((edge) => [edge.source_action_id, edge.target_action_id]))
  const entered = new Set(next.values())
  const path = []
  let at = actions.find(({ id }) => !entered.has(id))
  while (at !== undefined) {
    path.push(at.data)
    const following = next.get(at.id)
    at = actions.find(({ id }) => id === following)
  }
  return path
}
async function saved(id: string): Promise<Saved> {
  const answer = (await api.must('GET', `/accounts/${desk.accountId}/automations/${id}`)) as { automations: Saved[] }
  const [one] = answer.automations
  if (one === undefined) throw new Error('not saved')
  return one
}

test('an empty list leads to the first automation, which is written, published and entered', async () => {
  const { page } = person
  await person.go(listAddress())
  await page.getByText('No automations yet').waitFor()
  await lookAt(page, 'automations-none')
  await page.getByRole('link', { name: 'New automation' }).first().click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Welcome series')
  await page.getByRole('textbox', { name: 'Description' }).fill('Three letters in the first week')
  await page.getByText('The subject is missing.').waitFor()
  await lookAt(page, 'automation-new')
  expect(await page.getByRole('button', { name: 'Publish' }).isDisabled()).toBe(true)

  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  await page.waitForURL(/\/automations\/[\da-f-]{36}$/)

  await step(page, 'Step 1, E-mail').getByRole('button', { name: 'Write' }).click()
  const dialog = page.getByRole('dialog', { name: 'E-mail' })
  await dialog.getByRole('textbox', { name: 'Subject' }).fill('Welcome, {{ member.name }}')
  await dialog.getByRole('textbox', { name: 'Body' }).fill('Hello **{{ member.name }}**, good that you are here.')
  await lookAt(page, 'automation-email')
  await dialog.getByRole('tab', { name: 'Preview' }).click()
  await dialog.frameLocator('iframe').locator('strong').waitFor()
  await lookAt(page, 'automation-email-preview')
  await dialog.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('button', { name: 'Add to the end' }).click()
  await page.getByRole('menuitem', { name: 'Wait' }).click()
  const wait = step(page, 'Step 2, Wait')
  expect(await wait.getByRole('textbox', { name: 'How long' }).inputValue()).toBe('1')
  expect(await wait.getByRole('combobox', { name: 'Unit' }).inputValue()).toBe('days')
  await wait.getByRole('textbox', { name: 'How long' }).fill('3')
  await page.getByRole('button', { name: 'Publish' }).click()
  const question = page.getByRole('dialog', { name: 'Publish this automation?' })
  await question.waitFor()
  await lookAt(page, 'automation-publish')
  await question.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('button', { name: 'Published' }).waitFor()
  await lookAt(page, 'automation-published')

  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const published = await saved(id)
  expect(published.status).toBe('active')
  expect(pathOf(published)).toMatchObject([{ email_subject: 'Welcome, {{ member.name }}' }, { wait_hours: 72 }])
  await desk.publish(signUp('21', '2026-09-10T09:00:00Z', { name: 'Ida' }))
  await person.go(listAddress())
  await page.getByRole('row', { name: /Welcome series.*1\s+1\s+On/ }).waitFor()
  await lookAt(page, 'automations')
})

test('steps are put in, moved by keyboard and removed, an e-mail only after a question', async () => {
  const { page } = person
  const { id } = await automation(desk, 'Reorder', [{ subject: 'First' }, { wait: 24 }, { subject: 'Last' }])
  await person.go(addressOf(id))
  const up = page.getByRole('button', { name: 'Move up: Step 3, E-mail' })
  await up.focus()
  await page.keyboard.press('Enter')
  await step(page, 'Step 2, E-mail').getByText('Last').waitFor()
  await page.getByRole('button', { name: 'Remove: Step 3, Wait' }).click()
  await step(page, 'Step 3, Wait').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Insert before step 1' }).click()
  await page.getByRole('menuitem', { name: 'Wait' }).click()
  await step(page, 'Step 1, Wait').waitFor()
  await page.getByRole('button', { name: 'Remove: Step 2, E-mail' }).click()
  await page.getByRole('dialog', { name: 'Remove this e-mail?' }).getByRole('button', { name: 'Cancel' }).click()
  await step(page, 'Step 2, E-mail').getByText('First').waitFor()
  await page.getByRole('button', { name: 'Publish changes' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish changes' }).click()
  await page.getByRole('button', { name: 'Published' }).waitFor()
  expect(pathOf(await saved(id)).map((data) => data.email_subject ?? data.wait_hours)).toEqual([24, 'First', 'Last'])
})

test('a wait that is none blocks every save, and says what is allowed', async () => {
  const { page } = person
  const { id } = await automation(desk, 'Wrong wait', [{ wait: 24 }], { status: 'inactive' })
  await person.go(addressOf(id))
  const wait = step(page, 'Step 1, Wait')
  await wait.getByRole('textbox', { name: 'How long' }).fill('31')
  await wait.getByText('From 1 hour to 30 days').waitFor()
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: 'Publish' }).isDisabled()).toBe(true)
  await lookAt(page, 'automation-wait-invalid')
  await wait.getByRole('combobox', { name: 'Unit' }).selectOption('hours')
  await wait.getByRole('textbox', { name: 'How long' }).fill('36')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  expect((await saved(id)).actions[0]?.data).toEqual({ wait_hours: 36 })
})

test('turning off asks, ends what runs, and publishes no draft', async () => {
  const { page } = person
  const { id } = await automation(desk, 'To be ended', [{ wait: 24 }])
  await desk.publish(signUp('31', '2026-09-10T09:00:00Z'))
  await person.go(addressOf(id))
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Half renamed')
  await page.getByRole('button', { name: 'Turn off' }).click()
  const question = page.getByRole('dialog', { name: 'Turn this automation off?' })
  await question.waitFor()
  await lookAt(page, 'automation-turn-off')
  await question.getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('Turned off').waitFor()
  expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Half renamed')
  expect(await saved(id)).toMatchObject({ status: 'inactive', name: 'To be ended' })
  await sweep()
})

test('what is not saved is not left without a question', async () => {
  const { page } = person
  const { id } = await automation(desk, 'Guarded', [{ wait: 24 }], { status: 'inactive' })
  await person.go(addressOf(id))
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Changed')
  await page.getByRole('navigation').getByRole('link', { name: 'Rules' }).click()
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Changed')
  await page.getByRole('navigation').getByRole('link', { name: 'Rules' }).click()
  await question.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor()
})

test('when somebody else saved meanwhile, nothing is lost before it is decided', async () => {
  const { page } = person
  const { id, version } = await automation(desk, 'Shared', [{ wait: 24 }], { status: 'inactive' })
  await person.go(addressOf(id))
  await page.getByRole('textbox', { name: 'Description' }).fill('Mine')
  const theirs = { ...(await saved(id)), description: 'Theirs', version }
  const change = { description: theirs.description, version, status: 'inactive' }
  await api.must('PUT', `/accounts/${desk.accountId}/automations/${id}`, { automations: [{ ...theirs, ...change }] })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Somebody else saved this automation meanwhile').first().waitFor()
  await lookAt(page, 'automation-conflict')
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  expect(await saved(id)).toMatchObject({ description: 'Mine' })
})

test('a save that fails keeps the draft and offers to try again', async () => {
  const { page } = person
  const { id } = await automation(desk, 'Flaky', [{ wait: 24 }], { status: 'inactive' })
  await person.go(addressOf(id))
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Steady')
  await page.route(/\/automations\/[\da-f-]{36}$/, (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 500, json: { title: 'The store cannot be reached.', code: 'internal' } })
      : route.fallback(),
  )
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The store cannot be reached.').waitFor()
  await page.unroute(/\/automations\/[\da-f-]{36}$/)
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  expect(await saved(id)).toMatchObject({ name: 'Steady' })
})

test('a name that is taken is refused in words', async () => {
  const { page } = person
  await automation(desk, 'Taken', [{ wait: 24 }], { status: 'inactive' })
  const { id } = await automation(desk, 'Free', [{ wait: 24 }], { status: 'inactive' })
  await person.go(addressOf(id))
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Taken')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('That was not saved', { exact: true }).waitFor()
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  expect(await name.getAttribute('aria-invalid')).toBe('true')
  await step(page, 'Settings').getByText('Another automation has this name.').waitFor()
  await lookAt(page, 'automation-refused')
})

test('the focus follows a step: where it is put, moved to, or to its neighbour when it is removed', async () => {
  const { page } = person
  const { id } = await automation(desk, 'Focus', [{ wait: 24 }, { subject: 'Middle' }, { wait: 48 }])
  await person.go(addressOf(id))
  const focused = (name: string) =>
    page.getByRole('button', { name, exact: true }).and(page.locator(':focus')).waitFor()
  await page.getByRole('button', { name: 'Move down: Step 1, Wait' }).focus()
  await page.keyboard.press('Enter')
  await focused('Move down: Step 2, Wait')
  await page.keyboard.press('Enter')
  await focused('Move down: Step 3, Wait')
  // There it stays, and nothing is said of a place that it does not have.
  await page.keyboard.press('Enter')
  await focused('Move down: Step 3, Wait')
  await page.getByText('Now step 3 of 3', { exact: true }).waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Remove: Step 1, E-mail' }).focus()
  await page.keyboard.press('Enter')
  const question = page.getByRole('dialog', { name: 'Remove this e-mail?' })
  await question.getByRole('button', { name: 'Remove', exact: true }).click()
  await step(page, 'Step 1, Wait').and(page.locator(':focus')).waitFor()
  await page.getByRole('button', { name: 'Add to the end' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'E-mail' }).press('Enter')
  await step(page, 'Step 3, E-mail').and(page.locator(':focus')).waitFor()
  for (const name of ['Step 1, Wait', 'Step 1, Wait'])
    await page.getByRole('button', { name: `Remove: ${name}` }).click()
  await page.getByRole('button', { name: 'Remove: Step 1, E-mail' }).click()
  await question.getByRole('button', { name: 'Remove', exact: true }).click()
  await focused('Add to the end')
})

test('a path of fifty steps takes no more, and says why', async () => {
  const { page } = person
  const { id } = await automation(desk, 'Full', Array(50).fill({ wait: 1 }))
  await person.go(addressOf(id))
  const add = page.getByRole('button', { name: 'Add to the end: A path has at most 50 steps' })
  await add.focus()
  await page.getByRole('tooltip', { name: 'A path has at most 50 steps' }).waitFor()
  await page.keyboard.press('Enter')
  expect(await page.getByRole('menuitem').count()).toBe(0)
  await page.getByRole('button', { name: 'Remove: Step 50, Wait' }).click()
  await page.getByRole('button', { name: 'Add to the end', exact: true }).waitFor()
})

test('a test goes to the address that is given, or says why it did not', async () => {
  const { page } = person
  const { id } = await automation(desk, 'Tested', [{ subject: 'Hello {{ member.name }}' }], { status: 'inactive' })
  await person.go(addressOf(id))
  await step(page, 'Step 1, E-mail').getByRole('button', { name: 'Write' }).click()
  const dialog = page.getByRole('dialog', { name: 'E-mail' })
  await dialog.getByRole('textbox', { name: 'Send a test to' }).fill('tester@example.com')
  await dialog.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('A test is on its way to tester@example.com').waitFor()
  const [mail] = await mailsTo('tester@example.com')
  expect(mail?.subject).toContain('Hello Alex Example')
  await dialog.getByRole('textbox', { name: 'Subject' }).fill('{{ member.')
  await dialog.getByRole('button', { name: 'Send a test' }).click()
  await dialog.getByRole('alert').getByText('The test was not sent').waitFor()
  await lookAt(page, 'automation-email-test-refused')
  await dialog.getByRole('tab', { name: 'Preview' }).click()
  await dialog.getByText('There is no preview').waitFor()
})

test('an e-mail that is being written is not left without a question', async () => {
  const { page } = person
  const { id } = await automation(desk, 'Half written', [{ subject: 'As it was' }], { status: 'inactive' })
  await person.go(listAddress())
  await page.getByRole('link', { name: 'Half written' }).click()
  await step(page, 'Step 1, E-mail').getByRole('button', { name: 'Write' }).click()
  const dialog = page.getByRole('dialog', { name: 'E-mail' })
  await dialog.getByRole('textbox', { name: 'Subject' }).fill('Half a th')
  await page.goBack()
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect(new URL(page.url()).pathname).toBe(addressOf(id))
  expect(await dialog.getByRole('textbox', { name: 'Subject' }).inputValue()).toBe('Half a th')
  // Escape answers the question in front, not the dialog behind it.
  await dialog.getByRole('textbox', { name: 'Subject' }).press('Escape')
  const drop = page.getByRole('dialog', { name: 'Drop what you wrote?' })
  await drop.locator('button:focus', { hasText: 'Cancel' }).waitFor()
  await lookAt(page, 'automation-email-drop')
  await page.keyboard.press('Escape')
  await drop.waitFor({ state: 'hidden' })
  expect(await dialog.getByRole('textbox', { name: 'Subject' }).inputValue()).toBe('Half a th')
  await page.goBack()
  await question.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Automations', level: 1 }).waitFor()
})

test('before members are affected it is said how many there are', async () => {
  const { page } = person
  const { id } = await automation(desk, 'Occupied', [{ wait: 24 }])
  await desk.publish(signUp('41', '2026-09-10T07:00:00Z'), signUp('42', '2026-09-10T07:00:00Z'))
  await person.go(addressOf(id))
  await page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('dialog').getByText('2 members are in it now.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('textbox', { name: 'Description' }).fill('Changed')
  await page.getByRole('button', { name: 'Publish changes' }).click()
  await page.getByRole('dialog').getByText('2 members are in it now.').waitFor()
})

test('after a failure the button that failed tries again, not its neighbour', async () => {
  const { page } = person
  const { id } = await automation(desk, 'Stubborn', [{ wait: 24 }])
  await person.go(addressOf(id))
  await page.getByRole('textbox', { name: 'Description' }).fill('Changed')
  await page.route(/\/automations\/[\da-f-]{36}$/, (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 500, json: { title: 'The store cannot be reached.', code: 'internal' } })
      : route.fallback(),
  )
  await page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('The store cannot be reached.').waitFor()
  await page.getByRole('button', { name: 'Publish changes' }).waitFor()
  await page.unroute(/\/automations\/[\da-f-]{36}$/)
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('Turned off').waitFor()
  expect(await saved(id)).toMatchObject({ status: 'inactive' })
})

test('a list and an automation that cannot be loaded say so and try again', async () => {
  const { page } = person
  const { id } = await automation(desk, 'Late', [{ wait: 24 }], { status: 'inactive' })
  const fail = { status: 500, json: { title: 'The store cannot be reached.', code: 'internal' } }
  await page.route(/\/automations$/, (route) =>
    route.request().resourceType() === 'fetch' ? route.fulfill(fail) : route.fallback(),
  )
  await person.go(listAddress())
  await page.getByText('The automations could not be loaded').waitFor()
  await lookAt(page, 'automations-failed')
  await page.unroute(/\/automations$/)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'Late', exact: true }).waitFor()

  await page.route(/\/api\/.*\/automations\/[\da-f-]{36}$/, (route) => route.fulfill(fail))
  await person.go(addressOf(id))
  await page.getByText('The automation could not be loaded').waitFor()
  await lookAt(page, 'automation-failed')
  await page.unroute(/\/api\/.*\/automations\/[\da-f-]{36}$/)
  await page.getByRole('button', { name: 'Try again' }).click()
  await step(page, 'Step 1, Wait').waitFor()
  await person.go(addressOf('01234567-89ab-7def-8123-456789abcdef'))
  await page.getByText('This automation does not exist').waitFor()
})

test('an agent looks at everything and changes nothing', async () => {
  const { id } = await automation(desk, 'Look only', [{ subject: 'Hello' }, { wait: 24 }])
  const agent = await openPerson(browser(), { token: await desk.token('agent') })
  const { page } = agent
  await agent.go(listAddress())
  await page.getByRole('link', { name: 'Look only' }).click()
  await step(page, 'Step 2, Wait').getByText('1 day').waitFor()
  expect(page.url()).toContain(id)
  for (const name of ['Save', 'Publish', 'Turn off', 'Published', 'Add to the end'])
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
  await step(page, 'Step 1, E-mail').getByRole('button', { name: 'Read' }).click()
  await page.getByRole('dialog', { name: 'E-mail' }).waitFor()
  await lookAt(page, 'automation-email-agent')
  expect(agent.complaints).toEqual([])
  await agent.leave()
})
