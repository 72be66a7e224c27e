// Members of a site with three automations for those who sign up, what they do, and what must come of it.

const FIRST_INSTANT = Date.UTC(2026, 8, 1, 9)
const SHARE_OF_LEAVERS = 0.05
/** Leaves come while so many of all mails are out: the last ones shall still find somebody on the way. */
const LEAVES_UNTIL = 0.85

export const ACCOUNT = 1

/** Waits are hours, the rest subjects of e-mails. By name. */
export const PATHS = {
  hello: ['hello'],
  later: [1, 'later'],
  series: ['first', 2, 'second'],
}
export const MAILS_PER_MEMBER = Object.values(PATHS)
  .flat()
  .filter((content) => typeof content === 'string').length

/**
 * What a member who leaves does, and how their runs may end besides `completed`. Who has no mail yet that names a way out
 * has the site told.
 */
const LEAVES = {
  unsubscribes: {
    facts: { enable_updates_and_announcements: false },
    event: 'member_updated',
    reason: 'member_unsubscribed',
  },
  pays: { facts: { status: 'paid' }, event: 'member_updated', reason: 'member_status_changed' },
  'clicks the way out': {
    facts: { enable_updates_and_announcements: false },
    event: 'member_updated',
    reason: 'member_unsubscribed',
  },
  'is deleted': { facts: {}, event: 'member_deleted', reason: 'member_unsubscribed' },
}

/**
 * @param {{members: number, random: ReturnType<typeof import('../random.mjs').createRandom>}} options
 * `leaves` by the number of mails that are out when they happen; members are numbers from 0
 */
export function makeModel({ members, random }) {
  const kinds = Object.keys(LEAVES)
  const leavers = new Map()
  while (leavers.size < Math.round(members * SHARE_OF_LEAVERS)) {
    leavers.set(random.below(members), kinds[leavers.size % kinds.length])
  }
  const most = members * MAILS_PER_MEMBER * LEAVES_UNTIL
  const leaves = [...leavers]
    .map(([member, kind]) => ({ member, kind, position: random.below(most) }))
    .sort((a, b) => a.position - b.position)
  return { members, leavers, leaves }
}

/** Everybody signs up, and of every event a second copy comes: at once, or much later. */
export function signUps(members, random) {
  const events = Array.from({ length: members }, (_, member) => ({
    id: `sign-up-${member}`,
    event: 'member_signed_up',
    occurred_at: instant(0),
    account_id: ACCOUNT,
    member: {
      id: String(member),
      name: `Member ${member}`,
      email: addressOf(member),
      status: 'free',
      enable_updates_and_announcements: true,
    },
  }))
  const later = events.map((event) => ({
    event,
    at: events.indexOf(event) + (random.below(2) === 0 ? 0.5 : random.below(members)),
  }))
  return [...events.map((event, at) => ({ event, at })), ...later].sort((a, b) => a.at - b.at).map(({ event }) => event)
}

/** @param {{member: number, kind: string}} leave @param {string} occurredAt */
export function leaveEvent({ member, kind }, occurredAt) {
  const { event, facts } = LEAVES[kind]
  return {
    id: leaveId(member),
    event,
    occurred_at: occurredAt,
    account_id: ACCOUNT,
    member: { id: String(member), ...facts },
  }
}

export const leaveId = (member) => `leave-${member}`
export const addressOf = (member) => `m${member}@example.com`
export const memberOf = (address) => Number(/^m(\d+)@/.exec(address)?.[1])
export const clicks = (kind) => kind === 'clicks the way out'
export const reasonOf = (kind) => LEAVES[kind].reason

/** @param {number} minutes from the beginning */
export function instant(minutes) {
  return new Date(FIRST_INSTANT + minutes * 60_000).toISOString()
}

/** A body that makes an automation of one of the paths. */
export function automationBody(name) {
  const actions = PATHS[name].map((content, position) =>
    typeof content === 'number'
      ? { id: actionId(name, position), type: 'wait', data: { wait_hours: content } }
      : {
          id: actionId(name, position),
          type: 'send_email',
          data: { email_subject: content, email_body: 'Hello {{ member.name }}' },
        },
  )
  return {
    name,
    description: '',
    status: 'active',
    trigger_tier_scope: 'free',
    actions,
    edges: actions.slice(1).map(({ id }, n) => ({ source_action_id: actions[n].id, target_action_id: id })),
  }
}

function actionId(name, position) {
  const number = Object.keys(PATHS).indexOf(name) * 100 + position
  return `0190b5a0-0000-7000-8000-${String(number).padStart(12, '0')}`
}
