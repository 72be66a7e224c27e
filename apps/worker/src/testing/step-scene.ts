import { randomUUID } from 'node:crypto'
import type { MemberEventName, MemberSnapshot } from '@dwell/contracts/member-events'
import { createAutomation, type SaveOutcome, updateAutomation } from '@dwell/database/automations/saves'
import { claimReadySteps } from '@dwell/database/automations/step-claims'
import { takeBatch } from '@dwell/database/ingest/take-batch'
import type { Pool } from '@dwell/database/pool'
import { RuleBooks } from '@dwell/database/rule-books'
import type { OutgoingMail, SendOutcome } from '@dwell/mail/smtp-sender'
import { memberEvent, parsed } from '@dwell/testing/event-builder'
import { runStep, type StepDependencies } from '../steps/run-step'
import type { WorkerParts } from './worker-parts'

/** One action: a key of the test's own, and the hours of a wait or the subject of an e-mail. */
export type PathEntry = readonly [key: string, content: number | string]

/** A step as tests compare it: `key content status`; the content is that of its own revision. */
export type SeenStep = string

const NO_SIGNAL = new AbortController().signal

/**
 * Automations as people make them and members as upstream applications tell of them, with steps carried out one by one in
 * the test's process and mails handed to a mail server of the test's own making.
 */
export class StepScene {
  /** What was handed over, in its order. */
  mails: OutgoingMail[] = []
  /** What the mail server does with the next mails; it takes them unless told otherwise. */
  answers: ((mail: OutgoingMail, signal: AbortSignal) => SendOutcome | Promise<SendOutcome>)[] = []
  /** For when a wake was asked for. */
  wakes: number[] = []
  private keys = new Map<string, string>()

  constructor(private readonly worker: WorkerParts) {}

  reset(): void {
    this.mails = []
    this.answers = []
    this.wakes = []
    this.keys = new Map()
  }

  deps(pool: Pool = this.worker.pool): StepDependencies {
    return {
      pool,
      clock: this.worker.clock,
      logger: this.worker.logger,
      metrics: this.worker.metrics,
      sender: {
        send: async (mail, signal) => {
          this.mails.push(mail)
          return (await this.answers.shift()?.(mail, signal)) ?? { outcome: 'delivered' }
        },
        close: () => undefined,
      },
      mails: { key: Buffer.from('a key for tests'), publicUrl: 'https://desk.example' },
      mailFrom: 'Dwell <dwell@desk.example>',
      bringWakeForward: async (at) => void this.wakes.push(at),
      writeAgainAfterMs: [1, 1],
    }
  }

  /** Carries out all that is ready now, one after the other; answers what became of each. */
  async sweep(pool?: Pool): Promise<string[]> {
    const outcomes: string[] = []
    for (const claim of await claimReadySteps(this.worker.pool, await this.worker.clock.now()))
      outcomes.push(await runStep(this.deps(pool), claim, NO_SIGNAL))
    return outcomes
  }

  /** Sweeps until nothing is ready. */
  async sweepAll(): Promise<string[]> {
    const outcomes: string[] = []
    for (let some = await this.sweep(); some.length > 0; some = await this.sweep()) outcomes.push(...some)
    return outcomes
  }

  /** The action behind a key of the test. */
  action(key: string): string {
    const known = this.keys.get(key) ?? randomUUID()
    this.keys.set(key, known)
    return known
  }

  body(path: readonly PathEntry[]): { readonly actions: object[]; readonly edges: object[] } {
    const ids = path.map(([key]) => this.action(key))
    return {
      actions: path.map(([key, content]) =>
        typeof content === 'number'
          ? { id: this.action(key), type: 'wait', data: { wait_hours: content } }
          : {
              id: this.action(key),
              type: 'send_email',
              data: { email_subject: content, email_body: 'Hello {{ member.first_name }}' },
            },
      ),
      edges: ids.slice(1).map((target, i) => ({ source_action_id: ids[i], target_action_id: target })),
    }
  }

  /** Active and for free members, unless said otherwise. Answers its id. */
  async automation(path: readonly PathEntry[], more: object = {}): Promise<string> {
    const body = {
      name: randomUUID(),
      description: '',
      status: 'active',
      trigger_tier_scope: 'free',
      ...this.body(path),
      ...more,
    }
    const saved = await createAutomation(
      this.worker.database,
      this.worker.account,
      { body, faults: [] },
      await this.change(),
    )
    return idOf(saved)
  }

  /** A whole save on top of what stands. */
  async edit(id: string, path: readonly PathEntry[], more: object = {}): Promise<string> {
    return idOf(await this.save(id, { status: 'active', ...this.body(path), ...more }))
  }

  async turnOff(id: string): Promise<string> {
    return idOf(await this.save(id, { status: 'inactive' }))
  }

  async save(id: string, body: Record<string, unknown>): Promise<SaveOutcome> {
    const { account, database } = this.worker
    return updateAutomation(database, account, id, { body, faults: [], ifMatch: undefined }, await this.change())
  }

  /** An event of a member, taken as ingest takes it; it happened now. */
  async tell(event: MemberEventName, id: string, facts: Partial<MemberSnapshot> = {}): Promise<void> {
    const now = await this.worker.clock.now()
    const at = new Date(now / 1_000).toISOString()
    const told = parsed({ ...memberEvent(event, { at }), account_id: this.worker.account, member: { id, ...facts } })
    await takeBatch(this.worker.pool, new RuleBooks(), [told], now)
  }

  /** Ann, free and willing, unless said otherwise. */
  signUp(id: string, facts: Partial<MemberSnapshot> = {}): Promise<void> {
    return this.tell('member_signed_up', id, {
      name: 'Ann Lee',
      email: `${id}@example.com`,
      status: 'free',
      enable_updates_and_announcements: true,
      ...facts,
    })
  }

  pay(id: string, facts: Partial<MemberSnapshot> = {}): Promise<void> {
    return this.tell('member_subscription_changed', id, {
      name: 'Ann Lee',
      email: `${id}@example.com`,
      status: 'paid',
      enable_updates_and_announcements: true,
      ...facts,
    })
  }

  /** The steps of a member, or of all, in the order in which they were queued. */
  async steps(memberId?: string): Promise<SeenStep[]> {
    const byId = new Map([...this.keys].map(([key, id]) => [id, key]))
    const { rows } = await this.worker.pool.query<{ action: string; content: string; status: string }>(
      `SELECT s.action_id AS action, coalesce(r.email_subject, r.wait_hours::text) AS content, s.status
       FROM automation_steps s JOIN automation_runs run ON run.id = s.run_id
       JOIN automation_action_revisions r ON r.id = s.revision_id
       WHERE s.account_id = $1 AND ($2::text IS NULL OR run.member_id = $2) ORDER BY s.created_at, s.id`,
      [this.worker.account, memberId ?? null],
    )
    return rows.map(({ action, content, status }) => `${byId.get(action)} ${content} ${status}`)
  }

  /** Why the runs ended, in the order of the members; null while they go on. */
  reasons(): Promise<(string | null)[]> {
    return this.worker.column(
      'SELECT end_reason FROM automation_runs WHERE account_id = $1 ORDER BY member_id, created_at',
      [this.worker.account],
    )
  }

  /** What is known of the sends, in the order of the steps. */
  records(): Promise<string[]> {
    return this.worker.column(
      `SELECT e.status FROM automation_emails e JOIN automation_steps s ON s.id = e.id
       WHERE e.account_id = $1 ORDER BY s.created_at, s.id`,
      [this.worker.account],
    )
  }

  /** ISO times at which waiting steps that nobody holds are ready. */
  ready(): Promise<string[]> {
    return this.worker.column(
      `SELECT to_char(ready_at, 'YYYY-MM-DD"T"HH24:MI:SS') FROM automation_steps
       WHERE account_id = $1 AND status = 'pending' AND lock_token IS NULL ORDER BY ready_at`,
      [this.worker.account],
    )
  }

  /** The pool, with statements of this name failing so often; `after`: they succeed, and the answer is lost. */
  failing(name: string, times: number, when: 'before' | 'after' = 'before'): Pool {
    let left = times
    const guarded = <T extends object>(target: T): T =>
      new Proxy(target, {
        get(inner, key) {
          const value: unknown = Reflect.get(inner, key, inner)
          if (typeof value !== 'function') return value
          return (...parameters: unknown[]) => {
            const [statement] = parameters as [{ name?: string } | undefined]
            const fails = key === 'query' && statement?.name === name && left-- > 0
            const hiccup = () => Promise.reject(new Error('scripted: the database hiccups'))
            if (fails && when === 'before') return hiccup()
            const result: unknown = value.apply(inner, parameters)
            if (fails && result instanceof Promise) return result.then(hiccup)
            return key === 'connect' && result instanceof Promise
              ? result.then((client: object) => guarded(client))
              : result
          }
        },
      })
    return guarded(this.worker.pool)
  }

  private async change() {
    return { actor: 'admin', now: await this.worker.clock.now() }
  }
}

/** For the top of a test file. Every test begins without automations and members. */
export function useStepScene(worker: WorkerParts): StepScene {
  const scene = new StepScene(worker)
  beforeEach(async () => {
    scene.reset()
    // A claim takes what is ready of all accounts.
    await worker.pool.query(
      'TRUNCATE automations, automation_runs, automation_steps, automation_emails, members CASCADE',
    )
  })
  return scene
}

function idOf(saved: SaveOutcome): string {
  if (saved !== null && 'automation' in saved) return saved.automation.id
  throw new Error(`The save was refused: ${JSON.stringify(saved)}`)
}
