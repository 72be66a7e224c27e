import { recordEmailEvents } from '@dwell/database/automations/email-events'
import { optOutMember } from '@dwell/database/automations/opt-out'
import { useStores } from '@dwell/testing/stores'
import { useStepScene } from '../testing/step-scene'
import { useWorkerParts } from '../testing/worker-parts'

// What mails bring back while a run goes on: tracking as it was when they were sent, and ways out.

const worker = useWorkerParts(useStores())
const scene = useStepScene(worker)

const counters = () =>
  worker.pool
    .query(
      `SELECT sum(sent_count)::int AS sent, sum(open_tracked_count)::int AS opens, sum(click_tracked_count)::int AS clicks,
         sum(opened_count)::int AS opened FROM automation_action_revisions WHERE account_id = $1`,
      [worker.account],
    )
    .then(({ rows }) => rows[0])

const tell = async (type: 'opened' | 'complained') =>
  recordEmailEvents(worker.pool, worker.account, [
    { mail: { messageId: `<${scene.mails.at(-1)?.messageId}>` }, type, at: await worker.clock.now(), url: '' },
  ])

test.each([
  ['nothing is said', {}, { pixel: false, link: false, opens: 1, clicks: 1 }],
  ['it is on', { track_opens: true, track_clicks: true }, { pixel: true, link: true, opens: 1, clicks: 1 }],
  ['it is off', { track_opens: false, track_clicks: false }, { pixel: false, link: false, opens: 0, clicks: 0 }],
] as const)(
  'a send is tracked unless that is switched off, and changed only where it is on: %s',
  async (_name, settings, seen) => {
    await worker.pool.query('UPDATE accounts SET settings = $2 WHERE id = $1', [
      worker.account,
      JSON.stringify(settings),
    ])
    await scene.automation([['E', 'Hi']], {
      actions: [
        {
          id: scene.action('E'),
          type: 'send_email',
          data: { email_subject: 'Hi', email_body: '[Go](https://acme.example/)' },
        },
      ],
    })
    await scene.signUp('m1')
    expect(await scene.sweepAll()).toEqual(['finished'])
    const { html = '' } = scene.mails[0] ?? {}
    expect({ pixel: html.includes('/mail/open/'), link: html.includes('/mail/click/') }).toEqual({
      pixel: seen.pixel,
      link: seen.link,
    })
    expect(await counters()).toEqual({ sent: 1, opens: seen.opens, clicks: seen.clicks, opened: 0 })
    // Switched on afterwards: of the mail that is out nothing is kept nevertheless.
    await worker.pool.query(`UPDATE accounts SET settings = '{"track_opens": true}' WHERE id = $1`, [worker.account])
    expect(await tell('opened')).toEqual([seen.opens === 1 ? 'recorded' : 'not_tracked'])
    expect(await counters()).toMatchObject({ opened: seen.opens })
  },
)

test.each([
  ['unsubscribes by one click', async () => optOutMember(worker.pool, worker.account, 'm1', await worker.clock.now())],
  ['complains', () => tell('complained')],
])('who %s is sent nothing more: the run ends at its next e-mail', async (_name, leave) => {
  await scene.automation([
    ['E1', 'One'],
    ['W', 24],
    ['E2', 'Two'],
  ])
  await scene.signUp('m1')
  expect(await scene.sweepAll()).toEqual(['finished'])
  await leave()
  worker.clock.set('2026-09-02T09:00:00Z')
  // The wait is no e-mail and comes to its end.
  expect(await scene.sweepAll()).toEqual(['finished', 'member_unsubscribed'])
  expect(await scene.reasons()).toEqual(['member_unsubscribed'])
  expect(scene.mails).toHaveLength(1)
})

test('who unsubscribes while their mail is about to be sent is judged again, and sent nothing', async () => {
  await scene.automation([['E', 'Hi']])
  await scene.signUp('m1')
  // As if somebody clicked between the judgement and the record of the send.
  const original = worker.clock.now.bind(worker.clock)
  let looks = 0
  jest.spyOn(worker.clock, 'now').mockImplementation(async () => {
    looks += 1
    const now = await original()
    if (looks === 3) await optOutMember(worker.pool, worker.account, 'm1', now)
    return now
  })
  expect(await scene.sweepAll()).toEqual(['member_unsubscribed'])
  expect(looks).toBeGreaterThan(3)
  expect(scene.mails).toEqual([])
  jest.restoreAllMocks()
})
