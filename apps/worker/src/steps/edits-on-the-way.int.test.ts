import { eraseAccount } from '@dwell/database/account-erasure'
import { claimReadySteps } from '@dwell/database/automations/step-claims'
import { useStores } from '@dwell/testing/stores'
import { useStepScene } from '../testing/step-scene'
import { useWorkerParts } from '../testing/worker-parts'
import { runStep } from './run-step'

// automations.md section 5: what happens to members inside when the automation is edited or turned off.

const worker = useWorkerParts(useStores())
const scene = useStepScene(worker)
const hours = (count: number) => worker.clock.advance({ minutes: 60 * count })

describe('an edit while a member waits', () => {
  test('of the waiting step itself: it keeps its content and its time; who enters later has the new ones', async () => {
    const id = await scene.automation([['W', 72]])
    await scene.signUp('m1')
    hours(1)
    await scene.edit(id, [['W', 24]])
    await scene.signUp('m2')
    expect(await scene.ready()).toEqual(['2026-09-02T10:00:00', '2026-09-04T09:00:00'])
    expect(await scene.steps()).toEqual(['W 72 pending', 'W 24 pending'])
  })

  test('of a later action: what stands when the run comes by is used', async () => {
    const id = await scene.automation([
      ['E1', 'One'],
      ['W', 24],
      ['E2', 'Two'],
    ])
    await scene.signUp('m1')
    await scene.sweep()
    await scene.edit(id, [
      ['E1', 'One, edited'],
      ['W', 24],
      ['E2', 'Two, edited'],
    ])
    hours(24)
    await scene.sweepAll()
    expect(scene.mails.map(({ subject }) => subject)).toEqual(['One', 'Two, edited'])
    expect(await scene.steps()).toEqual(['E1 One finished', 'W 24 finished', 'E2 Two, edited finished'])
    expect(await scene.reasons()).toEqual(['completed'])
  })

  test('that removes a later action: the run goes on with what follows over the gap', async () => {
    const id = await scene.automation([
      ['W', 1],
      ['E1', 'One'],
      ['E2', 'Two'],
    ])
    await scene.signUp('m1')
    await scene.edit(id, [
      ['W', 1],
      ['E2', 'Two'],
    ])
    hours(1)
    await scene.sweepAll()
    expect(await scene.steps()).toEqual(['W 1 finished', 'E2 Two finished'])
    expect(await scene.reasons()).toEqual(['completed'])
  })

  test('that inserts an action behind the waiting step: it comes next, timed from when the step really finished', async () => {
    const id = await scene.automation([
      ['W', 1],
      ['E', 'Hi'],
    ])
    await scene.signUp('m1')
    await scene.edit(id, [
      ['W', 1],
      ['new', 48],
      ['E', 'Hi'],
    ])
    hours(3)
    await scene.sweepAll()
    expect(await scene.steps()).toEqual(['W 1 finished', 'new 48 pending'])
    expect(await scene.ready()).toEqual(['2026-09-03T12:00:00'])
  })

  test('that changes the order: what follows the step in the new one comes next', async () => {
    const id = await scene.automation([
      ['W', 1],
      ['E1', 'One'],
      ['E2', 'Two'],
    ])
    await scene.signUp('m1')
    await scene.edit(id, [
      ['E1', 'One'],
      ['W', 1],
      ['E2', 'Two'],
    ])
    hours(1)
    await scene.sweepAll()
    expect(await scene.steps()).toEqual(['W 1 finished', 'E2 Two finished'])
    expect(await scene.reasons()).toEqual(['completed'])
  })

  test('that removes all that followed: the run ends as cut', async () => {
    const id = await scene.automation([
      ['W', 1],
      ['E', 'Hi'],
    ])
    await scene.signUp('m1')
    await scene.edit(id, [['W', 1]])
    hours(1)
    await scene.sweepAll()
    expect([await scene.steps(), await scene.reasons()]).toEqual([['W 1 finished'], ['path_cut']])
  })

  test('that removes the action the member waits at: the step is carried out and the run ends as cut', async () => {
    const id = await scene.automation([
      ['W', 1],
      ['E', 'Hi'],
    ])
    await scene.signUp('m1')
    await scene.edit(id, [['E', 'Hi']])
    hours(1)
    await scene.sweepAll()
    expect([await scene.steps(), await scene.reasons()]).toEqual([['W 1 finished'], ['path_cut']])
    expect(scene.mails).toEqual([])
  })

  test('that removes a queued e-mail: it is sent as it was queued, the run ends as cut, and the history says so', async () => {
    const id = await scene.automation([
      ['E', 'Hi'],
      ['W', 1],
    ])
    await scene.signUp('m1')
    await scene.edit(id, [['W', 1]])
    await scene.sweepAll()
    expect(scene.mails.map(({ subject }) => subject)).toEqual(['Hi'])
    expect([await scene.steps(), await scene.reasons()]).toEqual([['E Hi finished'], ['path_cut']])
  })

  test('that appends behind the last action: the run goes on there', async () => {
    const id = await scene.automation([['W', 1]])
    await scene.signUp('m1')
    await scene.edit(id, [
      ['W', 1],
      ['E', 'Hi'],
    ])
    hours(1)
    await scene.sweepAll()
    expect([await scene.steps(), await scene.reasons()]).toEqual([['W 1 finished', 'E Hi finished'], ['completed']])
  })
})

describe('turned off', () => {
  test('what waits ends at once, without a sweep; what has ended stays as it is', async () => {
    const id = await scene.automation([
      ['W', 1],
      ['E', 'Hi'],
    ])
    await scene.signUp('m1')
    hours(1)
    await scene.sweepAll()
    hours(1)
    await scene.signUp('m2')
    await scene.turnOff(id)
    expect(await scene.steps()).toEqual(['W 1 finished', 'E Hi finished', 'W 1 automation_disabled'])
    expect(await scene.reasons()).toEqual(['completed', 'automation_disabled'])
    expect(await worker.column('SELECT ended_at::text FROM automation_runs WHERE member_id = $1', ['m2'])).toEqual([
      '2026-09-01 11:00:00+00',
    ])
  })

  test('with a step in execution: it finishes, nothing follows, and the run says why', async () => {
    const id = await scene.automation([
      ['E', 'Hi'],
      ['W', 1],
    ])
    await scene.signUp('m1')
    scene.answers = [async () => scene.turnOff(id).then(() => ({ outcome: 'delivered' }) as const)]
    expect(await scene.sweep()).toEqual(['finished'])
    expect([await scene.steps(), await scene.reasons()]).toEqual([['E Hi finished'], ['turned_off']])
  })

  test('with a step in execution that is refused for now: it is not tried again', async () => {
    const id = await scene.automation([
      ['E', 'Hi'],
      ['W', 1],
    ])
    await scene.signUp('m1')
    scene.answers = [
      async () => scene.turnOff(id).then(() => ({ outcome: 'retry', error: '451', retryAfter: null }) as const),
    ]
    expect(await scene.sweep()).toEqual(['automation_disabled'])
    hours(24)
    expect(await scene.sweepAll()).toEqual([])
    expect([await scene.reasons(), await scene.records()]).toEqual([['automation_disabled'], ['failed']])
  })

  test('a mail that waits to be tried again ends with the others, and its record does not stay open', async () => {
    const id = await scene.automation([['E', 'Hi']])
    await scene.signUp('m1')
    scene.answers = [() => ({ outcome: 'retry', error: '451 later', retryAfter: null })]
    await scene.sweep()
    await scene.turnOff(id)
    expect([await scene.steps(), await scene.records()]).toEqual([['E Hi automation_disabled'], ['failed']])
  })

  test('with a step that only waits in the queue: its job finds the automation off', async () => {
    const id = await scene.automation([['E', 'Hi']])
    await scene.signUp('m1')
    const [claim] = await claimReadySteps(worker.pool, await worker.clock.now())
    if (claim === undefined) throw new Error('nobody took the step')
    await scene.turnOff(id)
    expect(await scene.steps()).toEqual(['E Hi pending'])
    expect(await runStep(scene.deps(), claim, new AbortController().signal)).toBe('automation_disabled')
    expect([scene.mails, await scene.reasons()]).toEqual([[], ['automation_disabled']])
  })

  test('and on again: nobody is revived, who enters now goes along the path', async () => {
    const path = [
      ['W', 1],
      ['E', 'Hi'],
    ] as const
    const id = await scene.automation(path)
    await scene.signUp('m1')
    await scene.turnOff(id)
    await scene.edit(id, path)
    await scene.signUp('m2')
    hours(1)
    await scene.sweepAll()
    expect(scene.mails.map(({ to }) => to)).toEqual(['m2@example.com'])
    expect(await scene.reasons()).toEqual(['automation_disabled', 'completed'])
  })
})

test('a run whose account is erased while its mail is on the way leaves nothing behind and breaks nothing', async () => {
  await scene.automation([
    ['E', 'Hi'],
    ['W', 1],
  ])
  await scene.signUp('m1')
  scene.answers = [
    async () => {
      await eraseAccount(worker.pool, worker.account, { actor: 'admin', now: await worker.clock.now() })
      return { outcome: 'delivered' }
    },
  ]
  expect(await scene.sweep()).toEqual(['lost'])
  for (const table of ['automations', 'automation_runs', 'automation_steps', 'automation_emails', 'members'])
    expect(await worker.column(`SELECT count(*) FROM ${table} WHERE account_id = $1`, [worker.account])).toEqual([0])
})
