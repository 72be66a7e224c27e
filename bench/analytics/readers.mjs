// Concurrent readers of the console: each asks again as soon as it is answered.
import { Agent, request } from 'node:http'

export const READERS = 8

/**
 * @param {string} url the console's
 * @param {string} token
 */
export function connectReaders(url, token) {
  const agent = new Agent({ keepAlive: true, maxSockets: READERS })
  const { hostname, port } = new URL(url)

  /** @returns {Promise<{status: number, body: string}>} */
  const ask = (path) =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` }
      const sent = request({ agent, hostname, port, path: `/api/v1${path}`, headers }, (answer) => {
        let body = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk) => {
          body += chunk
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }))
        answer.on('error', reject)
      })
      sent.on('error', reject)
      sent.end()
    })

  /** The answer's JSON; whatever is not answered 200 is an error. */
  async function get(path) {
    const { status, body } = await ask(path)
    if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${body.slice(0, 300)}`)
    return JSON.parse(body)
  }

  /**
   * All readers go through the paths, over and over. The first round of each path is not counted.
   *
   * @param {readonly string[]} paths
   * @param {{seconds: number, leastRequests?: number}} limits
   * @returns {Promise<number[]>} milliseconds per answer
   */
  async function measure(paths, { seconds, leastRequests = 40 }) {
    for (const path of paths) await get(path)
    const times = []
    let next = 0
    const until = performance.now() + seconds * 1_000
    const isOver = () => performance.now() > until && times.length >= leastRequests
    await Promise.all(
      Array.from({ length: READERS }, async () => {
        while (!isOver()) {
          const path = paths[next++ % paths.length] ?? ''
          const began = performance.now()
          const { status, body } = await ask(path)
          if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${body.slice(0, 300)}`)
          times.push(performance.now() - began)
        }
      }),
    )
    return times
  }

  return { get, measure, close: () => agent.destroy() }
}

/** @param {readonly number[]} values @param {number} share */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
