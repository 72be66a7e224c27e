import { lookAt } from './src/barriers'
import { openPerson, type Person, useBrowser } from './src/browser'
import { api, conversation, type Desk, openDesk, setClock, sweep } from './src/desk'

const STALE = {
  name: 'Stale pending',
  description: 'Agreed with the night shift',
  event_name: 'conversation_updated',
  execution_delay: 240,
  conditions: [{ attribute_key: 'status', filter_operator: 'equal_to', values: ['pending'] }],
  actions: [{ action_name: 'add_label', action_params: ['stale'] }],
}
const INSTANT = {
  name: 'Route VIPs',
  event_name: 'conversation_created',
  conditions: [{ attribute_key: 'labels', filter_operator: 'equal_to', values: ['vip'] }],
  actions: [{ action_name: 'assign_team', action_params: [3] }],
}
const at = '2026-09-01T10:00:00.000000Z'

const browser = useBrowser()
let desk: Desk
let person: Person
beforeEach(async () => {
  await setClock(at)
  desk = await openDesk()
  person = await openPerson(browser(), { token: await desk.token('administrator') })
})
afterEach(async () => {
  expect(person.complaints).toEqual([])
  await person.leave()
})

const openList = (search = '') => person.go(`/accounts/${desk.accountId}/rules${search}`)

test('an account without rules is told what a rule is good for', async () => {
  const { page } = person
  await openList()
  await page.getByText('No delayed rules yet').waitFor()
  await lookAt(page, 'rules-empty')
  await page.getByRole('tab', { name: 'Instant' }).click()
  await page.getByText('No instant rules yet').waitFor()
  await page.getByRole('tab', { name: 'Delayed' }).click()
  await page.getByRole('link', { name: 'No agent has answered', exact: true }).click()
  await page.getByText('If no agent answers a customer within 30 minutes').waitFor()
})

test('tabs count, the search finds, and the address leads back to both', async () => {
  const { page } = person
  await desk.rule(STALE)
  await desk.rule({ ...STALE, name: 'Follow up', description: null, execution_delay: 2_160 })
  await desk.rule(INSTANT)
  await openList()
  await page.getByRole('tab', { name: 'Delayed 2', selected: true }).waitFor()
  await page.getByText('Runs after 36h').waitFor()
  await page.getByRole('tab', { name: 'Instant 1' }).click()
  await page.getByRole('link', { name: 'Route VIPs' }).waitFor()
  expect(new URL(page.url()).searchParams.get('tab')).toBe('instant')
  await page.getByRole('tab', { name: 'Delayed 2' }).click()
  await page.getByRole('searchbox', { name: 'Search rules' }).fill('night shift')
  await page.getByRole('link', { name: 'Follow up' }).waitFor({ state: 'hidden' })
  await page.reload()
  await page.getByRole('link', { name: 'Stale pending' }).waitFor()
  expect(await page.getByRole('link', { name: 'Follow up' }).count()).toBe(0)
  await page.getByRole('searchbox', { name: 'Search rules' }).fill('nothing like it')
  await page.getByText('No rule matches “nothing like it”').waitFor()
})

test('a long list is shown piece by piece, and searched as a whole', async () => {
  const { page } = person
  for (let number = 1; number <= 60; number += 1) await desk.rule({ ...STALE, name: `Rule ${number}` })
  await openList()
  await page.getByRole('tab', { name: 'Delayed 60' }).waitFor()
  expect(await page.getByRole('switch').count()).toBe(50)
  await page.getByRole('searchbox', { name: 'Search rules' }).fill('Rule 1')
  await page.getByRole('link', { name: 'Rule 1', exact: true }).waitFor()
  await page.getByRole('searchbox', { name: 'Search rules' }).fill('')
  await page.getByRole('button', { name: 'Show 10 more' }).click()
  await page.getByRole('link', { name: 'Rule 1', exact: true }).waitFor()
  expect(await page.getByRole('switch').count()).toBe(60)
})

test('turning a rule off asks first, says what waits, and skips it', async () => {
  const { page } = person
  const { id } = await desk.rule(STALE)
  await desk.publish({
    event: 'conversation_updated',
    occurred_at: at,
    changed_attributes: { status: ['open', 'pending'] },
    conversation: conversation(11, { status: 'pending', status_changed_at: at }),
  })
  await openList()
  const toggle = page.getByRole('switch', { name: 'Stale pending is on' })
  await page.getByText('1 waiting').waitFor()
  // Its track lies over it.
  await toggle.click({ force: true })
  await page.getByRole('dialog').getByText('What waits at the moment (1 conversation) is skipped').waitFor()
  await lookAt(page, 'rule-turn-off')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  expect(await toggle.isChecked()).toBe(true)
  await page.getByRole('switch', { name: 'Stale pending is on' }).and(page.locator(':focus')).waitFor()

  await toggle.press(' ')
  await page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('“Stale pending” is off').waitFor()
  expect(await toggle.isChecked()).toBe(false)
  await page.getByText('1 skipped').click()
  await page.getByText('Rule was switched off').first().waitFor()
  expect(await api.must('GET', `/accounts/${desk.accountId}/automation_rules/${id}`)).toMatchObject({
    payload: { active: false },
  })
})

test('copies and deletes', async () => {
  const { page } = person
  await desk.rule(STALE)
  await openList()
  await page.getByRole('button', { name: 'More about Stale pending' }).click()
  await page.getByRole('menuitem', { name: 'Copy' }).click()
  await page.getByRole('link', { name: 'Stale pending' }).nth(1).waitFor()
  await page.getByRole('button', { name: 'More about Stale pending' }).first().click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByText('cannot be undone').waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('“Stale pending” was deleted').waitFor()
  await page.getByRole('tab', { name: 'Delayed 1' }).waitFor()
})

test('failing deliveries stand out in the last 30 days', async () => {
  const { page } = person
  await desk.rule({
    ...STALE,
    actions: [{ action_name: 'send_email_to_team', action_params: [{ team_ids: [3], message: 'x' }] }],
  })
  await desk.publish({
    event: 'conversation_updated',
    occurred_at: at,
    changed_attributes: { status: ['open', 'pending'] },
    conversation: conversation(12, { status: 'pending', status_changed_at: at }),
  })
  await setClock('2026-09-01T14:00:00.000000Z')
  await sweep()
  await openList()
  const glance = page.getByRole('group', { name: 'Last 30 days of Stale pending' })
  await glance.getByText('1 fired').waitFor()
  await glance.getByText('1 failing').waitFor()
  await lookAt(page, 'rules-list')
})

describe('where delayed execution is disabled for the account', () => {
  beforeEach(async () => {
    await desk.rule(STALE)
    await desk.rule(INSTANT)
    await api.must('PATCH', `/accounts/${desk.accountId}`, { features: [] })
  })

  test('a banner says so, rules and chips are still shown, and no delay is offered', async () => {
    const { page } = person
    await openList()
    await page.getByText('Delayed execution is disabled for this account').waitFor()
    await page.getByText('1 rule with a delay does nothing until it is enabled').waitFor()
    await page.getByText('Whoever has the admin token can enable it').waitFor()
    await page.getByText('Runs after 4h').waitFor()
    await lookAt(page, 'rules-flag-off')
    await page.getByRole('link', { name: 'Add rule' }).click()
    await page.getByRole('heading', { name: 'New rule' }).waitFor()
    await page.getByRole('textbox', { name: 'Name' }).waitFor()
    expect(await page.getByText('After a delay').count()).toBe(0)
  })

  test('the admin is led to where it is enabled', async () => {
    const admin = await openPerson(browser())
    await admin.go(`/accounts/${desk.accountId}/rules`)
    await admin.page.getByRole('link', { name: 'Enable it in the settings', exact: true }).click()
    await admin.page.getByRole('button', { name: 'Turn on', exact: true }).waitFor()
    await admin.leave()
  })

  test('a delayed rule can be renamed, and its delay be taken away', async () => {
    const { page } = person
    await openList()
    await page.getByRole('link', { name: 'Stale pending' }).click()
    await page.getByText('This rule runs after 4 hours, but delayed execution is disabled').waitFor()
    await lookAt(page, 'rule-form-flag-off')
    await page.getByRole('textbox', { name: 'Name' }).fill('Renamed')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('“Renamed” was saved').waitFor()
    await page.getByRole('link', { name: 'Renamed' }).click()
    await page.getByRole('button', { name: 'Remove the delay' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('tab', { name: 'Instant 2', selected: true }).waitFor()
  })
})

test('a broken rule is marked and says why', async () => {
  const { page } = person
  const path = `/accounts/${desk.accountId}/custom_attribute_definitions`
  const { payload } = (await api.must('POST', path, {
    attribute_key: 'tier',
    attribute_display_name: 'Tier',
    attribute_display_type: 'text',
    attribute_model: 'contact_attribute',
  })) as { payload: { id: number } }
  await desk.rule({
    ...STALE,
    conditions: [
      { ...STALE.conditions[0], query_operator: 'and' },
      {
        attribute_key: 'tier',
        filter_operator: 'equal_to',
        values: ['gold'],
        custom_attribute_type: 'contact_attribute',
      },
    ],
  })
  await api.must('DELETE', `${path}/${payload.id}`)
  await openList()
  await page.getByText('Broken').waitFor()
  await page.getByRole('link', { name: 'Stale pending' }).click()
  await page.getByText('This rule is broken').waitFor()
  await page.getByText('This attribute does not exist any more: tier is gold').waitFor()
  await lookAt(page, 'rule-form-broken')
})

test('an agent sees everything and can change nothing', async () => {
  await desk.rule(STALE)
  const agent = await openPerson(browser(), { token: await desk.token('agent') })
  const { page } = agent
  await agent.go(`/accounts/${desk.accountId}/rules`)
  await page.getByRole('link', { name: 'Stale pending' }).waitFor()
  expect(await page.getByRole('link', { name: 'Add rule' }).count()).toBe(0)
  expect(await page.getByRole('switch').isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'More about Stale pending' }).click()
  await page.getByRole('menuitem', { name: 'History' }).waitFor()
  expect(await page.getByRole('menuitem', { name: 'Delete' }).count()).toBe(0)
  await page.getByRole('menuitem', { name: 'View' }).click()
  await page.getByText('Agents cannot change it').waitFor()
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
  await lookAt(page, 'rule-form-agent')
  expect(agent.complaints).toEqual([])
  await agent.leave()
})

test('a list that cannot be loaded says so and tries again', async () => {
  const { page } = person
  await desk.rule(STALE)
  await page.route('**/automation_rules?**', (route) => route.fulfill({ status: 500, json: { title: 'Broken store' } }))
  await openList()
  await page.getByRole('alert').getByText('Broken store').waitFor()
  await lookAt(page, 'rules-failed')
  await page.unroute('**/automation_rules?**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'Stale pending' }).waitFor()
})
