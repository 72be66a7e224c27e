import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { MICROS_PER_SECOND, type Micros } from '@dwell/contracts/instant'
import {
  endStep,
  failStep,
  finishStep,
  type StepClaim,
  type StepFailure,
} from '@dwell/database/automations/finish-step'
import { type HeldStep, loadStep } from '@dwell/database/automations/load-step'
import { beginSend, markSent } from '@dwell/database/automations/send-records'
import { takeBackAttempt, takeOverStep } from '@dwell/database/automations/step-claims'
import type { Pool } from '@dwell/database/pool'
import { messageIdOf } from '@dwell/domain/automations/email/message-id'
import { judgeStep, type StepJudgement } from '@dwell/domain/automations/step'
import { mailDomain } from '@dwell/mail/mail-domain'
import type { MailSender, SendOutcome } from '@dwell/mail/smtp-sender'
import type { Clock } from '@dwell/runtime/clock'
import type { Logger } from '@dwell/runtime/logger'
import type { WorkerMetrics } from '../worker-metrics'
import { type MailSettings, stepMail } from './step-mail'

export interface StepDependencies {
  readonly pool: Pool
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: WorkerMetrics
  /** Null where no mail server is configured. */
  readonly sender: MailSender | null
  /** Null where no key is configured: then there is no way out that could be offered, and no mail is sent. */
  readonly mails: MailSettings | null
  /** The installation's sender; an account may have its own. */
  readonly mailFrom: string
  /** A step waits for this instant. */
  readonly bringWakeForward: (at: Micros) => Promise<void>
  /** ms after which what only this process knows is tried to be written again, while the database is away. */
  readonly writeAgainAfterMs?: readonly number[]
}

/** Longer than a restart of the database takes. Beyond it a failed attempt is found by the end of its lock. */
const WRITE_AGAIN_AFTER_MS = [100, 400, 1_500, 5_000, 10_000]

/** How often a step whose facts keep moving is judged anew before the attempt counts as failed. */
const MAX_JUDGEMENTS = 5
const UNRECORDED = 'the mail server took the mail, and that could not be recorded'
const UNKNOWN_SEND = 'an earlier attempt may have sent the mail'

/**
 * Carries out one claimed step: takes it over, judges it, sends its mail, finishes it. Whatever goes wrong outside the send
 * counts as a failed attempt too, so that no lock is left behind. Answers what became of it, as an operator reads it.
 */
export async function runStep(deps: StepDependencies, claim: StepClaim, signal: AbortSignal): Promise<string> {
  const own = { id: claim.id, lockToken: randomUUID() }
  const outcome = (await takeOver(deps, claim, own, signal)) ?? (await carryOut(deps, own, signal))
  deps.metrics.steps.add({ outcome }, 1)
  return outcome
}

/** Null: the step is ours. An answer that was lost may stand for either token. */
async function takeOver(
  deps: StepDependencies,
  claim: StepClaim,
  own: StepClaim,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    return (await takeOverStep(deps.pool, claim, own.lockToken, await deps.clock.now())) ? null : 'lost'
  } catch (error) {
    const failure = failureOf(deps, claim, error)
    const outcome = await fail(deps, claim, failure, signal)
    return outcome === 'lost' ? fail(deps, own, failure, signal) : outcome
  }
}

function failureOf({ logger }: StepDependencies, claim: StepClaim, error: unknown): StepFailure {
  logger.error('step failed', { event: 'step.failed', step_id: claim.id, error })
  return { kind: 'transient', error: error instanceof Error ? error.message : String(error), refused: false }
}

async function carryOut(deps: StepDependencies, claim: StepClaim, signal: AbortSignal): Promise<string> {
  try {
    for (let round = 1; round <= MAX_JUDGEMENTS; round += 1) {
      const step = await loadStep(deps.pool, claim.id, claim.lockToken)
      if (step === null) return 'lost'
      const outcome = await act(deps, step, claim, judgeStep({ ...step, sent: step.sent }), signal)
      if (outcome !== 'moved') return outcome
    }
    return await fail(
      deps,
      claim,
      { kind: 'transient', error: 'what is known of the member kept moving', refused: false },
      signal,
    )
  } catch (error) {
    return await fail(deps, claim, failureOf(deps, claim, error), signal)
  }
}

async function act(
  deps: StepDependencies,
  step: HeldStep,
  claim: StepClaim,
  judgement: StepJudgement,
  signal: AbortSignal,
): Promise<string> {
  switch (judgement.do) {
    case 'end':
      return (await endStep(deps.pool, claim, judgement.status, judgement.error, await deps.clock.now()))
        ? judgement.status
        : 'lost'
    case 'finish':
      return finish(deps, step, claim)
    case 'finish_unknown':
      return finish(deps, step, claim, UNKNOWN_SEND)
    case 'send':
      return send(deps, step, claim, judgement, signal)
  }
}

async function finish(
  deps: StepDependencies,
  step: HeldStep,
  claim: StepClaim,
  unknownSend: string | null = null,
): Promise<string> {
  const now = await deps.clock.now()
  const result = await finishStep(deps.pool, step, claim.lockToken, now, { unknownSend })
  if (!result.finished) return 'lost'
  deps.metrics.stepLateness.observe({}, (now - step.readyAt) / MICROS_PER_SECOND)
  if (result.nextReadyAt !== null) await wakeFor(deps, result.nextReadyAt)
  return 'finished'
}

async function send(
  deps: StepDependencies,
  step: HeldStep,
  claim: StepClaim,
  { member, email }: Extract<StepJudgement, { do: 'send' }>,
  signal: AbortSignal,
): Promise<string> {
  const { pool, clock, sender, mails } = deps
  if (sender === null || mails === null) {
    const error = `no ${sender === null ? 'mail server' : 'signing key'} is configured: set ${sender === null ? 'SMTP_URL' : 'DWELL_SIGNING_KEY'}`
    return fail(deps, claim, { kind: 'transient', error, refused: true }, signal)
  }
  const now = await clock.now()
  const made = stepMail(step, member, email, mails, now)
  if (typeof made === 'string') return fail(deps, claim, { kind: 'permanent', error: made, refused: true }, signal)
  const { mail, tracksOpens, tracksClicks } = made
  let messageId: string | null
  try {
    messageId = await beginSend(
      pool,
      step,
      claim.lockToken,
      {
        messageId: messageIdOf(step.id, mailDomain(mail.from ?? deps.mailFrom)),
        email,
        name: member.facts.name,
        tracksOpens,
        tracksClicks,
      },
      now,
    )
  } catch (error) {
    // The record may stand although the answer was lost; the mail server was not asked.
    return fail(deps, claim, { ...failureOf(deps, claim, error), refused: true }, signal)
  }
  if (messageId === null) return 'moved'
  const outcome = await attempt(deps, claim, signal, () =>
    sender.send({ ...mail, messageId: messageId.replace(/^<|>$/g, '') }, signal),
  )
  deps.metrics.automationEmails.add({ outcome: MAIL_WORDS[outcome.outcome] }, 1)
  switch (outcome.outcome) {
    case 'delivered':
      return finish(deps, step, claim, (await markSentOrReport(deps, step, signal)) ? null : UNRECORDED)
    case 'unknown':
      return finish(deps, step, claim, outcome.error)
    case 'failed':
      return fail(deps, claim, { kind: 'permanent', error: outcome.error, refused: true }, signal)
    case 'retry':
      return fail(deps, claim, { kind: 'transient', error: outcome.error, refused: true }, signal)
    case 'broken off':
      return 'released'
  }
}

/** What a metric calls an attempt: as the record of the send is called. */
const MAIL_WORDS = {
  delivered: 'sent',
  unknown: 'unknown',
  failed: 'failed',
  retry: 'deferred',
  'broken off': 'broken_off',
} as const

/** `broken off`: this process is ending and nothing was sent; the step was given back. */
async function attempt(
  deps: StepDependencies,
  claim: StepClaim,
  signal: AbortSignal,
  make: () => Promise<SendOutcome>,
): Promise<SendOutcome | { readonly outcome: 'broken off' }> {
  try {
    return await make()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    // Made of things that no mail can be made of: nothing left this process.
    if (!signal.aborted) return { outcome: 'retry', error: reason, retryAfter: null }
    const now = await deps.clock.now()
    await takeBackAttempt(deps.pool, claim, reason, now)
    await wakeFor(deps, now)
    return { outcome: 'broken off' }
  }
}

/** The mail is out: a failing write changes nothing about that. False: nothing could be written. */
async function markSentOrReport(deps: StepDependencies, step: HeldStep, signal: AbortSignal): Promise<boolean> {
  try {
    await persistently(deps, signal, async () => markSent(deps.pool, step, await deps.clock.now()))
    return true
  } catch (error) {
    deps.logger.error('a sent mail could not be recorded', { event: 'step.unrecorded', step_id: step.id, error })
    return false
  }
}

async function fail(
  deps: StepDependencies,
  claim: StepClaim,
  failure: StepFailure,
  signal: AbortSignal,
): Promise<string> {
  const result = await persistently(deps, signal, async () =>
    failStep(deps.pool, claim, failure, await deps.clock.now()),
  )
  if (result.outcome === 'retry') await wakeFor(deps, result.readyAt)
  return result.outcome
}

/** Writes what nobody but this process knows; again for a while where that fails. */
async function persistently<T>(
  { writeAgainAfterMs = WRITE_AGAIN_AFTER_MS }: StepDependencies,
  signal: AbortSignal,
  write: () => Promise<T>,
): Promise<T> {
  for (const ms of writeAgainAfterMs) {
    try {
      return await write()
    } catch (error) {
      if (signal.aborted) throw error
      await pause(ms, undefined, { signal }).catch(() => undefined)
    }
  }
  return write()
}

/** The step stands; without its wake the next tick finds it. */
async function wakeFor({ bringWakeForward, logger }: StepDependencies, at: Micros): Promise<void> {
  await bringWakeForward(at).catch((error) => logger.warn('no wake for a step', { event: 'step.no_wake', error }))
}
