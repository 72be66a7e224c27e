import { ACTION_FIELD, ACTIONS_STREAM, type ActionEnvelope } from '@dwell/contracts/action'
import { EVENT_FIELD } from '@dwell/contracts/events'
import type { Micros } from '@dwell/contracts/instant'
import type { InstallationConfigName } from '@dwell/contracts/pending-execution'
import { updateAccount } from '@dwell/database/accounts'
import { createRule, deleteRule, type RuleOutcome, updateRule } from '@dwell/database/automation-rules'
import { createCustomAttribute, deleteCustomAttribute } from '@dwell/database/custom-attributes'
import { takeBatch } from '@dwell/database/ingest/take-batch'
import { storeInstallationConfig } from '@dwell/database/installation-configs'
import { createPool, type Pool } from '@dwell/database/pool'
import { createPrismaClient, type Database } from '@dwell/database/prisma-client'
import { RuleBooks } from '@dwell/database/rule-books'
import { type Clock, createTestClock, setTestClock } from '@dwell/runtime/clock'
import type { Logger } from '@dwell/runtime/logger'
import { createMetrics } from '@dwell/runtime/metrics'
import { closeRedis, connectRedis, type RedisConnection } from '@dwell/runtime/redis'
import { parseRedisUrl } from '@dwell/runtime/redis-url'
import { cutBatches } from '../../apps/ingest/src/batch/cut-batches'
import { FollowUp } from '../../apps/ingest/src/batch/follow-up'
import { readEntries } from '../../apps/ingest/src/batch/read-entry'
import { createIngestMetrics } from '../../apps/ingest/src/ingest-metrics'
import { StreamRelay } from '../../apps/worker/src/outbox/stream-relay'
import { type ProcessDependencies, processBatch } from '../../apps/worker/src/process/process-batch'
import { runSweep } from '../../apps/worker/src/sweep/run-sweep'
import { createWorkerMetrics } from '../../apps/worker/src/worker-metrics'
import type { Execution, Json, RawEvent, RowView, Step } from './interpreter'

/** One history's account in the product. */
export interface Account {
  id: number
  rules: Map<string, number>
  names: Map<number, string>
  attributes: Map<string, number>
  features: boolean
}

type Held = Parameters<typeof processBatch>[1][number]
type Declaration = Extract<Step, { do: 'declare' | 'undeclare' }>

const LIMITS = { maxEventBytes: 262_144, maxDeliveries: 5 }
const EVERYTHING = 100_000
const JOBS_AT_ONCE = 500
const TABLES = [
  'accounts',
  'conversations',
  'contacts',
  'messages',
  'taken_events',
  'automation_rule_pending_executions',
  'action_deliveries',
  'sweeps',
  'audit_logs',
  'installation_configs',
]

/**
 * The real thing, for many accounts at once: ingest, sweep, process and administration as the processes call them, on a real
 * Postgres and Redis under the test clock. Only the queue between sweep and process is a list, so that the model decides
 * when a job runs.
 */
export class Product {
  private readonly pool: Pool
  private readonly database: Database
  private readonly redis: RedisConnection
  private readonly clock: Clock
  private readonly books = { ingest: new RuleBooks(), worker: new RuleBooks() }
  private readonly processing: ProcessDependencies
  private readonly relay: StreamRelay
  private readonly metrics = createWorkerMetrics(createMetrics())
  private readonly ingestMetrics = createIngestMetrics(createMetrics())
  private readonly logger: Logger
  private readonly complaints: string[] = []
  private jobs: Held[] = []
  private lastAction = '-'
  private entries = 0

  constructor(stores: { readonly databaseUrl: string; readonly redisUrl: string }) {
    const complain = (message: string, fields: { error?: unknown } = {}) => {
      this.complaints.push(`${message}: ${fields.error instanceof Error ? fields.error.stack : String(fields.error)}`)
    }
    const ignore = () => undefined
    this.logger = { error: complain, warn: complain, info: ignore, debug: ignore, child: () => this.logger }
    this.pool = createPool({ connectionString: stores.databaseUrl, max: 6, applicationName: 'dwell-model' })
    this.database = createPrismaClient(this.pool)
    const target = parseRedisUrl(stores.redisUrl)
    this.redis = connectRedis(target, { purpose: 'producing', name: 'model', logger: this.logger })
    this.clock = createTestClock(this.redis)
    const shared = { pool: this.pool, clock: this.clock, logger: this.logger, metrics: this.metrics }
    this.relay = new StreamRelay({ ...shared, redis: this.redis })
    this.processing = {
      ...shared,
      rules: this.books.worker,
      relay: this.relay,
      enqueueDeliveries: async () => undefined,
      report: (message, error) => complain(message, { error }),
    }
  }

  async close(): Promise<void> {
    await closeRedis(this.redis)
    await this.pool.end()
  }

  /** Forgets all earlier histories. Accounts get ids that were never there, so nothing in a cache fits them. */
  async reset(): Promise<void> {
    await this.redis.flushdb()
    await this.pool.query(`TRUNCATE ${TABLES.join(', ')} CASCADE`)
    this.jobs = []
    this.lastAction = '-'
    this.complaints.length = 0
    await this.configure('AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT', EVERYTHING)
  }

  /** New accounts with what they have from the beginning, in a few statements for all of them. */
  async open(beginnings: readonly { timeZone: string; steps: readonly Step[] }[]): Promise<Account[]> {
    const { rows } = await this.pool.query<{ id: number }>(
      `INSERT INTO accounts (name, features, settings)
       SELECT 'model', '{delayed_automations}', jsonb_build_object('timezone', zone)
       FROM unnest($1::text[]) WITH ORDINALITY AS t(zone, n) ORDER BY n RETURNING id`,
      [beginnings.map(({ timeZone }) => timeZone)],
    )
    const ids = rows.map(({ id }) => id).sort((a, b) => a - b)
    const accounts = ids.map((id): Account => {
      return { id, rules: new Map(), names: new Map(), attributes: new Map(), features: true }
    })
    await this.insertAttributes(accounts, beginnings)
    await this.insertRules(accounts, beginnings)
    return accounts
  }

  private async insertAttributes(accounts: readonly Account[], beginnings: readonly { steps: readonly Step[] }[]) {
    const wanted = beginnings.flatMap(({ steps }, i) =>
      steps.filter((step) => step.do === 'declare').map((step) => ({ account_id: accounts[i]?.id, ...step })),
    )
    const { rows } = await this.pool.query<{
      id: number
      account_id: number
      attribute_key: string
      attribute_model: string
    }>(
      `INSERT INTO custom_attribute_definitions
         (account_id, attribute_key, attribute_display_name, attribute_display_type, attribute_model)
       SELECT account_id, key, key, type, model
       FROM jsonb_to_recordset($1) AS t(account_id bigint, key text, type text, model text)
       RETURNING id, account_id, attribute_key, attribute_model`,
      [JSON.stringify(wanted)],
    )
    const byId = new Map(accounts.map((account) => [account.id, account]))
    for (const row of rows)
      byId.get(row.account_id)?.attributes.set(`${row.attribute_model}.${row.attribute_key}`, row.id)
  }

  private async insertRules(accounts: readonly Account[], beginnings: readonly { steps: readonly Step[] }[]) {
    const wanted = beginnings.flatMap(({ steps }, i) =>
      steps
        .filter((step) => step.do === 'create')
        .map(({ rule, body }) => ({ account_id: accounts[i]?.id, name: rule, ...body })),
    )
    const { rows } = await this.pool.query<{ id: number; account_id: number; name: string }>(
      `INSERT INTO automation_rules (account_id, name, event_name, conditions, actions, active, execution_delay)
       SELECT account_id, name, event_name, conditions, actions, active, execution_delay
       FROM jsonb_to_recordset($1) AS t(account_id bigint, name text, event_name text, conditions jsonb, actions jsonb,
         active boolean, execution_delay integer)
       RETURNING id, account_id, name`,
      [JSON.stringify(wanted)],
    )
    const byId = new Map(accounts.map((account) => [account.id, account]))
    for (const { id, account_id, name } of rows) know(byId.get(account_id), name, id)
  }

  // ---- what concerns one account

  /** True where the request was accepted. */
  async administer(account: Account, step: Step): Promise<boolean> {
    const change = { actor: 'model', now: await this.clock.now() }
    switch (step.do) {
      case 'create': {
        const outcome = await createRule(this.database, account.id, { name: step.rule, ...step.body }, change)
        if (isRule(outcome)) know(account, step.rule, outcome.rule.id)
        return isRule(outcome)
      }
      case 'edit':
        return isRule(await updateRule(this.database, account.id, ruleId(account, step.rule), step.patch, change))
      case 'delete':
        return deleteRule(this.database, account.id, ruleId(account, step.rule), change)
      case 'feature': {
        const features = step.on ? ['delayed_automations'] : []
        return (await updateAccount(this.database, account.id, { features }, change)) !== null
      }
      case 'declare':
      case 'undeclare':
        return this.declare(account, step, change)
      default:
        throw new Error(`${step.do} does not concern one account`)
    }
  }

  private async declare(account: Account, step: Declaration, change: { actor: string; now: Micros }): Promise<boolean> {
    const name = `${step.model}.${step.key}`
    if (step.do === 'undeclare')
      return deleteCustomAttribute(this.database, account.id, account.attributes.get(name) ?? 0, change)
    const input = {
      attribute_key: step.key,
      attribute_display_name: step.key,
      attribute_display_type: step.type,
      attribute_model: step.model,
    } as Parameters<typeof createCustomAttribute>[2]
    const made = await createCustomAttribute(this.database, account.id, input, change)
    if (typeof made !== 'string') account.attributes.set(name, made.id)
    return typeof made !== 'string'
  }

  /** What came with one read of the stream, of any number of accounts; immediate rules have acted when it resolves. */
  async publish(published: readonly { account: Account; events: readonly RawEvent[] }[]): Promise<void> {
    const texts = published.flatMap(({ account, events }) =>
      events.map((event) => JSON.stringify({ ...event, account_id: account.id })),
    )
    const entries = texts.map((text) => {
      this.entries += 1
      return { stream: 'dwell:events', id: `0-${this.entries}`, fields: [EVENT_FIELD, text] }
    })
    const read = readEntries(entries, LIMITS)
    for (const dead of read.dead) this.complaints.push(`a dead letter: ${dead.detail} ${dead.received}`)
    const followUp = new FollowUp({
      db: this.pool,
      clock: this.clock,
      enqueue: (claims) => this.process(claims),
      wake: null,
      logger: this.logger,
      metrics: this.ingestMetrics,
    })
    for (const batch of cutBatches(read.events, EVERYTHING)) {
      const events = batch.map(({ event }) => event)
      await followUp.after(await takeBatch(this.pool, this.books.ingest, events, await this.clock.now()))
    }
    this.complain()
  }

  // ---- what concerns the installation

  async operate(step: Step): Promise<void> {
    switch (step.do) {
      case 'clock':
        await setTestClock(this.redis, step.at as Micros)
        return
      case 'kill_switch':
        return this.configure('DISABLE_DELAYED_AUTOMATIONS', step.value)
      case 'when_disabled':
        return this.configure('DELAYED_AUTOMATIONS_WHEN_DISABLED', step.value)
      case 'sweep':
        await this.sweep()
        if (step.work) await this.work()
        return
      case 'work':
        return this.work()
      case 'lose_jobs':
        this.jobs = []
        return
      default:
        throw new Error(`${step.do} does not concern the installation`)
    }
  }

  private async configure(name: InstallationConfigName, value: string | number): Promise<void> {
    await storeInstallationConfig(this.database, name, value, { actor: 'model', now: await this.clock.now() })
  }

  private async sweep(): Promise<void> {
    await runSweep(
      {
        pool: this.pool,
        clock: this.clock,
        relay: this.relay,
        enqueue: async (claims) => {
          this.jobs.push(...claims)
        },
        enqueueDeliveries: async () => undefined,
        sweepSteps: async () => [],
        logger: this.logger,
        metrics: this.metrics,
      },
      'request',
    )
    this.complain()
  }

  private async work(): Promise<void> {
    const jobs = this.jobs
    this.jobs = []
    await this.process(jobs)
    this.complain()
  }

  private async process(jobs: readonly Held[]): Promise<void> {
    for (let start = 0; start < jobs.length; start += JOBS_AT_ONCE) {
      const results = await processBatch(this.processing, jobs.slice(start, start + JOBS_AT_ONCE))
      for (const result of results) if (result instanceof Error) this.complaints.push(String(result.stack))
    }
  }

  /** A worker or a consumer that reports an error is a difference by itself. */
  private complain() {
    const [first] = this.complaints.splice(0)
    if (first !== undefined) throw new Error(`The product complained: ${first}`)
  }

  // ---- what came of it

  async rows(accounts: readonly Account[]): Promise<Map<number, RowView[]>> {
    const { rows } = await this.pool.query<RowView & { account_id: number; rule_id: number }>({
      name: 'model-rows',
      text: `SELECT account_id, automation_rule_id AS rule_id, conversation_id AS conversation, episode_key, status,
                    skip_reason, dwell_micros(due_at) AS due_at, message_id
             FROM automation_rule_pending_executions WHERE account_id = ANY($1::bigint[])`,
      values: [accounts.map(({ id }) => id)],
    })
    const byId = new Map(accounts.map((account) => [account.id, account]))
    const found = new Map<number, RowView[]>(accounts.map(({ id }) => [id, []]))
    for (const { account_id, rule_id, ...row } of rows)
      found.get(account_id)?.push({ ...row, rule: byId.get(account_id)?.names.get(rule_id) ?? String(rule_id) })
    return found
  }

  /** What the accounts executed since the last call, by the entries of `dwell:actions`. */
  async executions(accounts: readonly Account[]): Promise<Map<number, Execution[]>> {
    const entries = await this.redis.xrange(ACTIONS_STREAM, this.lastAction, '+')
    this.lastAction = entries.length === 0 ? this.lastAction : `(${entries.at(-1)?.[0]}`
    const byId = new Map(accounts.map((account) => [account.id, account]))
    const found = new Map<number, Execution[]>(accounts.map(({ id }) => [id, []]))
    const open = new Map<number, Execution>()
    for (const [, fields] of entries) {
      const action = JSON.parse(fields[fields.indexOf(ACTION_FIELD) + 1] ?? '') as ActionEnvelope
      const { execution_id: id, account_id: accountId } = action
      let execution = open.get(id)
      if (execution === undefined) {
        const rule = byId.get(accountId)?.names.get(action.automation_rule_id) ?? ''
        const due_at = Date.parse(`${action.due_at.slice(0, 19)}Z`) * 1_000 + Number(action.due_at.slice(20, 26))
        execution = { rule, conversation: action.conversation_id, due_at, actions: [] }
        open.set(id, execution)
        found.get(accountId)?.push(execution)
      }
      const { action_name, action_params, content = null } = action
      execution.actions.push({ action_name, action_params: action_params as Json[], content })
    }
    return found
  }
}

function know(account: Account | undefined, name: string, id: number) {
  account?.rules.set(name, id)
  account?.names.set(id, name)
}

function ruleId(account: Account, name: string): number {
  return account.rules.get(name) ?? 0
}

function isRule(outcome: RuleOutcome): outcome is Extract<RuleOutcome, { rule: unknown }> {
  return outcome !== null && 'rule' in outcome
}
