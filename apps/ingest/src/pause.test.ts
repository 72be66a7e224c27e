import type { Logger } from '@dwell/runtime/logger'
import type { IngestMetrics } from './ingest-metrics'
import { Pause, Stopped } from './pause'

function pause() {
  const told: string[] = []
  const logger = {
    warn: (_: string, fields: { reason: string }) => told.push(`paused ${fields.reason}`),
    info: (_: string, fields: { reason: string }) => told.push(`resumed ${fields.reason}`),
  } as unknown as Logger
  const metrics = { paused: () => undefined, resumed: () => undefined } as unknown as IngestMetrics
  const stop = new AbortController()
  return { one: new Pause(logger, metrics, stop.signal), told, stop }
}

describe('a pause', () => {
  test('is told of once when it begins and once when it ends', async () => {
    const { one, told } = pause()
    let failures = 2
    const attempt = async () => {
      if (failures-- > 0) throw new Error('away')
      return 'done'
    }
    expect(await one.until('redis', attempt)).toBe('done')
    expect(told).toEqual(['paused redis', 'resumed redis'])
    expect(await one.until('redis', attempt)).toBe('done')
    expect(told).toHaveLength(2)
  })

  test('is no cure for what is not an outage', async () => {
    const { one, told } = pause()
    const fault = new Error('fault')
    await expect(
      one.until(
        'database',
        () => Promise.reject(fault),
        (error) => error !== fault,
      ),
    ).rejects.toBe(fault)
    expect(told).toEqual([])
  })

  test('ends with the process, in the middle of waiting', async () => {
    const { one, stop } = pause()
    const waiting = one.until('database', () => Promise.reject(new Error('away')))
    setImmediate(() => stop.abort())
    await expect(waiting).rejects.toBeInstanceOf(Stopped)
  })
})
