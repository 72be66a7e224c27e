// What is in the members' mailboxes afterwards, and how their runs ended, against what must be so.
import { addressOf, MAILS_PER_MEMBER, memberOf, PATHS, reasonOf } from './model.mjs'

/**
 * A mail that is on its way when its member leaves cannot be called back: the send was begun, under a lock that the leave
 * waits for, before the leave was committed. An attempt lasts at most so long, whatever the mail server does.
 */
const ATTEMPT_LIMIT_MS = 20_000
/** Steps that one worker carries out at once: so many mails a kill may leave unknown. */
const CARRIED_OUT_AT_ONCE = 20

/**
 * @param {ReturnType<typeof import('./model.mjs').makeModel>} model
 * @param {{runs: {name: string, total: number, inProgress: number}[],
 *   ends: {member: number, automation: string, reason: string | null, unknown: number}[],
 *   mails: {to: string, subject: string, messageId: string, at: number}[], lost: {to: string, forGood: boolean}[],
 *   leftAt: Map<number, number>, kills: number}} found
 */
export function verify(model, found) {
  const problems = []
  const expectedRuns = model.members * Object.keys(PATHS).length
  const runs = found.runs.reduce((total, { total: of }) => total + of, 0)
  if (runs !== expectedRuns) problems.push(`${runs} runs instead of ${expectedRuns}`)
  const entered = new Set(found.ends.map(({ member, automation }) => `${member} ${automation}`))
  if (entered.size !== expectedRuns)
    problems.push(`${entered.size} pairs of member and automation instead of ${expectedRuns}`)

  const boxes = new Map()
  for (const { to, subject } of found.mails) {
    const key = `${to} ${subject}`
    boxes.set(key, (boxes.get(key) ?? 0) + 1)
  }
  const doubles = [...boxes].filter(([, count]) => count > 1)
  problems.push(...doubles.map(([key, count]) => `${count} times: ${key}`))
  const ids = new Set(found.mails.map(({ messageId }) => messageId))
  if (ids.size !== boxes.size) problems.push(`${ids.size} Message-IDs for ${boxes.size} mails`)

  const late = found.mails
    .map((mail) => ({ mail, ms: mail.at - (found.leftAt.get(memberOf(mail.to)) ?? Number.POSITIVE_INFINITY) }))
    .filter(({ ms }) => ms > 0)
  problems.push(
    ...late
      .filter(({ ms }) => ms > ATTEMPT_LIMIT_MS)
      .map(({ mail, ms }) => `sent ${Math.round(ms)} ms after leaving: ${mail.to} ${mail.subject}`),
  )

  problems.push(...found.ends.flatMap((end) => faultOfEnd(model, found, end)))
  const missing = missingMails(model, found, boxes)
  problems.push(...missing.problems)

  const reasons = new Map()
  for (const { reason } of found.ends) reasons.set(String(reason), (reasons.get(String(reason)) ?? 0) + 1)
  const latest = Math.max(0, ...late.map(({ ms }) => ms))
  return {
    problems,
    counts: [
      ['runs', String(expectedRuns), String(runs)],
      ...[...reasons].sort().map(([reason, count]) => [`runs ended ${reason}`, '', String(count)]),
      ['mails taken', `at most ${model.members * MAILS_PER_MEMBER}`, String(found.mails.length)],
      ['mails taken twice', '0', String(doubles.length)],
      ['sends of which nobody knows, shown as unknown', '', String(missing.unknown)],
      ['mails that stayers miss, all of them unknown', '', String(missing.count)],
      ['members who left', String(model.leaves.length), String(found.leftAt.size)],
      ['mails under way when their member left', '', `${late.length}, the last ${Math.round(latest)} ms after`],
    ],
  }
}

/** Every run ends, with a reason that its member gave. */
function faultOfEnd(model, found, { member, automation, reason }) {
  const kind = model.leavers.get(member)
  const allowed = ['completed', ...(kind === undefined ? [] : [reasonOf(kind)])]
  if (refusedForGood(found).has(addressOf(member))) allowed.push('failed')
  return allowed.includes(reason)
    ? []
    : [`run of ${member} in ${automation} ended ${reason}, allowed: ${allowed.join(', ')}`]
}

let cached
function refusedForGood({ lost }) {
  if (cached?.lost !== lost)
    cached = { lost, members: new Set(lost.filter(({ forGood }) => forGood).map(({ to }) => to)) }
  return cached.members
}

/** Who stayed has every mail of a completed run, but for those of which the product says that it does not know. */
function missingMails(model, found, boxes) {
  const problems = []
  let count = 0
  let unknown = 0
  for (const { member, automation, reason, unknown: unknownHere } of found.ends) {
    unknown += unknownHere
    if (model.leavers.has(member) || reason !== 'completed') continue
    const subjects = PATHS[automation].filter((content) => typeof content === 'string')
    const missing = subjects.filter((subject) => !boxes.has(`${addressOf(member)} ${subject}`))
    count += missing.length
    if (missing.length > unknownHere)
      problems.push(`${addressOf(member)} misses ${missing.join(', ')}, and nothing says why`)
  }
  const bound = found.lost.filter(({ forGood }) => !forGood).length + found.kills * CARRIED_OUT_AT_ONCE
  if (count > bound) problems.push(`${count} mails are missing, though only ${bound} can have been lost`)
  return { problems, count, unknown }
}
