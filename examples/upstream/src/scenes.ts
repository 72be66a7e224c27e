import type { Customer, Doing, HelpDesk } from './help-desk'
import { type Instants, type Micros, secondsBefore } from './instants'

/** The shortest delay that a rule may have, and the one that the sample rules have. */
const DELAY_SECONDS = 600

export interface Stage {
  readonly desk: HelpDesk
  readonly now: Instants
  /** Runs `act` after so many seconds; nothing happens any more once the stage is closed. */
  readonly later: (seconds: number, act: () => void) => void
  readonly say: (line: string) => void
}

/** A small story between a customer and the desk. `dueIn`: seconds until the wait of a sample rule is over. */
export type Scene = (stage: Stage, customer: Customer, dueIn: number) => void

const OLGA = { id: 7, name: 'Olga' }
const SAM = { id: 8, name: 'Sam' }

/** Pending, and nobody looks at it: "Stale pending" labels it. */
const staysPending: Scene = ({ desk, now, say }, customer, dueIn) => {
  const at = startOf(now, dueIn)
  const conversation = desk.open(customer, {}, { at: secondsBefore(at, 60) })
  desk.changeStatus(conversation, 'pending', { at, by: agent(OLGA) })
  say(`conversation ${conversation.id}: ${customer.name}'s case is pending, the 10 minutes are over ${soon(dueIn)}`)
}

/** Pending, but resolved in time: "Stale pending" has nothing to do any more. */
const resolvedInTime: Scene = (stage, customer, dueIn) => {
  const { desk, now, say } = stage
  const at = startOf(now, dueIn)
  const conversation = desk.open(customer, {}, { at: secondsBefore(at, 60) })
  desk.changeStatus(conversation, 'pending', { at, by: agent(OLGA) })
  stage.later(dueIn / 2, () => {
    desk.changeStatus(conversation, 'resolved', { at: now(), by: agent(OLGA) })
    say(`conversation ${conversation.id}: ${customer.name}'s pending case is resolved in time`)
  })
}

/** We have answered and the customer says nothing: "Follow up with a silent customer" asks. */
const customerStaysSilent: Scene = ({ desk, now, say }, customer, dueIn) => {
  const at = startOf(now, dueIn)
  const conversation = desk.open(customer, { assigneeId: OLGA.id }, { at: secondsBefore(at, 301) })
  desk.customerWrites(conversation, 'How do I change my address?', { at: secondsBefore(at, 300) })
  desk.reply(conversation, { content: 'In your profile, under "Address".' }, { at, by: agent(OLGA) })
  say(`conversation ${conversation.id}: ${customer.name} has not answered us, the 10 minutes are over ${soon(dueIn)}`)
}

/** The customer answers just in time: the follow-up is cancelled. */
const customerAnswers: Scene = (stage, customer, dueIn) => {
  const { desk, now, say } = stage
  const at = startOf(now, dueIn)
  const conversation = desk.open(customer, { assigneeId: SAM.id }, { at: secondsBefore(at, 301) })
  desk.customerWrites(conversation, 'My parcel has not come.', { at: secondsBefore(at, 300) })
  desk.reply(conversation, { content: 'We are looking for it. Which number does it have?' }, { at, by: agent(SAM) })
  stage.later(dueIn / 2, () => {
    desk.customerWrites(conversation, 'Number 4711.', { at: now() })
    say(`conversation ${conversation.id}: ${customer.name} answers in time, no follow-up is needed`)
  })
}

/** Nobody answers the customer: "No agent has answered" gives the conversation back to everybody. */
const agentStaysSilent: Scene = ({ desk, now, say }, customer, dueIn) => {
  const at = startOf(now, dueIn)
  const conversation = desk.open(customer, { assigneeId: SAM.id }, { at: secondsBefore(at, 1) })
  desk.customerWrites(conversation, 'Is anybody there?', { at })
  say(`conversation ${conversation.id}: ${customer.name} waits for ${SAM.name}, the 10 minutes are over ${soon(dueIn)}`)
}

/** The agent answers just in time and keeps the conversation. */
const agentAnswers: Scene = (stage, customer, dueIn) => {
  const { desk, now, say } = stage
  const at = startOf(now, dueIn)
  const conversation = desk.open(customer, { assigneeId: OLGA.id }, { at: secondsBefore(at, 1) })
  desk.customerWrites(conversation, 'Can I pay by invoice?', { at })
  stage.later(dueIn / 2, () => {
    desk.reply(conversation, { content: 'Yes, you can.' }, { at: now(), by: agent(OLGA) })
    say(`conversation ${conversation.id}: ${OLGA.name} answers ${customer.name} in time`)
  })
}

/** "Urgent words" acts at once. */
const somethingIsUrgent: Scene = ({ desk, now, say }, customer) => {
  const at = now()
  const conversation = desk.open(customer, {}, { at })
  desk.customerWrites(conversation, 'Urgent: I cannot sign in!', { at: now() })
  say(`conversation ${conversation.id}: ${customer.name} writes "Urgent: I cannot sign in!"`)
}

/** "Welcome" writes to the new member. */
const signsUp: Scene = ({ desk, now, say }, customer) => {
  desk.signUp(customer, { at: now() })
  say(`${customer.name} signs up and is welcomed by e-mail`)
}

const SCENES = [
  staysPending,
  somethingIsUrgent,
  signsUp,
  agentStaysSilent,
  customerStaysSilent,
  resolvedInTime,
  agentAnswers,
  customerAnswers,
] as const satisfies readonly Scene[]

const NAMES = ['Ann', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn', 'Grace', 'Hugo', 'Iris', 'Jon', 'Kim', 'Lena', 'Max', 'Nora']

/**
 * Plays for as long as the stage stands. It begins with conversations that have been waiting for almost ten minutes, so
 * that the first rules fire at once and the others within the next one or two minutes; then one scene follows another.
 */
export function play(stage: Stage, paceSeconds: number): void {
  let customers = 0
  const next = (): Customer => {
    const name = NAMES[customers % NAMES.length] ?? 'Ann'
    customers += 1
    return { id: customers, name, email: `${name.toLowerCase()}@example.com` }
  }
  // One that is overdue, then one every few seconds.
  staysPending(stage, next(), 0)
  for (const [index, scene] of SCENES.entries()) scene(stage, next(), 15 + 10 * index)

  let turn = 0
  const goOn = () => {
    SCENES[turn % SCENES.length]?.(stage, next(), paceSeconds)
    turn += 1
    stage.later(paceSeconds, goOn)
  }
  stage.later(paceSeconds, goOn)
}

/** When a wait must have begun that is over in so many seconds. */
function startOf(now: Instants, dueIn: number): Micros {
  return secondsBefore(now(), DELAY_SECONDS - dueIn)
}

function agent({ id }: { readonly id: number }): NonNullable<Doing['by']> {
  return { type: 'user', id }
}

function soon(seconds: number): string {
  return seconds <= 0 ? 'now' : `in ${Math.round(seconds)} s`
}
