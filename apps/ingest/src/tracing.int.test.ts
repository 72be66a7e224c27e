import type { InboundEventInput } from '@dwell/contracts/events'
import { createPool } from '@dwell/database/pool'
import { conversationEvent } from '@dwell/testing/event-builder'
import { seedAccount, seedRule, seenExecutions } from '@dwell/testing/seeds'
import { useStores } from '@dwell/testing/stores'
import { startTraceCollector } from '@dwell/testing/trace-collector'
import { Upstream } from '@dwell/testing/upstream'
import { waitFor } from '@dwell/testing/wait-for'
import { startIngest } from './testing/running-ingest'

const stores = useStores()

test('ingest traces its batches, and a batch leads back to the traces of its events', async () => {
  const pool = createPool({ connectionString: stores.databaseUrl, max: 2, applicationName: 'test' })
  const upstream = new Upstream(stores.redisUrl)
  const collector = await startTraceCollector()
  try {
    const account = await seedAccount(pool)
    await seedRule(pool, account)
    const event = conversationEvent('conversation_updated', {
      account_id: account,
      at: '2026-09-01T10:00:00.000000Z',
      conversation: { id: 101, status: 'pending' },
    })
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    await upstream.publish([{ ...event, traceparent: `00-${traceId}-b7ad6b7169203331-01` } as InboundEventInput])
    const ingest = await startIngest(stores, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
    await waitFor('the row', async () => (await seenExecutions(pool, account)).length === 1)
    await ingest.stop()
    const batch = collector.spans.find(({ name }) => name === 'ingest batch')
    expect(batch?.links).toEqual([{ traceId, spanId: 'b7ad6b7169203331' }])
    expect(batch?.attributes).toContainEqual({ key: 'messaging.batch.message_count', value: { intValue: '1' } })
  } finally {
    await Promise.all([pool.end(), upstream.close(), collector.close()])
  }
})
