import type { SupportEvent } from '@dwell/contracts/events'
import { changedAttributesOf } from './facts'

describe('what an event changed', () => {
  const changed = (changed_attributes: object | undefined) =>
    changedAttributesOf({ event: 'conversation_updated', changed_attributes } as SupportEvent)

  test('is known under the names that conditions use: labels come as labels or label_list', () => {
    expect(changed({ label_list: [['a'], ['b']], status: ['open', 'pending'] })).toEqual({
      labels: [['a'], ['b']],
      status: ['open', 'pending'],
    })
    expect(changed({ labels: [['a'], ['b']] })).toEqual({ labels: [['a'], ['b']] })
    expect(changed({ status: ['open', 'pending'] })).toEqual({ status: ['open', 'pending'] })
  })

  test('labels win where a host sends both', () => {
    expect(changed({ labels: [['a'], ['b']], label_list: [['x'], ['y']] })).toEqual({ labels: [['a'], ['b']] })
  })

  test('is null where the host does not say', () => {
    expect(changed(undefined)).toBeNull()
  })
})
