import type { InboundEventInput } from '@dwell/contracts/events'
import { setTestClock } from '@dwell/runtime/clock'
import { instant } from '@dwell/testing/fixed-clock'
import { useStores } from '@dwell/testing/stores'
import { startTraceCollector } from '@dwell/testing/trace-collector'
import { at, pending } from './testing/conversations'
import { openQueues, startWorker } from './testing/running-worker'
import { useWorkerParts } from './testing/worker-parts'

const stores = useStores()
const parts = useWorkerParts(stores)
const TRACE = '0af7651916cd43dd8448eb211c80319c'

test('a worker traces its sweeps and batches, and a batch leads back to the traces of the events of its rows', async () => {
  const collector = await startTraceCollector()
  const queues = openQueues(stores.redisUrl)
  try {
    await parts.rule()
    const traced = { ...pending(101), traceparent: `00-${TRACE}-b7ad6b7169203331-01` } as InboundEventInput
    await parts.take(traced, pending(102))
    await setTestClock(parts.redis, instant(at('11:00')))
    const worker = await startWorker(stores, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
    await queues.sweepNow()
    await worker.stop()
    const names = collector.spans.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['sweep request', 'settle settle', 'process batch']))
    const links = collector.spans.filter(({ name }) => name === 'process batch').flatMap((span) => span.links)
    expect(links).toEqual([{ traceId: TRACE, spanId: 'b7ad6b7169203331' }])
  } finally {
    await queues.close()
    await collector.close()
  }
})
