import { lookAt } from './src/barriers'
import { openPerson, useBrowser } from './src/browser'
import { api, conversation, setClock, sweep } from './src/desk'
import { type BusyDesk, NOON, openBusyDesk } from './src/support-desk'

const browser = useBrowser()
let desk: BusyDesk
beforeAll(async () => {
  desk = await openBusyDesk('Busy desk')
})
afterAll(() => desk.hooks.close())

const path = (rest: string) => `/accounts/${desk.accountId}${rest}`
const executionOf = async (conversationId: number) => {
  const [execution] = (
    (await api.must('GET', path(`/executions?conversation_id=${conversationId}`))) as {
      payload: { id: number }[]
    }
  ).payload
  return execution?.id ?? 0
}

describe('the history of an account', () => {
  test('shows every execution with its state and the reason in words, and takes filters from the address and back', async () => {
    const { page, go, complaints, leave } = await openPerson(browser())
    await go(path('/history'))
    const rows = page.getByRole('row')
    await rows.filter({ hasText: 'Ask again after a day' }).getByText('Waiting').waitFor()
    await rows.filter({ hasText: '102' }).getByText('What it waited for had ended').waitFor()
    await rows.filter({ hasText: '103' }).getByText('Conditions no longer held').waitFor()
    await rows.filter({ hasText: '106' }).getByText('1 failed').waitFor()
    await lookAt(page, 'history')

    await page.getByRole('textbox', { name: 'Reason' }).click()
    await page.getByRole('option', { name: 'Conditions no longer held' }).click()
    await page.waitForURL(/status=skipped/)
    await rows.filter({ hasText: '102' }).waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?status=skipped&reason=conditions_changed')
    await page.reload()
    await rows.filter({ hasText: '103' }).waitFor()
    expect(await rows.count()).toBe(2)
    await lookAt(page, 'history-filtered')

    await page.getByRole('button', { name: 'Clear filters' }).last().click()
    await page.getByRole('textbox', { name: 'Conversation' }).fill('104')
    await page.keyboard.press('Enter')
    await page.waitForURL(/conversation=104/)
    await rows.filter({ hasText: '101' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Open conversation 104' }).waitFor()
    await go(path('/history?rule=999999999'))
    await page.getByRole('heading', { name: 'Nothing matches these filters' }).waitFor()
    await lookAt(page, 'history-nothing-found')
    expect(complaints).toEqual([])
    await leave()
  })

  test('shows what happens while somebody looks, without a reload', async () => {
    const { page, go, leave } = await openPerson(browser())
    await go(path('/history?conversation=201'))
    await page.getByRole('heading', { name: 'Nothing matches these filters' }).waitFor()
    await desk.publish({
      event: 'conversation_updated',
      occurred_at: NOON,
      conversation: conversation(201, { status: 'pending', status_changed_at: NOON }),
      changed_attributes: { status: ['open', 'pending'] },
    })
    await page.getByRole('row').filter({ hasText: '201' }).getByText('Waiting').waitFor()
    await leave()
  })

  test('says what failed and tries again', async () => {
    const { page, go, leave } = await openPerson(browser())
    let broken = true
    let asked = 0
    // The one stub: no server fails on demand.
    await page.route('**/executions?*', (route) => {
      asked += 1
      return broken ? route.fulfill({ status: 500, json: { detail: 'Broken for a test.' } }) : route.continue()
    })
    await go(path('/history'))
    await page.getByRole('alert').getByText('Broken for a test.').waitFor()
    await lookAt(page, 'history-failed')
    const before = asked
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('alert').getByText('Broken for a test.').waitFor()
    expect(asked).toBeGreaterThan(before)
    broken = false
    await page.getByRole('row').filter({ hasText: '101' }).waitFor()
    await leave()
  })

  test('of a new account says what will stand there', async () => {
    const account = (await api.must('POST', '/accounts', { name: 'Empty desk' })) as { payload: { id: number } }
    const { page, go, leave } = await openPerson(browser())
    await go(`/accounts/${account.payload.id}/history`)
    await page.getByRole('heading', { name: 'No rule has been armed yet' }).waitFor()
    await lookAt(page, 'history-empty')
    await leave()
  })
})

describe('an execution', () => {
  test('that was skipped says which check stopped it and what it saw', async () => {
    const { page, go, complaints, leave } = await openPerson(browser())
    await go(path('/history'))
    await page
      .getByRole('row')
      .filter({ hasText: '103' })
      .getByRole('link', { name: /^Execution/ })
      .click()
    await page.getByText('did not hold any more when its time came').waitFor()
    await page.getByText('Its conditions hold: no').first().waitFor()
    await page.getByText('Status unchanged since').first().waitFor()
    await lookAt(page, 'execution-skipped')
    expect(complaints).toEqual([])
    await leave()
  })

  test('says which stretch it was armed for, and which one it found', async () => {
    const { page, go, leave } = await openPerson(browser())
    await go(path(`/history/${await executionOf(102)}`))
    await page
      .getByText(
        'It was armed for: Status unchanged since 1 Sept 2026, 11:01. When asked: Status unchanged since 1 Sept 2026, 12:00.',
      )
      .waitFor()
    await leave()
  })

  test('leads back to the list that it was found in, as that was filtered', async () => {
    const { page, go, complaints, leave } = await openPerson(browser())
    const openExecution = () =>
      page
        .getByRole('row')
        .filter({ hasText: '103' })
        .getByRole('link', { name: /^Execution/ })

    await go(path(`/rules/${desk.rules.stale}/history?status=skipped`))
    await openExecution().click()
    await page.getByRole('link', { name: '← History of “Label what stays pending”', exact: true }).click()
    await page.waitForURL((url) => url.pathname.endsWith(`/rules/${desk.rules.stale}/history`))
    expect(new URL(page.url()).search).toBe('?status=skipped')

    await go(path('/history?status=skipped&reason=conditions_changed'))
    await openExecution().click()
    await page.getByRole('link', { name: '← History', exact: true }).click()
    await page.waitForURL((url) => url.pathname.endsWith('/history'))
    expect(new URL(page.url()).search).toBe('?status=skipped&reason=conditions_changed')

    await go(path('/conversations/103'))
    await page
      .getByRole('row')
      .getByRole('link', { name: /^Execution/ })
      .click()
    await page.getByRole('link', { name: '← Conversation 103', exact: true }).click()
    await page.getByRole('heading', { name: 'Conversation 103', exact: true }).waitFor()
    expect(complaints).toEqual([])
    await leave()
  })

  test('that fired shows its deliveries with their attempts; one that failed is sent again with a note', async () => {
    const id = await executionOf(106)
    const { page, go, complaints, leave } = await openPerson(browser())
    await go(path(`/history/${id}`))
    await page.getByText('the receiver answered 404').first().waitFor()
    await page.getByText('It acted, but 1 delivery needs somebody: see below.').waitFor()
    await lookAt(page, 'execution-delivery-failed')

    await page.getByRole('button', { name: 'Send again' }).click()
    const dialog = page.getByRole('dialog', { name: 'Send this again?' })
    await dialog.getByLabel('Note for the audit log').fill('The workshop mended its address')
    await lookAt(page, 'execution-send-again')
    desk.hooks.answer = 204
    await dialog.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('It is sent again now').waitFor()
    await sweep()
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Call a webhook' })
      .getByText('delivered', { exact: true })
      .first()
      .waitFor()
    await lookAt(page, 'execution-delivered')
    const [entry] = (
      (await api.must('GET', path('/audit_logs?limit=1'))) as { payload: { details: { note: string } }[] }
    ).payload
    expect(entry?.details.note).toBe('The workshop mended its address')
    expect(complaints).toEqual([])
    await leave()
  })

  test('that is due is run by hand; the focus comes back where it was', async () => {
    await desk.publish({
      event: 'conversation_updated',
      occurred_at: NOON,
      conversation: conversation(202, { status: 'pending', status_changed_at: NOON }),
      changed_attributes: { status: ['open', 'pending'] },
    })
    await setClock('2026-09-01T18:31:00.000000Z')
    const { page, go, leave } = await openPerson(browser())
    await go(path(`/history/${await executionOf(202)}`))
    await page.getByRole('button', { name: 'Run it now' }).click()
    await page.keyboard.press('Escape')
    await page.locator('button:focus', { hasText: 'Run it now' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Run it now' }).click()
    await page.getByText('It acted, once for this episode.').waitFor()
    await page.getByText('Add labels').waitFor()
    await leave()
    await setClock(NOON)
  })

  test('can be looked at by an agent, who is offered nothing to change', async () => {
    const { page, go, leave } = await openPerson(browser(), { token: await desk.token('agent') })
    await go(path(`/history/${await executionOf(106)}`))
    await page.getByText('Call a webhook').waitFor()
    expect(await page.getByRole('button', { name: /Send again|Dismiss|Run it now/ }).count()).toBe(0)
    await leave()
  })

  test('of another account is not found', async () => {
    const { page, go, leave } = await openPerson(browser(), { token: await desk.token('agent') })
    await go(path('/history/999999999'))
    await page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor()
    await leave()
  })
})

describe('a conversation', () => {
  test('shows what is known, what waits on it and what rules did', async () => {
    const { page, go, complaints, leave } = await openPerson(browser())
    await go(path('/conversations/104'))
    await page.getByText('Ann Meyer').waitFor()
    await page.getByRole('listitem').getByRole('link', { name: 'Label what stays pending' }).waitFor()
    await page.getByRole('row').filter({ hasText: 'Waiting' }).waitFor()
    await lookAt(page, 'conversation')
    expect(complaints).toEqual([])
    await leave()
  })

  test('answers why a rule did not fire here, with the values that were seen', async () => {
    const { page, go, complaints, leave } = await openPerson(browser())
    await go(path('/conversations/103'))
    await page.getByRole('textbox', { name: 'Rule' }).click()
    await page.getByRole('option', { name: 'Label what stays pending' }).click()
    await page.waitForURL(/rule=\d+/)
    await page.getByText('did not fire, because the conditions no longer held').waitFor()
    await page.getByRole('row').filter({ hasText: 'has none of' }).getByText('does not hold').waitFor()
    await lookAt(page, 'conversation-why')
    await go(path(`/conversations/105?rule=${desk.rules.followUp}`))
    await page.getByText('It is waiting').waitFor()
    await lookAt(page, 'conversation-why-waits')
    expect(complaints).toEqual([])
    await leave()
  })

  test('that no event told of says so', async () => {
    const { page, go, leave } = await openPerson(browser())
    await go(path('/conversations/4711'))
    await page.getByRole('heading', { name: 'This conversation is not known here' }).waitFor()
    await lookAt(page, 'conversation-unknown')
    await go(path(`/conversations/4711?rule=${desk.rules.stale}`))
    await page.getByText('there is nothing to ask them of').waitFor()
    await leave()
  })
})
