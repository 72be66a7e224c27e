import { actionEnvelope } from '@dwell/contracts/action'
import type { Micros } from '@dwell/contracts/instant'
import type { Action } from '@dwell/contracts/rule'
import fc from 'fast-check'
import { ACTIONS } from './actions'
import { compileRule } from './compile-rule'
import { UNKNOWN_CONTACT, UNKNOWN_CONVERSATION, UNKNOWN_MESSAGE } from './facts'
import { type PlanInput, planDeliveries, REPLY_WINDOW_CLOSED, WEBHOOK_DISABLED } from './plan-deliveries'
import { unknownContact, unknownConversation, unknownMessage } from './projection'

const at = (iso: string) => (Date.parse(iso) * 1000) as Micros

function input(actions: readonly Action[], change: Partial<PlanInput> = {}, facts: object = {}): PlanInput {
  const rule = compileRule(
    {
      id: 7,
      accountId: 1,
      name: 'R1',
      eventName: 'conversation_updated',
      active: true,
      executionDelay: 60,
      conditions: [],
      actions,
    },
    [],
  )
  return {
    rule,
    executionId: 900,
    row: {
      id: 900,
      accountId: 1,
      ruleId: 7,
      conversationId: 101,
      episodeKey: 'status:1',
      status: 'processing',
      skipReason: null,
      dueAt: at('2026-09-01T11:00:00Z'),
      anchor: null,
      armedAt: at('2026-09-01T10:00:00Z'),
      traceparent: null,
    },
    conversation: {
      ...unknownConversation(1, 101),
      facts: {
        ...UNKNOWN_CONVERSATION,
        status: 'pending',
        inbox_id: 5,
        assignee_id: 12,
        priority: 'high',
        labels: ['vip', 'bug'],
        created_at: at('2026-09-01T08:00:00Z'),
        status_changed_at: (at('2026-09-01T10:00:00Z') + 1) as Micros,
        custom_attributes: { tier: 'gold' },
        ...facts,
      },
    },
    contact: {
      ...unknownContact(1, 9),
      facts: { ...UNKNOWN_CONTACT, name: 'Ann Lee', email: 'ann@x.com', custom_attributes: { plan: 'pro' } },
    },
    message: null,
    account: { id: 1, name: 'ACME', settings: {} },
    now: at('2026-09-01T11:01:00Z'),
    ...change,
  }
}

const message = {
  ...unknownMessage(1, 101, 501),
  facts: {
    ...UNKNOWN_MESSAGE,
    message_type: 'outgoing',
    content: 'hello',
    created_at: at('2026-09-01T10:00:00Z'),
    sender: { type: 'user', id: 12, name: 'Bea' },
  },
}

function plan(action_name: string, action_params: unknown[] = [], change: Partial<PlanInput> = {}, facts: object = {}) {
  return planDeliveries(input([{ action_name, action_params }], change, facts))
}

describe('an entry of the stream', () => {
  test('has the parameters as saved, the rendered text beside them, and who acts', () => {
    const [delivery] = plan('send_message', ['Still there, {{contact.name}}?'])
    expect(delivery).toEqual({
      id: '900-0',
      position: 0,
      actionName: 'send_message',
      target: 'stream',
      status: 'pending',
      error: null,
      payload: {
        id: '900-0',
        account_id: 1,
        conversation_id: 101,
        automation_rule_id: 7,
        automation_rule_name: 'R1',
        execution_id: 900,
        position: 0,
        action_name: 'send_message',
        action_params: ['Still there, {{contact.name}}?'],
        content: 'Still there, Ann Lee?',
        content_attributes: { automation_rule_id: 7 },
        performed_by: { type: 'automation_rule', id: 7 },
        due_at: '2026-09-01T11:00:00.000000Z',
        executed_at: '2026-09-01T11:01:00.000000Z',
      },
    })
    expect(actionEnvelope.parse(delivery?.payload)).toEqual(delivery?.payload)
  })

  test('keeps the text "nil" and has no content where nothing is rendered', () => {
    const [delivery] = plan('assign_agent', ['nil'])
    expect(delivery).toMatchObject({ status: 'pending', payload: { action_params: ['nil'] } })
    expect(delivery?.payload).not.toHaveProperty('content')
  })

  test('leaves in the rule’s order, each at its own position', () => {
    const deliveries = planDeliveries(
      input([
        { action_name: 'add_label', action_params: ['a'] },
        { action_name: 'send_webhook_event', action_params: ['https://x.example/mid'] },
        { action_name: 'remove_label', action_params: ['b'] },
      ]),
    )
    expect(deliveries.map(({ id, position, target }) => [id, position, target])).toEqual([
      ['900-0', 0, 'stream'],
      ['900-1', 1, 'webhook'],
      ['900-2', 2, 'stream'],
    ])
  })
})

describe('texts', () => {
  test.each([
    ['{{contact.first_name}}|{{contact.last_name}}|{{contact.email}}|{{contact.id}}', 'Ann|Lee|ann@x.com|9'],
    ['{{contact.custom_attribute.plan}}', 'pro'],
    [
      '{{conversation.id}}|{{conversation.display_id}}|{{conversation.status}}|{{conversation.priority}}|{{conversation.labels | join: "+"}}',
      '101|101|pending|high|vip+bug',
    ],
    ['{{conversation.custom_attribute.tier}}', 'gold'],
    ['{{conversation.created_at}}', '2026-09-01T08:00:00.000000Z'],
    ['{{account.name}}|{{account.id}}|{{inbox.id}}|{{agent.id}}', 'ACME|1|5|12'],
    ['{{message.content}}{{agent.name}}.', '.'],
  ])('%s', (text, content) => {
    expect(plan('add_private_note', [text])[0]?.payload.content).toBe(content)
  })

  test('know the triggering message and the agent who wrote it', () => {
    const text = '{{message.content}} {{message.id}} {{message.message_type}} {{agent.name}} {{agent.id}}'
    expect(plan('send_message', [text], { message })[0]?.payload.content).toBe('hello 501 outgoing Bea 12')
  })

  test('a name of one word has no last name; a contact that is gone has none at all', () => {
    const one = { ...unknownContact(1, 9), facts: { ...UNKNOWN_CONTACT, name: ' Bo ' } }
    expect(
      plan('send_message', ['{{contact.first_name}}-{{contact.last_name}}'], { contact: one })[0]?.payload.content,
    ).toBe('Bo-')
    const gone = { ...one, deletedAt: at('2026-09-01T10:30:00Z') }
    for (const contact of [null, gone]) {
      expect(plan('send_message', ['Hi {{contact.name}}.'], { contact })[0]?.payload.content).toBe('Hi .')
    }
  })

  test('are written in the account’s zone and at the instant of the execution', () => {
    const account = { id: 1, name: 'ACME', settings: { timezone: 'Asia/Tokyo' } }
    expect(plan('send_message', ["{{ 'now' | date: '%H:%M' }}"], { account })[0]?.payload.content).toBe('20:01')
    for (const settings of [null, { timezone: 5 }, 'x']) {
      expect(
        plan('send_message', ["{{ 'now' | date: '%H:%M' }}"], { account: { ...account, settings } })[0]?.payload
          .content,
      ).toBe('11:01')
    }
  })

  test('that fail to render fail their delivery only', () => {
    const deliveries = planDeliveries(
      input([
        { action_name: 'send_message', action_params: ["{{ 'now' | date: '%H', 'Nowhere/Land' }}"] },
        { action_name: 'add_label', action_params: ['a'] },
      ]),
    )
    expect(deliveries).toMatchObject([
      { status: 'failed', error: expect.stringMatching(/^the text cannot be rendered: .*zone/i) },
      { status: 'pending', error: null },
    ])
    expect(deliveries[0]?.payload).not.toHaveProperty('content')
  })

  test('that render to nothing are not sent', () => {
    expect(plan('send_message', ['{{contact.nickname}} '])).toMatchObject([
      { status: 'failed', error: 'the text is blank after rendering' },
    ])
  })
})

describe('a closed reply window', () => {
  test('refuses a message, and nothing but a message', () => {
    const deliveries = planDeliveries(
      input(
        [
          { action_name: 'send_message', action_params: ['Any news?'] },
          { action_name: 'add_private_note', action_params: ['asked'] },
          { action_name: 'add_label', action_params: ['asked'] },
        ],
        {},
        { can_reply: false },
      ),
    )
    expect(deliveries.map(({ status, error }) => [status, error])).toEqual([
      ['failed', REPLY_WINDOW_CLOSED],
      ['pending', null],
      ['pending', null],
    ])
    expect(REPLY_WINDOW_CLOSED).toContain('reply window')
    expect(deliveries[0]?.payload).toMatchObject({ content: 'Any news?' })
  })

  test.each([[true], [null]])('is not assumed when can_reply is %s', (can_reply) => {
    expect(plan('send_message', ['x'], {}, { can_reply })).toMatchObject([{ status: 'pending' }])
  })
})

describe('a webhook', () => {
  test('carries the current conversation, the triggering message, contact, rule and times', () => {
    const [delivery] = plan('send_webhook_event', ['https://x.example/hook'], { message })
    expect(delivery).toMatchObject({ id: '900-0', target: 'webhook', status: 'pending', error: null })
    expect(delivery?.payload).toEqual({
      url: 'https://x.example/hook',
      body: {
        event: 'automation_event.conversation_updated',
        account_id: 1,
        conversation: expect.objectContaining({
          id: 101,
          inbox_id: 5,
          priority: 'high',
          labels: ['vip', 'bug'],
          status_changed_at: '2026-09-01T10:00:00.000001Z',
          waiting_since: null,
          created_at: '2026-09-01T08:00:00.000000Z',
        }),
        message: {
          id: 501,
          message_type: 'outgoing',
          private: false,
          content: 'hello',
          created_at: '2026-09-01T10:00:00.000000Z',
          content_attributes: {},
          sender: { type: 'user', id: 12, name: 'Bea' },
        },
        contact: expect.objectContaining({ id: 9, email: 'ann@x.com' }),
        automation_rule: { id: 7, name: 'R1' },
        execution_id: 900,
        due_at: '2026-09-01T11:00:00.000000Z',
        executed_at: '2026-09-01T11:01:00.000000Z',
      },
    })
  })

  test('is not sent to an address that was disabled', () => {
    const settings = { disabled_webhooks: ['https://x.example/gone'] }
    const account = { id: 1, name: 'ACME', settings }
    expect(plan('send_webhook_event', ['https://x.example/gone'], { account })).toMatchObject([
      { status: 'failed', error: WEBHOOK_DISABLED },
    ])
    expect(plan('send_webhook_event', ['https://x.example/gone/not'], { account })).toMatchObject([
      { status: 'pending' },
    ])
  })

  test('leaves out message and contact where there are none, or none any more', () => {
    const gone = { deletedAt: at('2026-09-01T10:30:00Z') }
    for (const change of [
      { contact: null },
      { contact: { ...unknownContact(1, 9), ...gone }, message: { ...message, ...gone } },
    ]) {
      const body = plan('send_webhook_event', ['https://x.example'], change)[0]?.payload.body
      expect(body).not.toHaveProperty('message')
      expect(body).not.toHaveProperty('contact')
    }
  })
})

describe('an e-mail to a team', () => {
  const params = [{ team_ids: [3, '4'], message: 'Look at {{conversation.id}}' }]
  const account = (team_emails: unknown) => ({ id: 1, name: 'ACME', settings: { team_emails } })

  test('is one delivery per address, each with its own id, each address once', () => {
    const settings = account({ 3: ['a@x.com', 'b@x.com'], 4: ['B@X.com', 'c@x.com'], 5: ['d@x.com'] })
    expect(plan('send_email_to_team', params, { account: settings })).toMatchObject([
      {
        id: '900-0-1',
        position: 0,
        target: 'smtp',
        status: 'pending',
        payload: { to: 'a@x.com', subject: 'R1: conversation 101', text: 'Look at 101' },
      },
      { id: '900-0-2', payload: { to: 'b@x.com' } },
      { id: '900-0-3', payload: { to: 'c@x.com' } },
    ])
  })

  test('fails for a team without addresses and goes to the others', () => {
    expect(plan('send_email_to_team', params, { account: account({ 4: ['c@x.com'] }) })).toMatchObject([
      { id: '900-0-1', status: 'failed', error: expect.stringMatching(/^team 3 has no e-mail address.*team_emails/) },
      { id: '900-0-2', status: 'pending', payload: { to: 'c@x.com' } },
    ])
    for (const settings of [null, {}, { team_emails: 5 }, { team_emails: { 3: 'a@x.com' } }]) {
      const deliveries = plan('send_email_to_team', params, { account: { id: 1, name: 'ACME', settings } })
      expect(deliveries.map(({ status }) => status)).toEqual(['failed', 'failed'])
    }
  })

  test('fails where an address is none or the text does not render', () => {
    expect(
      plan('send_email_to_team', params, { account: account({ 3: ['a@x.com\r\nBcc: e@x.com'], 4: [5] }) }),
    ).toMatchObject([
      { status: 'failed', error: expect.stringContaining('is no e-mail address') },
      { status: 'failed', error: expect.stringContaining('team 4') },
    ])
    const bad = [{ team_ids: [3], message: "{{ 'now' | date: '%H', 'Nowhere/Land' }}" }]
    expect(plan('send_email_to_team', bad, { account: account({ 3: ['a@x.com'] }) })).toMatchObject([
      { id: '900-0-1', status: 'failed', error: expect.stringContaining('cannot be rendered') },
    ])
  })

  test('never becomes a mass mailing', () => {
    const addresses = (count: number) => Array.from({ length: count }, (_, i) => `a${i}@x.com`)
    const send = (count: number) =>
      plan('send_email_to_team', [{ team_ids: [3], message: 'x' }], { account: account({ 3: addresses(count) }) })
    expect(send(50)).toHaveLength(50)
    expect(send(51)).toMatchObject([{ status: 'failed', error: expect.stringContaining('51 mails') }])
  })

  test('has a subject of one line', () => {
    const base = input([{ action_name: 'send_email_to_team', action_params: [{ team_ids: [3], message: 'x' }] }])
    const rule = { ...base.rule, name: 'R1\r\nBcc: e@x.com' }
    expect(planDeliveries({ ...base, rule, account: account({ 3: ['a@x.com'] }) })[0]?.payload.subject).toBe(
      'R1 Bcc: e@x.com: conversation 101',
    )
  })
})

describe('a transcript', () => {
  test('goes to each address of the list, split on commas and trimmed', () => {
    const deliveries = plan('send_email_transcript', ['a@x.com, b@y.com,c@z.com'], { message })
    expect(deliveries.map(({ id, payload, status }) => [id, payload.to, status])).toEqual([
      ['900-0-1', 'a@x.com', 'pending'],
      ['900-0-2', 'b@y.com', 'pending'],
      ['900-0-3', 'c@z.com', 'pending'],
    ])
    expect(deliveries[0]?.payload).toMatchObject({ subject: 'Conversation 101' })
    expect(deliveries[0]?.payload.text).toBe(
      'Conversation 101 of ACME\n\nContact: Ann Lee, ann@x.com\nStatus: pending\nPriority: high\nLabels: vip, bug\n\nMessage:\nhello\n',
    )
  })

  test('goes to what the template renders, each address once', () => {
    const deliveries = plan('send_email_transcript', ['{{contact.email}}, ANN@x.com,,'])
    expect(deliveries).toMatchObject([{ id: '900-0-1', status: 'pending', payload: { to: 'ann@x.com' } }])
  })

  test('says when no address is left, or one is none', () => {
    expect(plan('send_email_transcript', ['{{contact.email}}'], { contact: null })).toMatchObject([
      { id: '900-0-1', status: 'failed', error: 'no e-mail address is left after rendering' },
    ])
    expect(plan('send_email_transcript', ['{{contact.name}},b@y.com'])).toMatchObject([
      { status: 'failed', error: 'Ann Lee is no e-mail address' },
      { status: 'pending', payload: { to: 'b@y.com' } },
    ])
    expect(plan('send_email_transcript', ["{{ 'now' | date: '%H', 'Nowhere/Land' }}"])).toMatchObject([
      { status: 'failed', error: expect.stringContaining('the addresses cannot be rendered') },
    ])
  })

  test('leaves out what is not known', () => {
    const text = plan('send_email_transcript', ['a@x.com'], { contact: null }, { priority: null, labels: [] })[0]
      ?.payload.text
    expect(text).toBe('Conversation 101 of ACME\n\nStatus: pending\n')
  })
})

describe('planning is total', () => {
  test('an action nobody knows, or with wrong parameters, is a failed delivery', () => {
    expect(plan('launch_rocket')).toMatchObject([
      {
        id: '900-0',
        actionName: 'launch_rocket',
        target: 'stream',
        status: 'failed',
        error: expect.stringContaining('cannot be carried out'),
      },
    ])
    expect(plan('send_webhook_event', ['nowhere'])).toMatchObject([
      { target: 'webhook', status: 'failed', payload: {} },
    ])
    expect(planDeliveries(input([null as never]))).toMatchObject([{ status: 'failed' }])
    expect(planDeliveries(input([{ action_name: 'mute_conversation' } as never]))).toMatchObject([
      { status: 'pending', payload: { action_params: [] } },
    ])
  })

  test('whatever is stored, every action has its deliveries under ids of their own', () => {
    const action = fc.record({
      action_name: fc.oneof(fc.constantFrom(...ACTIONS.map(({ name }) => name)), fc.string()),
      action_params: fc.array(fc.oneof(fc.constantFrom('nil', 5, 'a@x.com', '{{contact.name}}'), fc.anything()), {
        maxLength: 2,
      }),
    })
    fc.assert(
      fc.property(fc.array(action, { maxLength: 4 }), fc.anything(), (actions, settings) => {
        const deliveries = planDeliveries(input(actions, { account: { id: 1, name: 'ACME', settings } }))
        expect(new Set(deliveries.map(({ id }) => id)).size).toBe(deliveries.length)
        expect(new Set(deliveries.map(({ position }) => position)).size).toBe(actions.length)
        for (const { status, error } of deliveries) expect(status === 'failed').toBe(error !== null)
      }),
    )
  })
})

describe('what is kept of a delivery that cannot be sent', () => {
  const settings = (team_emails: unknown) => ({ account: { id: 1, name: 'ACME', settings: { team_emails } } })

  test('is the mail as far as it is known, and an address no longer than people need', () => {
    const long = `${'x'.repeat(300)}@`
    const [delivery] = plan('send_email_to_team', [{ team_ids: [3], message: 'Look' }], settings({ 3: [long] }))
    expect(delivery).toMatchObject({
      status: 'failed',
      error: `${'x'.repeat(100)} is no e-mail address`,
      payload: { to: 'x'.repeat(255), subject: 'R1: conversation 101', text: 'Look' },
    })
  })

  test('says in one sentence what to do about an address that was disabled', () => {
    expect(WEBHOOK_DISABLED).toBe(
      'the receiver has answered 410 Gone: take its address out of disabled_webhooks in the settings of the account to use it again',
    )
  })
})

test('a subject is trimmed and no longer than a mail program shows', () => {
  const base = input([{ action_name: 'send_email_to_team', action_params: [{ team_ids: [3], message: 'x' }] }])
  const rule = { ...base.rule, name: ` ${'x'.repeat(255)}` }
  const account = { id: 1, name: 'ACME', settings: { team_emails: { 3: ['a@x.com'] } } }
  expect(planDeliveries({ ...base, rule, account })[0]?.payload.subject).toBe('x'.repeat(255))
})

test('a transcript names of a contact what is known', () => {
  const contact = { ...unknownContact(1, 9), facts: { ...UNKNOWN_CONTACT, name: '', email: 'ann@x.com' } }
  expect(plan('send_email_transcript', ['a@x.com'], { contact })[0]?.payload.text).toContain('\nContact: ann@x.com\n')
})

test('of a long name the first and the last word are known', () => {
  const contact = { ...unknownContact(1, 9), facts: { ...UNKNOWN_CONTACT, name: ' Ann  van \n der Lee' } }
  expect(plan('send_message', ['{{contact.first_name}}|{{contact.last_name}}'], { contact })[0]?.payload.content).toBe(
    'Ann|Lee',
  )
})
