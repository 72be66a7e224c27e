// What a worker does to steps, through the product's own statements, at a given pace: claims in batches, takes over, loads,
// judges, finishes with the next step or ends the run; and merges the counts of runs. A process of its own.
import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { percentile } from './readers.mjs'

const require = createRequire(import.meta.url)
const CONCURRENCY = 20
const TICK_MS = 50
const MERGE_EVERY_MS = 1_000
const APPLICATION = 'bench-steps'

const { createPool } = require('@dwell/database/pool')
const { claimReadySteps, takeOverStep } = require('@dwell/database/automations/step-claims')
const { loadStep } = require('@dwell/database/automations/load-step')
const { endStep, finishStep } = require('@dwell/database/automations/finish-step')
const { mergeRunCounts } = require('@dwell/database/automations/run-counts')
const { judgeStep } = require('@dwell/domain/automations/step')

const [databaseUrl = '', rateText = '500', secondsText = '30'] = process.argv.slice(2)
const rate = Number(rateText)
const seconds = Number(secondsText)
const pool = createPool({ connectionString: databaseUrl, max: CONCURRENCY + 4, applicationName: APPLICATION })
const now = () => Math.round((performance.timeOrigin + performance.now()) * 1_000)

const times = { claim: [], takeOver: [], finish: [], end: [], merge: [] }
const outcomes = { finished: 0, ended: 0, lost: 0 }

async function timed(kind, work) {
  const began = performance.now()
  const result = await work()
  times[kind].push(performance.now() - began)
  return result
}

async function carryOut(claim) {
  const lockToken = randomUUID()
  const isOurs = await timed('takeOver', () => takeOverStep(pool, claim, lockToken, now()))
  const step = isOurs ? await loadStep(pool, claim.id, lockToken) : null
  if (step === null) {
    outcomes.lost += 1
    return
  }
  const judgement = judgeStep(step)
  if (judgement.do === 'finish') {
    await timed('finish', () => finishStep(pool, step, lockToken, now()))
    outcomes.finished += 1
    return
  }
  // No mail leaves a measurement: who would be sent one is taken for somebody who wants none.
  const status = judgement.do === 'end' ? judgement.status : 'member_unsubscribed'
  await timed('end', () => endStep(pool, { id: step.id, lockToken }, status, null, now()))
  outcomes.ended += 1
}

const began = performance.now()
const isOver = () => performance.now() - began > seconds * 1_000
const waiting = []
let allowed = 0
let done = 0

async function claimer() {
  for (let last = performance.now(); !isOver(); ) {
    const at = performance.now()
    allowed = Math.min(allowed + ((at - last) / 1_000) * rate, rate)
    last = at
    const wanted = Math.min(100, Math.floor(allowed) - waiting.length)
    if (wanted > 0) {
      const claims = await timed('claim', () => claimReadySteps(pool, now(), wanted))
      allowed -= claims.length
      waiting.push(...claims)
    }
    await pause(TICK_MS)
  }
}

async function worker() {
  while (!isOver()) {
    const claim = waiting.shift()
    if (claim === undefined) await pause(5)
    else {
      await carryOut(claim)
      done += 1
    }
  }
}

async function merger() {
  while (!isOver()) {
    await timed('merge', () => mergeRunCounts(pool, 1))
    await pause(MERGE_EVERY_MS)
  }
}

await Promise.all([claimer(), merger(), ...Array.from({ length: CONCURRENCY }, worker)])
const perSecond = done / ((performance.now() - began) / 1_000)
const summary = Object.fromEntries(
  Object.entries(times).map(([kind, values]) => [
    kind,
    {
      count: values.length,
      p50: percentile(values, 0.5),
      p95: percentile(values, 0.95),
      p99: percentile(values, 0.99),
    },
  ]),
)
await pool.end()
process.stdout.write(`${JSON.stringify({ perSecond, outcomes, times: summary })}\n`)
