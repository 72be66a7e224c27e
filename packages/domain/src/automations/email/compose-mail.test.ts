import type { Micros } from '@dwell/contracts/instant'
import { compileEmail } from './compile-email'
import { composeMail } from './compose-mail'
import { SAMPLE_MEMBER } from './email-faults'
import { mailLinks } from './mail-links'

const links = mailLinks('https://desk.example', Buffer.from('a key'), { accountId: 1, memberId: 'm1', emailId: 'e1' })

function compose(
  { subject = 'Hi', body = '[Go](https://acme.example/)' },
  settings: Readonly<Record<string, unknown>> = {},
  isTest = false,
) {
  const compilation = compileEmail({ email_subject: subject, email_body: body, email_format: 'markdown' })
  if (!compilation.ok) throw new Error('it cannot be compiled')
  const facts = {
    account: { id: 1, name: 'Acme', settings },
    automation: { id: 'a1', name: 'Welcome' },
    member: SAMPLE_MEMBER,
    links,
  }
  return composeMail(compilation.email, facts, { now: 1_788_220_800_000_000 as Micros, isTest })
}

function composed(...parameters: Parameters<typeof compose>) {
  const composition = compose(...parameters)
  if (!composition.ok) throw new Error(composition.error)
  return composition.mail
}

test('a mail has a way out by one click, and says what is known of member, account and automation', () => {
  const mail = composed({ subject: '{{ automation.name }} to {{ account.name }}, {{ member.first_name }}' })
  expect(mail.subject).toBe('Welcome to Acme, Alex')
  expect(mail.headers).toEqual({
    'List-Unsubscribe': `<${links.unsubscribe}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  })
  expect(mail.text).toContain(`Unsubscribe: ${links.unsubscribe}`)
})

test('sender and address for answers are the account’s where it has its own', () => {
  const mine = { mail_from: 'Acme <hi@acme.example>', mail_reply_to: 'ann@acme.example' }
  expect(composed({}, mine)).toMatchObject({ from: 'Acme <hi@acme.example>', replyTo: 'ann@acme.example' })
  for (const settings of [{}, { mail_from: '', mail_reply_to: null }]) {
    const mail = composed({}, settings)
    expect([Object.hasOwn(mail, 'from'), Object.hasOwn(mail, 'replyTo')]).toEqual([false, false])
  }
})

test.each([
  ['left out', {}, false, false, false],
  ['off', { track_opens: false, track_clicks: false }, false, false, false],
  ['opens', { track_opens: true }, false, true, false],
  ['clicks', { track_clicks: true }, false, false, true],
  ['both, of a test', { track_opens: true, track_clicks: true }, true, false, false],
] as const)(
  'a mail is changed for counting only where that is switched on: %s',
  (_name, settings, isTest, pixel, link) => {
    const { html } = composed({}, settings, isTest)
    expect([html.includes('/mail/open/'), html.includes('/mail/click/')]).toEqual([pixel, link])
    expect(html.includes('href="https://acme.example/"')).toBe(!link)
  },
)

test('dates are those of the account’s zone', () => {
  const body = '{{ "now" | date: "%Y-%m-%d %H:%M" }}'
  expect(composed({ body }).text).toContain('2026-09-01 00:00')
  expect(composed({ body }, { timezone: 'America/New_York' }).text).toContain('2026-08-31 20:00')
})

test('what cannot be rendered says where and why', () => {
  const subject = '{% for i in (1..100000000) %}{{ i }}{% endfor %}'
  expect(compose({ subject })).toMatchObject({ ok: false, field: 'email_subject', error: expect.any(String) })
})
