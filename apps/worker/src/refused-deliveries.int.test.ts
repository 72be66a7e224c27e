import type { InboundEventInput } from '@dwell/contracts/events'
import { decideDeliveries } from '@dwell/database/replay-deliveries'
import { useStores } from '@dwell/testing/stores'
import { processBatch } from './process/process-batch'
import { at, CHASE, outgoing } from './testing/conversations'
import { sweeper } from './testing/sweeper'
import { useWorkerParts } from './testing/worker-parts'

const parts = useWorkerParts(useStores())
const CHANGE = { actor: 'admin', now: 0 as never }

test('a message whose text cannot be rendered is never sent, without its content least of all, whoever asks for it again', async () => {
  await parts.rule({
    ...CHASE,
    actions: [
      { action_name: 'send_message', action_params: [`{{ 'now' | date: '%H', contact.custom_attribute.zone }}`] },
      { action_name: 'add_label', action_params: ['chased'] },
    ],
  })
  const contact = { id: 9, custom_attributes: { zone: 'Nowhere/City' } }
  await parts.take({ ...outgoing(501, '10:00'), contact } as InboundEventInput)
  parts.clock.set(at('11:00'))
  const [claim] = await parts.claim()
  if (claim === undefined) throw new Error('no row was due')
  await processBatch(parts.processing(), [claim])

  const message = { id: `${claim.id}-0`, attempts: [] }
  const [refused] = await parts.column('SELECT error FROM action_deliveries WHERE id = $1', [message.id])
  expect(refused).toMatch(/^the text cannot be rendered: /)
  const decision = { accountId: parts.account, executionId: claim.id, deliveries: [message], note: null }
  expect(await decideDeliveries(parts.database, { ...decision, action: 'retry' }, CHANGE)).toEqual([])
  await sweeper(parts)()
  expect(await parts.actions()).toMatchObject([{ action_name: 'add_label' }])
  expect(await decideDeliveries(parts.database, { ...decision, action: 'dismiss' }, CHANGE)).toEqual([message.id])
  await sweeper(parts)()
  expect(await parts.actions()).toHaveLength(1)
})
