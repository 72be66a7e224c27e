import { Api } from '../../conformance/src/api'
import type { Instance } from '../../conformance/src/product'
import { Streams } from '../../conformance/src/streams'

/** Of the product that scripts/jest-product.mjs has started. */
export const instance: Instance = JSON.parse(process.env.DWELL_TEST_INSTANCE ?? '{}')

export const api = new Api(instance.url, instance.admin_token)

interface Payload<T> {
  readonly payload: T
}

/** A support desk: an account of its own, whose upstream application is the test. */
export interface Desk {
  readonly accountId: number
  /** Makes a token of the account and answers it. */
  token(role: 'administrator' | 'agent'): Promise<string>
  rule(body: Readonly<Record<string, unknown>>): Promise<{ id: number }>
  /** Publishes events, completed by id, account and the rest; resolves when all are taken. */
  publish(...events: readonly Readonly<Record<string, unknown>>[]): Promise<void>
}

let published = 0
let streams: Streams | undefined

/** Called after the last test of every file (setup.ts). */
export function closeStreams(): void {
  streams?.close()
}

export async function openDesk(options: { name?: string; features?: readonly string[] } = {}): Promise<Desk> {
  const { name = 'Sample help desk', features = ['delayed_automations'] } = options
  const account = (await api.must('POST', '/accounts', { name, features })) as Payload<{ id: number }>
  const accountId = account.payload.id
  const path = `/accounts/${accountId}`
  return {
    accountId,
    async token(role) {
      const body = { role, name: role === 'agent' ? 'Ann (agent)' : 'Ben (administrator)' }
      return ((await api.must('POST', `${path}/tokens`, body)) as Payload<{ token: string }>).payload.token
    },
    async rule(body) {
      return ((await api.must('POST', `${path}/automation_rules`, body)) as Payload<{ id: number }>).payload
    },
    async publish(...events) {
      const complete = events.map((event) => {
        published += 1
        return JSON.stringify({ id: `web-${published}`, account_id: accountId, performed_by: null, ...event })
      })
      streams ??= new Streams(instance.redis_url)
      await streams.publish(complete)
    },
  }
}

/** Sets the clock of the whole product; answers when every process follows it. */
export async function setClock(now: string): Promise<void> {
  await api.must('PUT', '/test_clock', { now })
}

/** Does everything that is due. */
export async function sweep(): Promise<void> {
  await api.must('POST', '/sweeps', {})
}

/** A conversation as events tell of it. */
export function conversation(id: number, facts: Readonly<Record<string, unknown>> = {}) {
  return {
    id,
    inbox_id: 5,
    status: 'open',
    status_changed_at: null,
    waiting_since: null,
    created_at: '2026-09-01T08:00:00.000000Z',
    priority: null,
    assignee_id: 7,
    team_id: null,
    labels: [],
    custom_attributes: {},
    additional_attributes: {},
    can_reply: true,
    ...facts,
  }
}
