import type { EmailData } from '@dwell/contracts/automations'
import { renderText } from '../../liquid'
import { emailFaults, SAMPLES } from './email-faults'

const mail = (change: Partial<EmailData> = {}): EmailData => ({
  email_subject: 'Welcome',
  email_body: 'Hi {{ member.name }}',
  email_format: 'markdown',
  ...change,
})

test('an e-mail that can be sent has no faults, published or not', () => {
  expect(emailFaults(mail(), '/data', true)).toEqual([])
  expect(emailFaults(mail(), '/data', false)).toEqual([])
})

test('an empty e-mail is a fault of what is published only', () => {
  const empty = mail({ email_subject: ' ', email_body: '<!-- later -->' })
  expect(emailFaults(empty, '/data', false)).toEqual([])
  expect(emailFaults(empty, '/data', true)).toEqual([
    {
      pointer: '/data/email_subject',
      code: 'subject_blank',
      message: 'an active automation needs a subject in every e-mail',
    },
    { pointer: '/data/email_body', code: 'body_empty', message: 'an active automation needs a body in every e-mail' },
  ])
})

test('a text that cannot be parsed is a fault of each field, with its reason', () => {
  expect(emailFaults(mail({ email_subject: '{{ x', email_body: '{{ x | nope }}' }), '/data', false)).toEqual([
    {
      pointer: '/data/email_subject',
      code: 'email_unrenderable',
      message: expect.stringMatching(/^cannot be rendered: output "\{\{ x" not closed/),
    },
    {
      pointer: '/data/email_body',
      code: 'email_unrenderable',
      message: 'cannot be rendered: undefined filter: nope, line:1, col:1',
    },
  ])
})

test('an e-mail that fails for somebody of whom nothing is known, or for somebody of whom all is, has a fault', () => {
  const endless = '{% for i in (1..5000) %}{% for j in (1..5000) %}x{% endfor %}{% endfor %}'
  for (const condition of ['member.name', 'member.email == blank'])
    expect(
      emailFaults(mail({ email_body: `{% if ${condition} %}${endless}{% endif %}` }), '/data', false),
    ).toMatchObject([{ pointer: '/data/email_body', code: 'email_unrenderable' }])
  expect(
    emailFaults(mail({ email_subject: `{% if member.name %}${endless}{% endif %}` }), '/data', false),
  ).toMatchObject([{ pointer: '/data/email_subject', code: 'email_unrenderable' }])
})

test('a date in an e-mail is tried at a moment in UTC', () => {
  expect(emailFaults(mail({ email_body: "{{ 'now' | date: '%Y' }}" }), '/data', true)).toEqual([])
})

test('the first sample has a value for every name that an e-mail may use, the second has none of the member’s', () => {
  const rendered = (text: string) =>
    SAMPLES.map((scope) => {
      const rendering = renderText(text, scope, { now: 0 as never, timeZone: 'UTC' })
      return rendering.ok ? rendering.text : rendering.error
    })
  expect(rendered('{{ member.name }} <{{ member.email }}> {{ member.first_name }}|{{ member.last_name }}')).toEqual([
    'Alex Example <alex@example.com> Alex|Example',
    ' <> |',
  ])
  expect(rendered('{{ member.uuid }} {{ member.status }} {{ member.id }}')[0]).toBe(
    '00000000-0000-4000-8000-000000000000 free 1',
  )
  expect(
    rendered('{{ account.name }} {{ account.id }} {{ automation.name }} {{ automation.id }} {{ unsubscribe_url }}'),
  ).toEqual(Array(2).fill('Example 1 Welcome 00000000-0000-7000-8000-000000000000 https://example.com/unsubscribe'))
})
