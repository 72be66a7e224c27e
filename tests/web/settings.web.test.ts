import type { Locator } from 'playwright-core'
import { lookAt } from './src/barriers'
import { openPerson, useBrowser } from './src/browser'
import { api, type Desk, instance, openDesk } from './src/desk'

const browser = useBrowser()
let desk: Desk
beforeAll(async () => {
  desk = await openDesk({ name: 'Settings desk' })
})

const path = (rest = '') => `/accounts/${desk.accountId}/settings${rest}`
const account = async () =>
  (
    (await api.must('GET', `/accounts/${desk.accountId}`)) as {
      payload: { name: string; features: string[]; settings: Record<string, unknown> }
    }
  ).payload

/** Resolves when the server has taken what was saved: an earlier "Saved" may still be on the screen. */
async function saveBy(button: Locator): Promise<void> {
  const taken = button.page().waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok())
  await button.click()
  await taken
}

describe('settings of an account', () => {
  test('name, time zone and limits are saved, and what is wrong is shown at its field', async () => {
    const { page, go, complaints, leave } = await openPerson(browser(), { token: await desk.token('administrator') })
    await go(path())
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Renamed desk')
    await page.getByRole('textbox', { name: 'Time zone' }).click()
    await page.getByRole('textbox', { name: 'Time zone' }).fill('Auckland')
    await page.getByRole('option', { name: 'Pacific/Auckland' }).click()
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText('Saved').waitFor()
    expect(await account()).toMatchObject({ name: 'Renamed desk', settings: { timezone: 'Pacific/Auckland' } })

    await page.getByRole('textbox', { name: /Messages to one conversation/ }).fill('20000')
    await page.getByText('Between 1 and 10,000').waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).nth(1).isDisabled()).toBe(true)
    await lookAt(page, 'settings-general')
    await page.getByRole('textbox', { name: /Messages to one conversation/ }).fill('3')
    await saveBy(page.getByRole('button', { name: 'Save' }).nth(1))
    expect((await account()).settings).toMatchObject({ max_messages_per_conversation_per_minute: 3 })
    expect(complaints).toEqual([])
    await leave()
  })

  test('delayed automations are turned off and on by the admin alone, after a question', async () => {
    const chief = await openPerson(browser(), { token: await desk.token('administrator') })
    await chief.go(path())
    await chief.page.getByText('Only the admin token may change this.').waitFor()
    expect(await chief.page.getByRole('button', { name: 'Turn off' }).count()).toBe(0)
    await chief.leave()

    const { page, go, leave } = await openPerson(browser())
    await go(path())
    for (const [act, says, features] of [
      ['Turn off', 'Delayed automations are off', []],
      ['Turn on', 'Delayed automations are on', ['delayed_automations']],
    ] as const) {
      await page.getByRole('button', { name: act }).click()
      await page.getByRole('dialog').getByRole('button', { name: act }).click()
      await page.getByText(says).waitFor()
      expect((await account()).features).toEqual(features)
    }
    await leave()
  })

  test('webhook secrets are changed over without a gap', async () => {
    const { page, go, complaints, leave } = await openPerson(browser(), { token: await desk.token('administrator') })
    const [old] = (await account()).settings.webhook_secrets as string[]
    await go(path('/webhooks'))
    await page.getByText('signs first').waitFor()
    expect(await page.getByRole('button', { name: 'Remove', exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: 'New secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click()
    await page.getByText('The new secret signs first').waitFor()
    const [fresh, former] = (await account()).settings.webhook_secrets as string[]
    expect([fresh === old, former]).toEqual([false, old])
    await page.getByRole('button', { name: 'Show secret 1' }).click()
    await page.getByText(fresh ?? '', { exact: true }).waitFor()
    await lookAt(page, 'settings-webhooks')
    await page.getByRole('button', { name: 'Remove' }).last().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('It signs no more').waitFor()
    expect((await account()).settings.webhook_secrets).toEqual([fresh])

    await api.must('PATCH', `/accounts/${desk.accountId}`, {
      settings: { disabled_webhooks: ['https://gone.example/hook'] },
    })
    await page.reload()
    await page.getByRole('button', { name: 'Call it again' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Call it again' }).click()
    await page.getByText('It is called again').waitFor()
    expect((await account()).settings.disabled_webhooks).toBeUndefined()
    expect(complaints).toEqual([])
    await leave()
  })

  test('e-mail settings and addresses of teams are saved, and taken back', async () => {
    const { page, go, complaints, leave } = await openPerson(browser(), { token: await desk.token('administrator') })
    await go(path('/mail'))
    await page.getByRole('textbox', { name: 'Sender' }).fill('nonsense')
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText('must be an address, or Name <address>').waitFor()
    await page.getByRole('textbox', { name: 'Sender' }).fill('Acme <hello@acme.example>')
    await page.getByRole('textbox', { name: 'Opens' }).click()
    await page.getByRole('option', { name: 'Counted by a pixel' }).click()
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText('Saved').waitFor()
    await page.getByRole('button', { name: 'Add a team' }).click()
    await page.getByRole('textbox', { name: 'Team' }).fill('4')
    await page.getByRole('textbox', { name: 'Addresses' }).fill('team@acme.example')
    await page.keyboard.press('Enter')
    await saveBy(page.getByRole('button', { name: 'Save' }).last())
    await lookAt(page, 'settings-mail')
    expect((await account()).settings).toMatchObject({
      mail_from: 'Acme <hello@acme.example>',
      track_opens: true,
      team_emails: { 4: ['team@acme.example'] },
    })
    await page.getByRole('button', { name: 'Remove the team 4' }).click()
    await saveBy(page.getByRole('button', { name: 'Save' }).last())
    expect((await account()).settings.team_emails).toBeUndefined()
    expect(complaints).toEqual([])
    await leave()
  })

  test('a token is shown once, works, and is worth nothing after it was revoked', async () => {
    const { page, go, complaints, leave } = await openPerson(browser(), { token: await desk.token('administrator') })
    await go(path('/tokens'))
    await page.getByRole('textbox', { name: 'Name' }).fill('Night shift')
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.locator('[role=alert]:focus', { hasText: 'shown only this once' }).waitFor()
    const token = (await page.getByText(/^dwell_account_/).textContent()) ?? ''
    await lookAt(page, 'settings-tokens')
    const ask = () =>
      fetch(`${instance.url}/api/v1/accounts/${desk.accountId}`, { headers: { authorization: `Bearer ${token}` } })
    expect((await ask()).status).toBe(200)
    await page.getByRole('button', { name: 'I have kept it' }).click()
    expect(await page.getByText(/^dwell_account_/).count()).toBe(0)
    const night = await openPerson(browser(), { token })
    await page.getByRole('row').filter({ hasText: 'Night shift' }).getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('worth nothing from now on').waitFor()
    await page.locator('h1:focus').waitFor()
    expect((await ask()).status).toBe(401)
    // Whoever signed in with it is signed out.
    await night.go(path())
    await night.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await night.leave()
    expect(complaints).toEqual([])
    await leave()
  })

  test('custom attributes are added and deleted; what is wrong is shown at its field', async () => {
    const { page, go, complaints, leave } = await openPerson(browser(), { token: await desk.token('administrator') })
    await go(path('/attributes'))
    await page.getByRole('heading', { name: 'No custom attributes' }).waitFor()
    await lookAt(page, 'settings-attributes-none')
    await page.getByRole('textbox', { name: 'Name' }).fill('Plan')
    await page.getByRole('textbox', { name: 'Key' }).fill('the plan')
    await page.getByRole('textbox', { name: 'Type' }).click()
    await page.getByRole('option', { name: 'List' }).click()
    await page.getByRole('textbox', { name: 'Values' }).fill('gold')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Add attribute' }).click()
    await page.getByText(/may hold letters, digits/).waitFor()
    await page.getByRole('textbox', { name: 'Key' }).fill('plan')
    await page.getByRole('button', { name: 'Add attribute' }).click()
    const row = page.getByRole('row').filter({ hasText: 'Plan' })
    await row.getByText('List: gold').waitFor()
    await lookAt(page, 'settings-attributes')
    await row.getByRole('button', { name: 'Delete' }).click()
    await page
      .getByRole('dialog', { name: 'Delete the attribute Plan?' })
      .getByRole('button', { name: 'Delete' })
      .click()
    await page.getByRole('heading', { name: 'No custom attributes' }).waitFor()
    expect(complaints).toEqual([])
    await leave()
  })

  test('an agent looks, sees no secret and is offered nothing to change', async () => {
    const { page, go, leave } = await openPerson(browser(), { token: await desk.token('agent') })
    for (const view of ['', '/webhooks', '/mail', '/tokens', '/attributes']) {
      await go(path(view))
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.getByRole('status').waitFor({ state: 'detached' })
      expect(await page.getByRole('button', { name: /Save|New secret|Create|Add|Revoke|Delete|Turn/ }).count()).toBe(0)
      expect(await page.getByText('whsec_').count()).toBe(0)
    }
    await go(path('/webhooks'))
    await page.getByText('Only administrators see these.').waitFor()
    await leave()
  })
})
