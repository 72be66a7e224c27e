import { type Micros, parseInstant } from '@dwell/contracts/instant'
import { unknownMember } from '../member'
import { compileEmail } from './compile-email'
import { composeMail, type MailFacts } from './compose-mail'
import type { MailLinks } from './mail-links'

const MOMENT = { now: parseInstant('2026-09-01T22:30:00Z') as Micros, isTest: false }
const links: MailLinks = {
  unsubscribe: 'https://desk.example/unsubscribe/t',
  pixel: 'https://desk.example/mail/open/t',
  click: (url) => `https://desk.example/mail/click/t?to=${encodeURIComponent(url)}`,
}

function facts(settings: MailFacts['account']['settings'] = {}): MailFacts {
  const member = unknownMember(1, '7')
  return {
    account: { id: 1, name: 'Acme', settings },
    automation: { id: 'a', name: 'Welcome' },
    member: { ...member, facts: { ...member.facts, name: 'Ann Lee' } },
    links,
  }
}

function email(email_body = '[go](https://x.example)', email_subject = 'Hi {{ member.first_name }}') {
  const compilation = compileEmail({ email_subject, email_body, email_format: 'markdown' })
  if (!compilation.ok) throw new Error('it compiles')
  return compilation.email
}

function mailOf(settings: MailFacts['account']['settings'] = {}, moment = MOMENT, body = email()) {
  const composition = composeMail(body, facts(settings), moment)
  if (!composition.ok) throw new Error(composition.error)
  return composition.mail
}

test('a mail has a way out by one click, and is from whom the installation says where the account says nothing', () => {
  const mail = mailOf()
  expect(mail).toEqual({
    subject: 'Hi Ann',
    html: expect.stringContaining('<a href="https://desk.example/unsubscribe/t">Unsubscribe</a>'),
    text: 'go [https://x.example]\n\n--\nUnsubscribe: https://desk.example/unsubscribe/t\n',
    headers: {
      'List-Unsubscribe': '<https://desk.example/unsubscribe/t>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  })
})

test('sender and address for answers are those of the account', () => {
  expect(mailOf({ mail_from: 'Acme <a@acme.example>', mail_reply_to: 'help@acme.example' })).toMatchObject({
    from: 'Acme <a@acme.example>',
    replyTo: 'help@acme.example',
  })
  for (const nothing of ['', 5, null]) {
    const mail = mailOf({ mail_from: nothing, mail_reply_to: nothing })
    expect(mail).not.toHaveProperty('from')
    expect(mail).not.toHaveProperty('replyTo')
  }
})

test('opens and clicks are counted where the account says so, and never by a test', () => {
  const counts = (settings: object, isTest = false) => {
    const { html } = mailOf({ ...settings }, { ...MOMENT, isTest })
    return { opens: html.includes('/mail/open/'), clicks: html.includes('/mail/click/') }
  }
  expect(counts({})).toEqual({ opens: false, clicks: false })
  expect(counts({ track_opens: true })).toEqual({ opens: true, clicks: false })
  expect(counts({ track_clicks: true })).toEqual({ opens: false, clicks: true })
  expect(counts({ track_opens: 'yes', track_clicks: 1 })).toEqual({ opens: false, clicks: false })
  expect(counts({ track_opens: true, track_clicks: true }, true)).toEqual({ opens: false, clicks: false })
})

test('dates are written in the account’s time zone, in UTC where it has none', () => {
  const day = (timezone: unknown) => mailOf({ timezone }, MOMENT, email("{{ 'now' | date: '%d %H' }}")).text.slice(0, 5)
  expect(day('Europe/Berlin')).toBe('02 00')
  expect(day(undefined)).toBe('01 22')
  expect(day('')).toBe('01 22')
})

test('an e-mail with a way out of its own has no second one', () => {
  const { html } = mailOf({}, MOMENT, email('[bye]({{ unsubscribe_url }})'))
  expect(html).toContain('<a href="https://desk.example/unsubscribe/t">bye</a>')
  expect(html).not.toContain('Unsubscribe</a>')
})

test('what cannot be rendered says where and why', () => {
  const endless = '{% for i in (1..100000000) %}x{% endfor %}'
  expect(composeMail(email('x', endless), facts(), MOMENT)).toMatchObject({ ok: false, field: 'email_subject' })
  expect(composeMail(email(endless), facts(), MOMENT)).toMatchObject({
    ok: false,
    field: 'email_body',
    error: expect.stringMatching(/limit exceeded/),
  })
})
