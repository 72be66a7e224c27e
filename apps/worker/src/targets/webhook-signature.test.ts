import type { Micros } from '@dwell/contracts/instant'
import { webhookKey } from '@dwell/domain/rules/webhook-secret'
import { webhookHeaders } from './webhook-signature'

const key = (secret: string) => webhookKey(secret) ?? new Uint8Array()

test('signs as the specification’s own example', () => {
  const headers = webhookHeaders({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    now: (1614265330 * 1_000_000 + 999_999) as Micros,
    body: '{"test": 2432232314}',
    keys: [key('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')],
  })
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('signs once with each secret while they are rotated', () => {
  const old = key('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
  const next = key('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')
  const sign = (keys: Uint8Array[]) =>
    webhookHeaders({ id: '1-0', now: 1 as Micros, body: '{}', keys })['webhook-signature']
  expect(sign([next, old])).toBe(`${sign([next])} ${sign([old])}`)
  expect(sign([next])).not.toBe(sign([old]))
})
