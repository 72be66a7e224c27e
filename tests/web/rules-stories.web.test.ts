import { lookAt } from './src/barriers'
import { openPerson, type Person, useBrowser } from './src/browser'
import { api, conversation, type Desk, openDesk, setClock, sweep } from './src/desk'
import { actionNumber, choose, told, write } from './src/fields'

const browser = useBrowser()
let desk: Desk
let person: Person
beforeAll(async () => {
  await setClock('2026-09-01T10:00:00.000000Z')
  desk = await openDesk({ name: 'Story desk' })
  person = await openPerson(browser(), { token: await desk.token('administrator') })
})
afterEach(() => expect(person.complaints).toEqual([]))

/** Begins a rule from a recipe, by clicking from the list. */
async function beginRule(recipe: string, name: string): Promise<void> {
  const { page } = person
  await person.go(`/accounts/${desk.accountId}/rules`)
  await page.getByRole('link', { name: 'Add rule' }).first().click()
  await page.getByRole('button', { name: recipe }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
}

async function createRule(name: string): Promise<void> {
  const { page } = person
  await page.getByRole('button', { name: 'Create rule' }).click()
  await page.getByText(`“${name}” was created`).waitFor()
  await page.getByRole('link', { name, exact: true }).waitFor()
}

/** Opens the history of a rule from the list. */
async function openHistory(name: string): Promise<void> {
  const { page } = person
  await page.getByRole('button', { name: `More about ${name}` }).click()
  await page.getByRole('menuitem', { name: 'History' }).click()
  await page.getByRole('heading', { name: `History of “${name}”` }).waitFor()
}

async function actionsOf(conversationId: number): Promise<unknown[]> {
  const { payload } = (await api.must(
    'GET',
    `/accounts/${desk.accountId}/executions?conversation_id=${conversationId}`,
  )) as { payload: { status: string; deliveries: { action_name: string; status: string }[] }[] }
  return payload.flatMap(({ deliveries }) => deliveries.map(({ action_name, status }) => `${action_name} ${status}`))
}

test('a conversation that stays pending for four hours gets a label; one that was resolved does not', async () => {
  const { page } = person
  await beginRule('A conversation stays in a status', 'Stale pending')
  await choose(actionNumber(page, 1), 'Choose what to do', 'Add labels')
  await write(actionNumber(page, 1), 'Labels', 'stale-pending')
  await told(page).getByText('If a conversation stays pending for 4 hours, add the label “stale-pending”.').waitFor()
  await lookAt(page, 'rule-form-story-1')
  await createRule('Stale pending')
  await page.getByText('Runs after 4h').waitFor()

  const at = '2026-09-01T10:00:00.000000Z'
  const pending = (id: number, changed = at, status = 'pending') => ({
    event: 'conversation_updated',
    occurred_at: changed,
    changed_attributes: { status: ['open', status] },
    conversation: conversation(id, { status, status_changed_at: changed }),
  })
  await desk.publish(pending(101), pending(102))
  await openHistory('Stale pending')
  await page.getByText('Waiting').nth(1).waitFor()

  await desk.publish(pending(102, '2026-09-01T11:00:00.000000Z', 'resolved'))
  await setClock('2026-09-01T14:00:00.000000Z')
  await sweep()
  // Without a reload: the page asks again by itself.
  const rows = page.getByRole('region', { name: 'Executions, the newest first' })
  await rows.getByText('Fired').waitFor()
  await rows.getByText('What it waited for had ended').waitFor()
  expect(await actionsOf(101)).toEqual(['add_label delivered'])
  expect(await actionsOf(102)).toEqual([])
  await lookAt(page, 'rule-history')

  await choose(page, 'Reason', 'What it waited for had ended')
  await rows.getByText('Fired').waitFor({ state: 'hidden' })
  expect(new URL(page.url()).search).toContain('episode_moved')
  await page.reload()
  await rows.getByText('What it waited for had ended').waitFor()
  expect(await rows.getByText('Fired').count()).toBe(0)
})

test('a customer who stays silent for a day gets a follow-up; one who answered does not', async () => {
  const { page } = person
  await setClock('2026-09-02T10:00:00.000000Z')
  await beginRule('The customer has not answered', 'Follow up')
  await choose(actionNumber(page, 1), 'Choose what to do', 'Send a message')
  await actionNumber(page, 1).getByLabel('Text').fill('Hi {{contact.first_name}}, did that help?')
  await told(page).getByText('If the customer does not answer our message within 1 day').waitFor()
  await told(page).getByText('It also acts when the conversation was resolved meanwhile').waitFor()
  await createRule('Follow up')

  const message = (conversationId: number, id: number, type: string, at: string) => ({
    event: 'message_created',
    occurred_at: at,
    conversation: conversation(conversationId, { waiting_since: null }),
    contact: { id: 9, name: 'Ann Lee', email: 'ann@example.com' },
    message: { id, message_type: type, private: false, content: 'Hello', created_at: at, content_attributes: {} },
  })
  const at = '2026-09-02T10:00:00.000000Z'
  await desk.publish(message(201, 601, 'outgoing', at), message(202, 602, 'outgoing', at))
  await desk.publish(message(202, 603, 'incoming', '2026-09-02T12:00:00.000000Z'))
  await setClock('2026-09-03T10:00:00.000000Z')
  await sweep()
  expect(await actionsOf(201)).toEqual(['send_message delivered'])
  expect(await actionsOf(202)).toEqual([])
  await person.go(`/accounts/${desk.accountId}/rules`)
  await page.getByRole('group', { name: 'Last 30 days of Follow up' }).getByText('1 fired').waitFor()
  await page.getByRole('group', { name: 'Last 30 days of Follow up' }).getByText('1 skipped').waitFor()
})

test('a customer who waits half an hour for an agent is set free; one who got an answer is not', async () => {
  const { page } = person
  await setClock('2026-09-04T10:00:00.000000Z')
  await beginRule('No agent has answered', 'Idle agent')
  await choose(actionNumber(page, 1), 'Choose what to do', 'Assign an agent')
  await choose(actionNumber(page, 1), 'Who', 'Nobody (unassign)')
  await told(page).getByText('If no agent answers a customer within 30 minutes, unassign the agent.').waitFor()
  await createRule('Idle agent')

  const at = '2026-09-04T10:00:00.000000Z'
  const incoming = (conversationId: number, id: number) => ({
    event: 'message_created',
    occurred_at: at,
    conversation: conversation(conversationId, { waiting_since: at }),
    message: { id, message_type: 'incoming', private: false, content: 'Help', created_at: at, content_attributes: {} },
  })
  await desk.publish(incoming(301, 701), incoming(302, 702))
  await desk.publish({
    event: 'conversation_updated',
    occurred_at: '2026-09-04T10:10:00.000000Z',
    conversation: conversation(302, { waiting_since: null }),
  })
  await setClock('2026-09-04T10:30:00.000000Z')
  await sweep()
  expect(await actionsOf(301)).toEqual(['assign_agent delivered'])
  expect(await actionsOf(302)).toEqual([])
  await openHistoryOfConversation(302, 'Idle agent')
})

/** Asks why a rule did not act on a conversation, from its history. */
async function openHistoryOfConversation(id: number, name: string): Promise<void> {
  const { page } = person
  await person.go(`/accounts/${desk.accountId}/rules`)
  await openHistory(name)
  await page.getByRole('textbox', { name: 'Why did it not act on a conversation?' }).fill(String(id))
  await page.getByRole('button', { name: 'Why?' }).click()
  await page.getByRole('heading', { name: `Conversation ${id}` }).waitFor()
  await page.getByText('What it waited for has ended').first().waitFor()
}

test('what is due can be run now, with a note that is kept', async () => {
  const { page } = person
  await setClock('2026-09-05T10:00:00.000000Z')
  const at = '2026-09-05T10:00:00.000000Z'
  await desk.publish({
    event: 'conversation_updated',
    occurred_at: at,
    changed_attributes: { status: ['open', 'pending'] },
    conversation: conversation(401, { status: 'pending', status_changed_at: at }),
  })
  await setClock('2026-09-05T15:00:00.000000Z')
  await person.go(`/accounts/${desk.accountId}/rules`)
  await openHistory('Stale pending')
  await page
    .getByRole('row')
    .filter({ hasText: '401' })
    .getByRole('link', { name: /Execution/ })
    .click()
  await page.getByRole('button', { name: 'Run it now' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: /Note/ }).fill('The customer called')
  await lookAt(page, 'replay-question')
  await dialog.getByRole('button', { name: 'Run it now' }).click()
  await page.getByText('Fired').first().waitFor()
  await lookAt(page, 'execution')
  expect(await actionsOf(401)).toEqual(['add_label delivered'])
  const log = JSON.stringify(await api.must('GET', `/accounts/${desk.accountId}/audit_logs`))
  expect(log).toContain('The customer called')
})
