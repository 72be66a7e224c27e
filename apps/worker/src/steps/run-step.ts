import { MICROS_PER_SECOND, type Micros } from '@dwell/contracts/instant'
import {
  endStep,
  failStep,
  finishStep,
  type StepClaim,
  type StepFailure,
} from '@dwell/database/automations/finish-step'
import { type HeldStep, loadStep } from '@dwell/database/automations/load-step'
import { beginSend, endSend, markSent } from '@dwell/database/automations/send-records'
import { releaseSteps, takeOverStep } from '@dwell/database/automations/step-claims'
import type { Pool } from '@dwell/database/pool'
import { messageIdOf } from '@dwell/domain/automations/email/message-id'
import { judgeStep, type StepJudgement } from '@dwell/domain/automations/step'
import type { Clock } from '@dwell/runtime/clock'
import type { Logger } from '@dwell/runtime/logger'
import { mailDomain } from '../targets/smtp'
import type { MailSender } from '../targets/smtp-sender'
import type { DeliveryOutcome } from '../targets/target'
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
}

/** How often a step whose facts keep moving is judged anew before the attempt counts as failed. */
const MAX_JUDGEMENTS = 5
const MARK_ATTEMPTS = 3
const UNRECORDED = 'the mail server took the mail, and that could not be recorded'
const UNKNOWN_SEND = 'an earlier attempt may have sent the mail'

/**
 * Carries out one claimed step: takes it over, judges it, sends its mail, finishes it. Whatever goes wrong outside the send
 * counts as a failed attempt too, so that no lock is left behind. Answers what became of it, as an operator reads it.
 */
export async function runStep(deps: StepDependencies, claim: StepClaim, signal: AbortSignal): Promise<string> {
  const lockToken = await takeOverStep(deps.pool, claim, await deps.clock.now())
  const outcome = lockToken === null ? 'lost' : await carryOut(deps, { id: claim.id, lockToken }, signal)
  deps.metrics.steps.add({ outcome }, 1)
  return outcome
}

async function carryOut(deps: StepDependencies, claim: StepClaim, signal: AbortSignal): Promise<string> {
  try {
    for (let round = 1; round <= MAX_JUDGEMENTS; round += 1) {
      const step = await loadStep(deps.pool, claim.id, claim.lockToken)
      if (step === null) return 'lost'
      const outcome = await act(deps, step, claim, judgeStep({ ...step, sent: step.sent }), signal)
      if (outcome !== 'moved') return outcome
    }
    return await fail(deps, claim, {
      kind: 'transient',
      error: 'what is known of the member kept moving',
      refused: false,
    })
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    deps.logger.error('step failed', { event: 'step.failed', step_id: claim.id, error })
    return await fail(deps, claim, { kind: 'transient', error: text, refused: false })
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
    return fail(deps, claim, { kind: 'transient', error, refused: true })
  }
  const now = await clock.now()
  const made = stepMail(step, member, email, mails, now)
  if (typeof made === 'string') return fail(deps, claim, { kind: 'permanent', error: made, refused: true })
  const { mail, tracksOpens, tracksClicks } = made
  const messageId = await beginSend(
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
  if (messageId === null) return 'moved'
  const outcome = await attempt(deps, claim, () =>
    sender.send({ ...mail, messageId: messageId.replace(/^<|>$/g, '') }, signal),
  )
  if (outcome === null) return 'released'
  switch (outcome.outcome) {
    case 'delivered':
      return finish(deps, step, claim, (await markSentOrReport(deps, step)) ? null : UNRECORDED)
    case 'unknown':
      return finish(deps, step, claim, outcome.error)
    case 'failed':
      return fail(deps, claim, { kind: 'permanent', error: outcome.error, refused: true })
    case 'retry':
      return fail(deps, claim, { kind: 'transient', error: outcome.error, refused: true })
  }
}

/** Null: this process is ending and nothing was sent; the step is given back. */
async function attempt(
  { pool, clock }: StepDependencies,
  claim: StepClaim,
  make: () => Promise<DeliveryOutcome>,
): Promise<DeliveryOutcome | null> {
  try {
    return await make()
  } catch (error) {
    const now = await clock.now()
    await endSend(pool, claim.id, 'deferred', error instanceof Error ? error.message : String(error), now)
    await releaseSteps(pool, [claim], now)
    return null
  }
}

/** The mail is out: a failing write changes nothing about that. False: nothing could be written. */
async function markSentOrReport({ pool, clock, logger }: StepDependencies, step: HeldStep): Promise<boolean> {
  for (let tried = 1; ; tried += 1) {
    try {
      await markSent(pool, step, await clock.now())
      return true
    } catch (error) {
      if (tried < MARK_ATTEMPTS) continue
      logger.error('a sent mail could not be recorded', { event: 'step.unrecorded', step_id: step.id, error })
      return false
    }
  }
}

async function fail(deps: StepDependencies, claim: StepClaim, failure: StepFailure): Promise<string> {
  const result = await failStep(deps.pool, claim, failure, await deps.clock.now())
  if (result.outcome === 'retry') await wakeFor(deps, result.readyAt)
  return result.outcome
}

/** The step stands; without its wake the next tick finds it. */
async function wakeFor({ bringWakeForward, logger }: StepDependencies, at: Micros): Promise<void> {
  await bringWakeForward(at).catch((error) => logger.warn('no wake for a step', { event: 'step.no_wake', error }))
}
