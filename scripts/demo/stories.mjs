// What delayed automations promise, story by story. Each gives lines of what was expected and what came of it.
import { setTimeout as pause } from 'node:timers/promises'
import { Queue } from 'bullmq'
import { openDesk } from './desk.mjs'

/** @param {string} attribute_key @param {unknown} value @param {'and' | 'or' | null} [query_operator] */
const when = (attribute_key, value, query_operator = null) => ({
  attribute_key,
  filter_operator: 'equal_to',
  values: [value],
  query_operator,
})

const STALE = {
  name: 'Stale pending',
  event_name: 'conversation_updated',
  conditions: [when('status', 'pending')],
  actions: [{ action_name: 'add_label', action_params: ['stale'] }],
  execution_delay: 10,
}
const FOLLOW_UP = {
  name: 'Follow up',
  event_name: 'message_created',
  conditions: [when('message_type', 'outgoing', 'and'), when('private_note', false)],
  actions: [{ action_name: 'send_message', action_params: ['Any news, {{contact.name}}?'] }],
  execution_delay: 10,
}
const UNASSIGN = {
  name: 'No agent has answered',
  event_name: 'message_created',
  conditions: [when('message_type', 'incoming')],
  actions: [{ action_name: 'assign_agent', action_params: ['nil'] }],
  execution_delay: 30,
}
const URGENT = {
  name: 'Urgent',
  event_name: 'message_created',
  conditions: [{ ...when('content', 'urgent'), filter_operator: 'contains' }],
  actions: [{ action_name: 'change_priority', action_params: ['urgent'] }],
  execution_delay: null,
}

const KILL_SWITCH = 'DISABLE_DELAYED_AUTOMATIONS'
const QUEUED_ROWS = 5

/**
 * @typedef {{expected: string, got: string}} Line
 * @typedef {ReturnType<typeof import('../outside.mjs').connectOutside>} Outside
 * @type {{title: string, play: (outside: Outside) => Promise<Line[]>}[]}
 */
export const STORIES = [
  {
    title: '1 stays pending for 10 minutes: labelled',
    async play(outside) {
      const desk = await openDesk(outside)
      await desk.createRule(STALE)
      await desk.update('10:00', { status: 'pending' })
      await desk.update('10:03', { priority: 'high' })
      await desk.update('10:06', { team_id: 4 })
      const touched = line('pending, due 10:10 → no actions', await desk.outcome())
      await desk.sweepAt('10:09')
      const early = line('pending, due 10:10 → no actions', await desk.outcome())
      await desk.sweepAt('10:10')
      return [touched, early, line('executed, due 10:10 → add_label stale', await desk.outcome())]
    },
  },
  {
    title: '1 resolved before it is due: nothing',
    async play(outside) {
      const desk = await openDesk(outside)
      await desk.createRule(STALE)
      await desk.update('10:00', { status: 'pending' })
      await desk.update('10:05', { status: 'resolved' })
      await desk.sweepAt('10:10')
      return [line('skipped episode_moved, due 10:10 → no actions', await desk.outcome())]
    },
  },
  {
    title: '2 the customer answers in time: cancelled',
    async play(outside) {
      const desk = await openDesk(outside)
      await desk.createRule(FOLLOW_UP)
      await desk.agentWrites('10:00')
      await desk.customerWrites('10:05')
      await desk.sweepAt('10:10')
      return [line('skipped episode_moved, due 10:10 → no actions', await desk.outcome())]
    },
  },
  {
    title: '2 the customer stays silent: one follow-up, which arms nothing',
    async play(outside) {
      const desk = await openDesk(outside)
      await desk.createRule(FOLLOW_UP)
      await desk.agentWrites('10:00')
      await desk.sweepAt('10:10')
      const sent = 'executed, due 10:10 → send_message Any news, Ann?'
      const first = line(sent, await desk.outcome())
      await desk.ruleWrites('10:11', (await desk.actions())[0])
      await desk.sweepAt('10:30')
      return [first, line(sent, await desk.outcome())]
    },
  },
  {
    title: '3 no agent answers within 30 minutes: unassigned',
    async play(outside) {
      const desk = await openDesk(outside)
      await desk.createRule(UNASSIGN)
      await desk.customerWrites('10:00')
      await desk.sweepAt('10:30')
      return [line('executed, due 10:30 → assign_agent nil', await desk.outcome())]
    },
  },
  {
    title: '3 the agent answers in time: keeps the conversation',
    async play(outside) {
      const desk = await openDesk(outside)
      await desk.createRule(UNASSIGN)
      await desk.customerWrites('10:00')
      await desk.agentWrites('10:20')
      await desk.sweepAt('10:30')
      return [line('skipped episode_moved, due 10:30 → no actions', await desk.outcome())]
    },
  },
  {
    title: '4 a rule without a delay acts at once',
    async play(outside) {
      const desk = await openDesk(outside)
      await desk.createRule(URGENT)
      await desk.customerWrites('10:00', 'This is URGENT')
      const expected = 'executed at once → change_priority urgent'
      return [line(expected, await desk.outcome({ until: expected }))]
    },
  },
  {
    title: '5 the rule is switched off: the armed row is skipped',
    async play(outside) {
      const desk = await openDesk(outside)
      const rule = await desk.createRule(STALE)
      await desk.update('10:00', { status: 'pending' })
      await desk.must('PATCH', `/automation_rules/${rule.id}`, { active: false })
      await desk.sweepAt('10:10')
      return [line('skipped rule_inactive, due 10:10 → no actions', await desk.outcome())]
    },
  },
  {
    title: '5 the rule is deleted: its armed row is gone',
    async play(outside) {
      const desk = await openDesk(outside)
      const rule = await desk.createRule(STALE)
      await desk.update('10:00', { status: 'pending' })
      const armed = line('pending, due 10:10 → no actions', await desk.outcome())
      await desk.must('DELETE', `/automation_rules/${rule.id}`)
      const gone = line('no rows → no actions', await desk.outcome())
      await desk.sweepAt('10:10')
      return [armed, gone, line('no rows → no actions', await desk.outcome())]
    },
  },
  {
    title: '6 the flag goes off: armed rows are skipped, no new ones',
    async play(outside) {
      const desk = await openDesk(outside)
      await desk.createRule(STALE)
      await desk.update('10:00', { status: 'pending' })
      await desk.must('PATCH', '', { features: [] })
      await desk.update('10:05', { status: 'open' })
      await desk.update('10:06', { status: 'pending' })
      await desk.sweepAt('10:30')
      const skipped = line('skipped flag_disabled, due 10:10 → no actions', await desk.outcome())
      const refused = await desk.request('POST', '/automation_rules', STALE)
      return [skipped, line('a delay is refused with 422', `a delay is refused with ${refused.status}`)]
    },
  },
  {
    title: '6 the kill switch is on: the sweep does nothing',
    async play(outside) {
      const desk = await openDesk(outside)
      await desk.createRule(STALE)
      await desk.update('10:00', { status: 'pending' })
      await outside.setConfig(KILL_SWITCH, true)
      const summary = await desk.sweepAt('10:10')
      const off = line(
        'sweep disabled: pending, due 10:10 → no actions',
        `sweep ${summary.event}: ${await desk.outcome()}`,
      )
      await outside.setConfig(KILL_SWITCH, false)
      await desk.sweepAt('10:11')
      return [off, line('executed, due 10:10 → add_label stale', await desk.outcome())]
    },
  },
  {
    title: '6 the kill switch comes while jobs wait: rows go back to pending',
    play: playQueuedRows,
  },
]

/** The queue is paused, so that the jobs of a sweep are still waiting when the switch is turned. */
async function playQueuedRows(outside) {
  const desk = await openDesk(outside)
  for (let n = 1; n <= QUEUED_ROWS; n++) await desk.createRule({ ...STALE, name: `Stale pending ${n}` })
  await desk.update('10:00', { status: 'pending' })
  const queue = new Queue('process', { prefix: '{dwell}', connection: outside.redis })
  const states = async () => {
    const rows = await desk.rows()
    return [...new Set(rows.map(({ status }) => status))].map(
      (status) => `${rows.filter((row) => row.status === status).length} ${status}`,
    )
  }
  try {
    await queue.pause()
    const swept = desk.sweepAt('10:10')
    for (const until = Date.now() + 10_000; Date.now() < until; await pause(20)) {
      if ((await states()).join() === `${QUEUED_ROWS} processing`) break
    }
    const waiting = line(`${QUEUED_ROWS} processing`, (await states()).join())
    await outside.setConfig(KILL_SWITCH, true)
    await queue.resume()
    await swept
    const back = line(
      `${QUEUED_ROWS} pending, 0 actions`,
      `${(await states()).join()}, ${(await desk.actions()).length} actions`,
    )
    await outside.setConfig(KILL_SWITCH, false)
    await desk.sweepAt('10:12')
    const executed = line(
      `${QUEUED_ROWS} executed, ${QUEUED_ROWS} actions`,
      `${(await states()).join()}, ${(await desk.actions()).length} actions`,
    )
    return [waiting, back, executed]
  } finally {
    await queue.resume()
    await queue.close()
  }
}

function line(expected, got) {
  return { expected, got }
}
