import { createSmtpTarget } from './smtp'

const never = new AbortController().signal
const payload = { to: 'ann@x.com', subject: 's', text: 't' }

test('a mail has an id made of the delivery, the same in every attempt', async () => {
  const sent: unknown[] = []
  const sender = {
    async send(mail: unknown) {
      sent.push(mail)
      return { outcome: 'delivered' } as const
    },
    close: () => undefined,
  }
  const target = createSmtpTarget({ sender, domain: 'desk.example' })
  for (const _attempt of [1, 2]) {
    expect(await target.deliver({ id: '900-0-1', accountId: 1, payload }, never)).toEqual({ outcome: 'delivered' })
  }
  const mail = { messageId: 'dwell.900-0-1@desk.example', ...payload }
  expect(sent).toEqual([mail, mail])
})

test('without a mail server, or without an address, a mail fails with that reason', async () => {
  const target = createSmtpTarget({ sender: null, domain: 'x' })
  expect(await target.deliver({ id: '1-0-1', accountId: 1, payload }, never)).toEqual({
    outcome: 'failed',
    error: 'no mail server is configured: set SMTP_URL',
  })
  const sender = { send: () => Promise.reject(new Error('must not be called')), close: () => undefined }
  for (const missing of ['to', 'subject', 'text']) {
    const incomplete = { id: '1-0-1', accountId: 1, payload: { ...payload, [missing]: undefined } }
    expect(await createSmtpTarget({ sender, domain: 'x' }).deliver(incomplete, never)).toMatchObject({
      outcome: 'failed',
    })
  }
})
