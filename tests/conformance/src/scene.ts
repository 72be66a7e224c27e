import type { Api, RequestOptions } from './api'
import type { Step } from './case-file'
import type { HookReceiver } from './hook-receiver'
import type { MailCatcher } from './mail-catcher'
import { idOf, References } from './references'
import { ACTIONS, DEAD_EVENTS, type Streams } from './streams'

/** What the player talks to: the product, and the two servers that stand for the rest of the world. */
export interface World {
  readonly api: Api
  readonly streams: Streams
  readonly mail: MailCatcher
  readonly hooks: HookReceiver
  readonly hookUrl: string
}

const FIRST_INSTANT = '2026-09-01T09:00:00Z'
const SETTINGS = {
  DISABLE_DELAYED_AUTOMATIONS: false,
  AUTOMATION_PENDING_EXECUTIONS_SWEEP_LIMIT: 1000,
  DELAYED_AUTOMATIONS_WHEN_DISABLED: 'skip',
}

/** One case being played: its account, its clock, what it keeps and where its part of each stream begins. */
export class Scene {
  readonly references = new References()
  clock = FIRST_INSTANT
  actionsAfter = '0-0'
  deadAfter = '0-0'
  private accountsMade: unknown[] = []
  private eventsMade = 0

  private constructor(
    readonly world: World,
    readonly accountId: unknown,
  ) {}

  /** Defaults for all settings, the clock at its first instant, a new account, nothing caught yet. */
  static async begin(world: World): Promise<Scene> {
    const { api, streams, mail, hooks } = world
    await Promise.all(
      Object.entries(SETTINGS).map(([name, value]) => api.must('PUT', `/installation_configs/${name}`, { value })),
    )
    await api.must('PUT', '/test_clock', { now: FIRST_INSTANT })
    const account = await api.must('POST', '/accounts', { name: 'conformance', features: ['delayed_automations'] })
    const scene = new Scene(world, idOf(account))
    scene.madeAccount(scene.accountId)
    scene.references.keep('account', scene.accountId)
    scene.references.keep('hook', world.hookUrl)
    mail.forget()
    hooks.forget()
    ;[scene.actionsAfter, scene.deadAfter] = await Promise.all([streams.newest(ACTIONS), streams.newest(DEAD_EVENTS)])
    return scene
  }

  /** Deletes every account that the case has made and not deleted itself. */
  async end(): Promise<void> {
    for (const id of this.accountsMade) {
      const { status } = await this.world.api.request('DELETE', `/accounts/${id}`)
      if (status >= 300 && status !== 404) throw new Error(`DELETE /accounts/${id} answered ${status}`)
    }
  }

  madeAccount(id: unknown): void {
    this.accountsMade.push(id)
  }

  nextEventId(): string {
    this.eventsMade += 1
    return `evt_${this.accountId}_${this.eventsMade}`
  }

  async setClock(instant: string): Promise<void> {
    this.clock = instant
    await this.world.api.must('PUT', '/test_clock', { now: instant })
  }

  /** The account that a step speaks of. */
  accountOf(step: Step): unknown {
    return step.account === undefined ? this.accountId : this.references.resolve(step.account)
  }

  /** As a case writes it: below the account, or with two slashes below the base of the API. */
  pathOf(written: string): string {
    const path = this.references.resolvePath(written)
    return path.startsWith('//') ? path.slice(1) : `/accounts/${this.accountId}${path}`
  }

  /** `token` of a step: a kept answer, `none`, or the text of a token. */
  optionsOf(step: Step): RequestOptions {
    const headers = step.headers ? { headers: this.references.resolve(step.headers) as Record<string, string> } : {}
    if (step.token === undefined) return headers
    if (step.token === 'none') return { ...headers, token: null }
    if (!step.token.startsWith('$')) return { ...headers, token: step.token }
    const answer = this.references.answer(step.token.slice(1)) as { token?: string; payload?: { token?: string } }
    const token = answer?.token ?? answer?.payload?.token
    if (token === undefined) throw new Error(`the answer kept as ${step.token} holds no token`)
    return { ...headers, token }
  }
}
