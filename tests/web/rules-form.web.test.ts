import { lookAt } from './src/barriers'
import { openPerson, type Person, useBrowser } from './src/browser'
import { api, type Desk, openDesk, setClock } from './src/desk'
import { actionNumber, choose, conditionNumber, tasksDone, told, write } from './src/fields'

const browser = useBrowser()
let desk: Desk
let person: Person
beforeAll(async () => {
  await setClock('2026-09-01T10:00:00.000000Z')
  desk = await openDesk()
  await api.must('POST', `/accounts/${desk.accountId}/custom_attribute_definitions`, {
    attribute_key: 'plan',
    attribute_display_name: 'Plan',
    attribute_display_type: 'list',
    attribute_model: 'contact_attribute',
    attribute_values: ['free', 'gold'],
  })
})
beforeEach(async () => {
  person = await openPerson(browser(), { token: await desk.token('administrator') })
})
afterEach(async () => {
  expect(person.complaints).toEqual([])
  await person.leave()
})

async function ruleNamed(name: string): Promise<Record<string, unknown>> {
  const { payload } = (await api.must('GET', `/accounts/${desk.accountId}/automation_rules`)) as {
    payload: Record<string, unknown>[]
  }
  const rule = payload.find((one) => one.name === name)
  if (rule === undefined) throw new Error(`there is no rule ${name}`)
  return rule
}

const newRule = () => person.go(`/accounts/${desk.accountId}/rules/new?tab=delayed`)

test('the keyboard alone makes a rule', async () => {
  const { page } = person
  const { keyboard } = page
  const press = async (key: string) => {
    await keyboard.press(key)
    await tasksDone(page)
  }
  const tabTo = async (name: string) => {
    for (let steps = 0; steps < 40; steps += 1) {
      await press('Tab')
      const focused = await page.evaluate(() => {
        const element = document.activeElement
        const labelled =
          element?.getAttribute('aria-label') ?? (element as HTMLInputElement | null)?.labels?.[0]?.textContent
        return labelled ?? element?.textContent ?? ''
      })
      if (focused.trim() === name) return
    }
    throw new Error(`Tab does not lead to ${name}`)
  }
  const pick = async (text: string) => {
    await keyboard.type(text)
    await page.getByRole('option', { name: text, exact: true }).waitFor()
    await press('ArrowDown')
    await press('Enter')
  }
  await person.go(`/accounts/${desk.accountId}/rules?tab=delayed`)
  await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor()
  await tabTo('Add rule')
  await press('Enter')
  await page.locator('h1:focus', { hasText: 'New rule' }).waitFor()
  await tabTo('Name')
  await keyboard.type('By keyboard')
  await tabTo('How long')
  await press('ControlOrMeta+A')
  await keyboard.type('45')
  await tabTo('Unit')
  await press('Enter')
  await page.getByRole('option', { name: 'minutes' }).waitFor()
  await press('ArrowUp')
  await press('Enter')
  await tabTo('Add a condition')
  await press('Enter')
  await page.locator('[data-condition="0"]:focus').waitFor()
  await pick('Status')
  await press('Tab')
  await press('Tab')
  await pick('Snoozed')
  await press('Escape')
  await tabTo('Choose what to do')
  await pick('Resolve the conversation')
  await told(page).getByText('If a conversation stays snoozed for 45 minutes, resolve the conversation.').waitFor()
  await tabTo('Create rule')
  await press('Enter')
  await page.getByRole('link', { name: 'By keyboard' }).waitFor()
  expect(await ruleNamed('By keyboard')).toMatchObject({
    event_name: 'conversation_updated',
    execution_delay: 45,
    conditions: [{ attribute_key: 'status', filter_operator: 'equal_to', values: ['snoozed'] }],
    actions: [{ action_name: 'resolve_conversation', action_params: [] }],
  })
})

test('in a choice that is searched, Enter takes what was found and saves nothing', async () => {
  const { page } = person
  let saves = 0
  page.on('request', (request) => {
    if (request.method() === 'POST') saves += 1
  })
  await newRule()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Enter')
  await page.getByRole('button', { name: 'Add a condition', exact: true }).click()
  const search = async (place: ReturnType<typeof conditionNumber>, label: string, text: string) => {
    const field = place.getByRole('textbox', { name: label, exact: true })
    await field.focus()
    await tasksDone(page)
    await field.pressSequentially(text)
    await page.getByRole('option').and(page.locator('[data-combobox-selected]')).waitFor()
    await field.press('Enter')
    await page.getByRole('option').first().waitFor({ state: 'hidden' })
    return field
  }
  const attribute = await search(conditionNumber(page, 1), 'Attribute', 'prio')
  expect(await attribute.inputValue()).toBe('Priority')
  const values = conditionNumber(page, 1).getByRole('textbox', { name: 'Value', exact: true })
  await values.focus()
  await tasksDone(page)
  await values.pressSequentially('urg')
  await page.getByRole('option').and(page.locator('[data-combobox-selected]')).waitFor()
  await values.press('Enter')
  await conditionNumber(page, 1).getByText('Urgent', { exact: true }).first().waitFor()
  const action = await search(actionNumber(page, 1), 'Choose what to do', 'resolve')
  expect(await action.inputValue()).toBe('Resolve the conversation')
  await told(page).getByText('resolve the conversation').waitFor()
  expect([saves, await page.getByRole('alert').count()]).toEqual([0, 0])
})

test('shows which conditions belong together, and saves the chain as it is shown', async () => {
  const { page } = person
  await newRule()
  await page.getByLabel('Immediately').click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Groups')
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await choose(conditionNumber(page, 1), 'Attribute', 'Inbox')
  await write(conditionNumber(page, 1), 'Value', '5', '6')
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await choose(conditionNumber(page, 2), 'Attribute', 'Labels')
  await choose(conditionNumber(page, 2), 'Comparison', 'has none of')
  await write(conditionNumber(page, 2), 'Value', 'a, b')
  await page.getByRole('button', { name: 'Add an alternative (or)' }).click()
  await choose(conditionNumber(page, 3), 'Attribute', 'Plan')
  await write(conditionNumber(page, 3), 'Value', 'gold')

  await page.getByRole('group', { name: 'Alternative 1' }).getByRole('group', { name: 'Condition 2' }).waitFor()
  await page.getByRole('group', { name: 'Alternative 2' }).getByRole('group', { name: 'Condition 3' }).waitFor()
  await lookAt(page, 'rule-form-groups')
  // "or" between the first two as well: three boxes.
  await page.getByRole('radiogroup', { name: 'Condition 1 is joined' }).getByText('or', { exact: true }).click()
  await page.getByRole('group', { name: 'Alternative 3' }).waitFor()
  await page.getByRole('radiogroup', { name: 'Condition 1 is joined' }).getByText('and', { exact: true }).click()
  await page.getByRole('group', { name: 'Alternative 3' }).waitFor({ state: 'hidden' })

  await choose(actionNumber(page, 1), 'Choose what to do', 'Assign a team')
  await actionNumber(page, 1).getByRole('textbox', { name: 'Team (number)' }).fill('3')
  await page.getByRole('button', { name: 'Create rule' }).click()
  await page.getByText('“Groups” was created').waitFor()
  expect(await ruleNamed('Groups')).toMatchObject({
    execution_delay: null,
    conditions: [
      { attribute_key: 'inbox_id', values: [5, 6], query_operator: 'and' },
      { attribute_key: 'labels', filter_operator: 'not_equal_to', values: ['a, b'], query_operator: 'or' },
      { attribute_key: 'plan', custom_attribute_type: 'contact_attribute', values: ['gold'] },
    ],
    actions: [{ action_name: 'assign_team', action_params: [3] }],
  })
})

test('checks the limits of the delay as it is typed', async () => {
  const { page } = person
  await newRule()
  const amount = page.getByRole('textbox', { name: 'How long' })
  await amount.fill('9')
  await choose(page, 'Unit', 'minutes')
  await page.getByText('At least 10 minutes.').waitFor()
  await amount.fill('31')
  await choose(page, 'Unit', 'days')
  await page.getByText('At most 30 days.').waitFor()
  await amount.fill('1.5')
  await page.getByText('Enter a whole number, or choose a smaller unit.').waitFor()
  await page.getByRole('button', { name: 'Create rule' }).click()
  await page.locator('[aria-invalid=true]:focus').waitFor()
  await amount.fill('30')
  await page.getByText('10 minutes to 30 days.').waitFor()
})

test('shows what the server refuses at the fields, and the focus goes to the first', async () => {
  const { page } = person
  await newRule()
  await page.getByRole('textbox', { name: 'Name' }).fill('  ')
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await choose(conditionNumber(page, 1), 'Attribute', 'Inbox')
  await choose(actionNumber(page, 1), 'Choose what to do', 'Call a webhook')
  await actionNumber(page, 1).getByRole('textbox', { name: 'Address' }).fill('nowhere')
  await page.getByRole('button', { name: 'Create rule' }).click()
  await page.getByText('3 things must be put right').waitFor()
  await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor()
  await conditionNumber(page, 1).getByText('Enter a value.').waitFor()
  await actionNumber(page, 1).getByText('http or https').waitFor()
  await lookAt(page, 'rule-form-faults')
  await write(conditionNumber(page, 1), 'Value', '5')
  await conditionNumber(page, 1).getByText('Enter a value.').waitFor({ state: 'hidden' })
})

test('keeps a draft of each way to execute, and what was not saved when somebody leaves', async () => {
  const { page } = person
  await newRule()
  await page.getByRole('textbox', { name: 'Name' }).fill('Two drafts')
  await page.getByLabel('Immediately').click()
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await choose(conditionNumber(page, 1), 'Attribute', 'Priority')
  await choose(conditionNumber(page, 1), 'Comparison', 'changed')
  await page.getByLabel('After a delay').click()
  await conditionNumber(page, 1).waitFor({ state: 'hidden' })
  await page.getByRole('textbox', { name: 'How long' }).fill('2')
  await choose(page, 'Unit', 'days')
  await choose(page, 'When', 'A message is created')
  await page.getByLabel('Immediately').click()
  await told(page).getByText('As soon as a conversation is updated where the priority changed').waitFor()
  await page.getByLabel('After a delay').click()
  await told(page).getByText('2 days after a message is created').waitFor()
  expect(await page.getByRole('textbox', { name: 'How long' }).inputValue()).toBe('2')
  await lookAt(page, 'rule-form-two-drafts')

  await page.getByRole('link', { name: 'Cancel' }).click()
  await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Add rule' }).first().click()
  await page.getByText('Your unsaved draft was restored.').waitFor()
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Two drafts')
  await page.getByLabel('Immediately').click()
  await conditionNumber(page, 1).waitFor()
  await page.getByRole('button', { name: 'Discard the draft' }).click()
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('')
})

test('what somebody types stays when the rule is saved elsewhere, and nothing of the other is undone', async () => {
  const { page } = person
  const { id } = await desk.rule({
    name: 'Two hands',
    event_name: 'conversation_updated',
    execution_delay: 240,
    conditions: [{ attribute_key: 'status', filter_operator: 'equal_to', values: ['pending'] }],
    actions: [{ action_name: 'add_label', action_params: ['stale'] }],
  })
  const path = `/accounts/${desk.accountId}/automation_rules/${id}`
  /** Somebody else saves, a minute later, and the person comes back to this window. */
  let minute = 0
  const saveElsewhere = async (changes: object) => {
    minute += 1
    await setClock(`2026-09-01T11:0${minute}:00.000000Z`)
    await api.must('PATCH', path, changes)
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  }
  await person.go(`/accounts/${desk.accountId}/rules/${id}`)
  const description = page.getByRole('textbox', { name: 'Description', exact: true })
  await description.waitFor()

  // Nothing is typed yet: the form shows what is saved.
  await saveElsewhere({ name: 'From elsewhere' })
  await page.locator('input[value="From elsewhere"]').waitFor()

  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await name.fill('Mine')
  await saveElsewhere({ description: 'Changed again', active: false })
  await page.getByText('Somebody else has saved this rule meanwhile', { exact: true }).waitFor()
  expect(await name.inputValue()).toBe('Mine')
  await lookAt(page, 'rule-form-changed-elsewhere')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('“Mine” was saved').waitFor()
  expect(await api.must('GET', path)).toMatchObject({
    payload: { name: 'Mine', description: 'Changed again', active: false },
  })

  await person.go(`/accounts/${desk.accountId}/rules/${id}`)
  await name.fill('Mine again')
  await saveElsewhere({ name: 'Theirs' })
  await page.getByRole('button', { name: 'Discard mine and show the saved one', exact: true }).click()
  await page.getByRole('heading', { name: 'Theirs', exact: true }).waitFor()
  expect(await name.inputValue()).toBe('Theirs')
})

test('a saved rule that is opened and saved again stays as it was written, to the letter', async () => {
  const written = {
    name: 'By hand',
    event_name: 'conversation_updated',
    execution_delay: 2_880,
    conditions: [
      { attribute_key: 'inbox_id', filter_operator: 'equal_to', values: ['5'], query_operator: 'OR', note: 'kept' },
      { attribute_key: 'status', filter_operator: 'equal_to', values: ['Pending'], query_operator: 'and' },
    ],
    actions: [{ action_name: 'send_email_to_team', action_params: [{ team_ids: ['3'], message: 'Look', cc: 'x' }] }],
  }
  const { id } = await desk.rule(written)
  const { page } = person
  await person.go(`/accounts/${desk.accountId}/rules/${id}`)
  expect(await page.getByRole('textbox', { name: 'How long' }).inputValue()).toBe('2')
  expect(await page.getByRole('textbox', { name: 'Unit' }).inputValue()).toBe('days')
  await actionNumber(page, 1).getByText('They are kept as they are.').waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill('By hand, renamed')
  const sent = page.waitForRequest((request) => request.method() === 'PATCH')
  await page.getByRole('button', { name: 'Save' }).click()
  expect((await sent).postDataJSON()).toEqual({ name: 'By hand, renamed' })
  await page.getByText('“By hand, renamed” was saved').waitFor()
  expect(await ruleNamed('By hand, renamed')).toMatchObject({ ...written, name: 'By hand, renamed' })
})

test('actions change their places by the keyboard, and the focus goes with them', async () => {
  const { page } = person
  await newRule()
  await choose(actionNumber(page, 1), 'Choose what to do', 'Mute the conversation')
  await page.getByRole('button', { name: 'Add an action' }).click()
  await choose(actionNumber(page, 2), 'Choose what to do', 'Resolve the conversation')
  await page.getByRole('button', { name: 'Move action 2 up' }).focus()
  await page.keyboard.press('Enter')
  await told(page).getByText('resolve the conversation, then mute the conversation').waitFor()
  await page.getByRole('button', { name: 'Move action 1 down' }).and(page.locator(':focus')).waitFor()
})
