import { lookAt } from './src/barriers'
import { openPerson, type Person, useBrowser } from './src/browser'
import { api, conversation, type Desk, openDesk, setClock, sweep } from './src/desk'
import { breakMails, mailsTo } from './src/mail-sink'
import { type BusyDesk, NOON, openBusyDesk } from './src/support-desk'

const browser = useBrowser()
let desk: BusyDesk
beforeAll(async () => {
  desk = await openBusyDesk('Night shift')
})
afterAll(() => desk.hooks.close())

const person = (token?: string): Promise<Person> => openPerson(browser(), token === undefined ? {} : { token })
const newestAudit = async () =>
  ((await api.must('GET', '/audit_logs?limit=1')) as { payload: { action: string; details: unknown }[] }).payload[0]

/** An event of an account that does not exist; answers what the test finds it by. */
async function bury(id: string, accountId = 987_654): Promise<void> {
  await desk.publish({
    id,
    account_id: accountId,
    event: 'conversation_created',
    occurred_at: NOON,
    conversation: { id: 1, status: 'open' },
  })
}

describe('operations', () => {
  test('begin with what somebody on call looks at first, sweeps in a chart and a table', async () => {
    const { page, go, complaints, leave } = await person()
    await go('/operations')
    await page.getByText('Running').waitFor()
    await page.getByRole('heading', { name: 'Rows per sweep' }).waitFor()
    await page.locator('.recharts-bar-rectangle').first().waitFor()
    const row = page.getByRole('region', { name: 'Sweeps, the newest first' }).getByRole('row').nth(1)
    await row.getByText('request').waitFor()
    await lookAt(page, 'operations-sweeps')
    await page.getByRole('button', { name: 'Sweep now' }).click()
    await page.getByRole('dialog', { name: 'Run a sweep now?' }).getByRole('button', { name: 'Sweep now' }).click()
    await page.getByText(/Swept: \d+ of \d+ rows taken/).waitFor()
    expect(complaints).toEqual([])
    await leave()
  })

  test('say when no sweep has run for long', async () => {
    await setClock('2026-09-01T15:30:00.000000Z')
    const { page, go, leave } = await person()
    await go('/operations')
    await page.getByText('is a worker running?').waitFor()
    await lookAt(page, 'operations-silent')
    await leave()
    await setClock(NOON)
  })

  test('show the queues, and lead to each on the board without another sign-in', async () => {
    const { page, go, complaints, leave } = await person()
    await go('/operations')
    await page.getByRole('navigation', { name: 'Operations' }).getByRole('link', { name: 'Queues' }).click()
    await page.getByRole('cell', { name: /^process/ }).waitFor()
    await lookAt(page, 'operations-queues')
    expect(complaints).toEqual([])
    await page.getByRole('link', { name: 'Open process on the board' }).click()
    await page.waitForURL('**/admin/queues/queue/process**')
    await page.getByText('One job per claimed row').first().waitFor()
    await leave()
  })
})

describe('dead events', () => {
  test('are shown with their reason and what they said, and published again once the cause is mended', async () => {
    const mended = 600_000_000 + (Date.now() % 100_000_000)
    await bury('evt-unknown', mended)
    const { page, go, complaints, leave } = await person()
    await go('/operations/dead-events')
    const row = page.getByRole('row').filter({ hasText: String(mended) })
    await row.getByText('Unknown account').waitFor()
    await row.getByRole('button', { name: 'Show the event' }).click()
    await page.getByRole('region', { name: 'Event' }).getByText('"evt-unknown"').waitFor()
    await lookAt(page, 'operations-dead-events')

    await api.must('POST', '/accounts', { id: mended, name: 'Late account', features: [] })
    await page.getByRole('button', { name: 'Publish again' }).click()
    const dialog = page.getByRole('dialog', { name: 'Publish this event again?' })
    await dialog.getByLabel('Note for the audit log').fill('The account is there now')
    await lookAt(page, 'operations-dead-events-publish')
    await dialog.getByRole('button', { name: 'Publish again' }).click()
    await page.getByText('1 event stands on the stream again').waitFor()
    await row.waitFor({ state: 'detached' })
    expect(await newestAudit()).toMatchObject({
      action: 'dead_event.published',
      details: { error: 'unknown_account', note: 'The account is there now' },
    })
    expect(complaints).toEqual([])
    await leave()
  })

  test('are corrected; what is no event either is refused at its field', async () => {
    await bury('evt-corrected')
    const { page, go, leave } = await person()
    await go('/operations/dead-events?error=unknown_account')
    await page.getByRole('button', { name: 'Show the event' }).first().click()
    await page.getByRole('button', { name: 'Correct and publish' }).click()
    const field = page.getByLabel('Corrected event')
    const text = await field.inputValue()
    await field.fill('{"id": "evt-corrected"}')
    await page.getByRole('button', { name: 'Correct and publish' }).click()
    await page.getByText(/event: the name of the event is missing/).waitFor()
    await lookAt(page, 'operations-dead-events-correct')
    await field.fill(text.replace('987654', String(desk.accountId)))
    await page.getByRole('button', { name: 'Correct and publish' }).click()
    await page.getByText('1 event stands on the stream again').waitFor()
    await leave()
  })

  test('are published together in the order in which they came, or given up', async () => {
    for (const id of ['evt-a', 'evt-b', 'evt-c']) await bury(id)
    const { page, go, leave } = await person()
    await go('/operations/dead-events')
    await page.getByRole('button', { name: 'Show the event' }).nth(2).waitFor()
    for (const index of [1, 2])
      await page
        .getByRole('checkbox', { name: /^Select the event/ })
        .nth(index)
        .check()
    await page.getByRole('button', { name: 'Publish 2 again' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish again' }).click()
    await page.getByText('2 events stand on the stream again').waitFor()
    const before = await page.getByRole('button', { name: 'Show the event' }).count()
    await page.getByRole('button', { name: 'Show the event' }).last().click()
    await page.getByRole('button', { name: 'Give up' }).click()
    await page.getByRole('dialog', { name: 'Give this event up?' }).getByRole('button', { name: 'Give up' }).click()
    await page.getByText('It is gone').waitFor()
    // What had the focus is gone: it goes on from the heading.
    await page.locator('h1:focus').waitFor()
    expect(before).toBeGreaterThan(0)
    expect(await newestAudit()).toMatchObject({ action: 'dead_event.deleted' })
    await leave()
  })

  test('of another reason are not shown', async () => {
    const { page, go, leave } = await person()
    await go('/operations/dead-events')
    await page.getByRole('textbox', { name: 'Reason' }).click()
    await page.getByRole('option', { name: 'Too large' }).click()
    await page.waitForURL('**?error=oversized_event')
    await page.getByRole('heading', { name: 'None of this reason' }).waitFor()
    await lookAt(page, 'operations-dead-events-none')
    await leave()
  })
})

describe('deliveries that need somebody', () => {
  test('are sent again or dismissed, each with a note', async () => {
    const { page, go, complaints, leave } = await person(await desk.token('administrator'))
    await go('/operations')
    await page.waitForURL(`**/accounts/${desk.accountId}/operations/deliveries`)
    const row = page.getByRole('row').filter({ hasText: 'Call a webhook' })
    await row.getByText('the receiver answered 404').waitFor()
    await lookAt(page, 'operations-deliveries')
    await row.getByRole('button', { name: 'Send again' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
    await page.getByRole('heading', { name: 'No delivery needs you' }).waitFor()
    await sweep()
    await row.getByText('2 attempts').waitFor()
    await row.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByRole('dialog').getByLabel('Note for the audit log').fill('The workshop has closed')
    await page.getByRole('dialog').getByRole('button', { name: 'Dismiss' }).click()
    await page.getByRole('heading', { name: 'No delivery needs you' }).waitFor()
    await lookAt(page, 'operations-deliveries-none')
    expect(complaints).toEqual([])
    await leave()
  })

  describe('of which nobody knows whether they arrived', () => {
    // The mail server may be one that an earlier run used.
    const TAKEN = `taken-${Date.now()}@example.com`
    const LOST = `lost-${Date.now()}@example.com`
    let mails: Desk

    /** The line breaks after each message has come: the first is kept, the second is lost; later ones are taken. */
    beforeAll(async () => {
      await breakMails({ to: TAKEN, drop: 'after', times: 1 }, { to: LOST, drop: 'before', times: 1 })
      mails = await openDesk({ name: 'Mail room' })
      for (const [name, address] of [
        ['Tell the owner', TAKEN],
        ['Tell the archive', LOST],
      ] as const)
        await mails.rule({
          name,
          event_name: 'conversation_updated',
          conditions: [
            { attribute_key: 'priority', filter_operator: 'equal_to', values: ['urgent'], query_operator: null },
          ],
          actions: [{ action_name: 'send_email_transcript', action_params: [address] }],
        })
      await mails.publish({
        event: 'conversation_updated',
        occurred_at: NOON,
        conversation: conversation(301, { priority: 'urgent' }),
        changed_attributes: { priority: [null, 'urgent'] },
      })
      await sweep()
    })
    afterAll(() => breakMails())

    test('wait for a person, are never repeated alone, and are told apart from failed ones', async () => {
      const { page, go, complaints, leave } = await person()
      await go(`/accounts/${mails.accountId}/operations/deliveries`)
      const rows = page.getByRole('row').filter({ hasText: 'e-mail, 1 attempt' })
      await rows.filter({ hasText: 'Tell the owner' }).getByText('unknown', { exact: true }).waitFor()
      await rows.filter({ hasText: 'Tell the archive' }).getByText('unknown', { exact: true }).waitFor()
      await lookAt(page, 'operations-deliveries-unknown')
      await sweep()
      expect([(await mailsTo(TAKEN)).length, (await mailsTo(LOST)).length]).toEqual([1, 0])
      await page.getByRole('textbox', { name: 'State' }).click()
      await page.getByRole('option', { name: 'failed' }).click()
      await page.getByRole('heading', { name: 'Nothing matches these filters' }).waitFor()
      await go(`/accounts/${mails.accountId}/operations/deliveries?status=unknown`)
      await rows.nth(1).waitFor()
      expect(complaints).toEqual([])
      await leave()
    })

    test('are sent again only after a warning, or dismissed', async () => {
      const { page, go, complaints, leave } = await person(await mails.token('administrator'))
      await go(`/accounts/${mails.accountId}/operations/deliveries`)
      const row = (name: string) => page.getByRole('row').filter({ hasText: name })
      await row('Tell the owner').getByRole('button', { name: 'Dismiss', exact: true }).click()
      const dismiss = page.getByRole('dialog', { name: 'Dismiss this delivery?' })
      await dismiss.getByLabel('Note for the audit log').fill('The owner has it')
      await dismiss.getByRole('button', { name: 'Dismiss', exact: true }).click()
      await row('Tell the owner').waitFor({ state: 'detached' })
      await page.locator('h1:focus').waitFor()

      await row('Tell the archive').getByRole('button', { name: 'Send again', exact: true }).click()
      const again = page.getByRole('dialog', { name: 'Send this again?' })
      await again.getByText('Sending it again may make it arrive twice.').waitFor()
      // What may happen twice is not what Enter does.
      await again.locator('button:focus', { hasText: 'Cancel' }).waitFor()
      await lookAt(page, 'operations-deliveries-unknown-again')
      await again.getByRole('button', { name: 'Send again', exact: true }).click()
      await page.getByRole('heading', { name: 'No delivery needs you' }).waitFor()
      await sweep()
      expect([(await mailsTo(TAKEN)).length, (await mailsTo(LOST)).length]).toEqual([1, 1])
      const { payload } = (await api.must('GET', `/accounts/${mails.accountId}/executions`)) as {
        payload: { id: number }[]
      }
      const states = await Promise.all(
        payload.map(async ({ id }) => {
          const one = await api.must('GET', `/accounts/${mails.accountId}/executions/${id}`)
          return (one as { payload: { deliveries: { status: string; attempts: unknown[] }[] } }).payload.deliveries
        }),
      )
      const told = states.flat().map(({ status, attempts }) => `${status} after ${attempts.length}`)
      expect(told.sort()).toEqual(['delivered after 2', 'dismissed after 1'])
      expect(complaints).toEqual([])
      await leave()
    })
  })

  test('an agent can only look at', async () => {
    const { page, go, leave } = await person(await desk.token('agent'))
    await go('/operations')
    await page.waitForURL(`**/accounts/${desk.accountId}/operations/deliveries`)
    await page.getByRole('heading', { name: 'Failed deliveries', level: 1 }).waitFor()
    expect(await page.getByRole('navigation', { name: 'Operations' }).getByRole('link').allInnerTexts()).toEqual([
      'Failed deliveries',
    ])
    await leave()
  })
})

describe('kill switch and limits', () => {
  test('the switch stops and starts delayed executions, and asks first', async () => {
    const { page, go, complaints, leave } = await person()
    await go('/operations/limits')
    await page.getByRole('button', { name: 'Stop delayed executions' }).waitFor()
    await lookAt(page, 'operations-limits')
    await page.getByRole('button', { name: 'Stop delayed executions' }).click()
    const dialog = page.getByRole('dialog', { name: 'Stop all delayed executions?' })
    // What stops everything is not what Enter does.
    await dialog.locator('button:focus', { hasText: 'Cancel' }).waitFor()
    await lookAt(page, 'operations-limits-stop')
    await dialog.getByRole('button', { name: 'Stop delayed executions' }).click()
    await page.getByText('Delayed executions are stopped').waitFor()
    await page.getByRole('button', { name: 'Let them run again' }).waitFor()
    await lookAt(page, 'operations-limits-stopped')
    await go('/operations')
    await page.getByRole('link', { name: /Delayed executions\s*Stopped/ }).waitFor()
    await page.locator('.recharts-bar-rectangle').first().waitFor()
    await lookAt(page, 'operations-stopped')
    await go('/operations/limits')
    await page.getByRole('button', { name: 'Let them run again' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Let them run again' }).click()
    await page.getByText('Delayed executions run again').waitFor()
    expect(complaints).toEqual([])
    await leave()
  })

  test('a limit is checked as it is typed, and changed after a question', async () => {
    await api.must('PUT', '/installation_configs/AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT', { value: 1000 })
    const { page, go, leave } = await person()
    await go('/operations/limits')
    const form = page.locator('form').filter({ hasText: 'Executions per sweep' })
    const field = form.getByRole('textbox', { name: 'Executions per sweep' })
    await field.fill('0')
    await form.getByText('Between 1 and 100,000').waitFor()
    expect(await form.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await field.fill('250')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Change this setting?' })
    await dialog.getByText('From 1,000 to 250').waitFor()
    await dialog.getByRole('button', { name: 'Change' }).click()
    await page.getByText('Changed', { exact: true }).waitFor()
    const { payload } = (await api.must('GET', '/installation_configs/AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT')) as {
      payload: { value: unknown }
    }
    expect(payload.value).toBe(250)
    await api.must('PUT', '/installation_configs/AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT', { value: 1000 })
    await leave()
  })
})

describe('the audit log', () => {
  test('is searched, and every search has an address', async () => {
    const { page, go, complaints, leave } = await person()
    await go('/operations/audit-log')
    await page.getByRole('row').filter({ hasText: 'session.begun' }).first().waitFor()
    await lookAt(page, 'operations-audit-log')
    await page.getByLabel('Action').fill('dead_event')
    await page.keyboard.press('Enter')
    await page.waitForURL('**?action=dead_event')
    await page.getByRole('row').filter({ hasText: 'session.begun' }).first().waitFor({ state: 'detached' })
    await page.getByRole('row').filter({ hasText: 'dead_event.deleted' }).first().waitFor()
    await page.reload()
    await page.getByLabel('Action').and(page.locator('[value=dead_event]')).waitFor()
    await page.getByLabel('To (inclusive)').fill('2020-01-01')
    await page.getByRole('heading', { name: 'Nothing matches these filters' }).waitFor()
    expect(complaints).toEqual([])
    await leave()
  })

  test('of an account shows its administrators what concerns them', async () => {
    const { page, go, leave } = await person(await desk.token('administrator'))
    await go('/operations')
    await page.getByRole('navigation', { name: 'Operations' }).getByRole('link', { name: 'Audit log' }).click()
    await page.waitForURL(`**/accounts/${desk.accountId}/operations/audit-log`)
    await page.getByRole('row').filter({ hasText: 'The workshop has closed' }).waitFor()
    await lookAt(page, 'operations-audit-log-account')
    await leave()
  })
})
