import { parseArgs } from 'node:util'
import { createTestDatabase } from '@dwell/testing/database'
import { takeTestRedis } from '@dwell/testing/redis-database'
import { type Findings, play } from './play'
import { Product } from './product'
import { asTest } from './shrink'

const USAGE = `npm run model -- [options]
  --histories N   how many; 20000 unless given
  --seed N        the same seed makes the same histories; random unless given
  --planted       instead: plants faults in the product, one after the other, and says after how many histories each is found
  --fault NAME    with this one fault planted`

/** Exit code 0 where product and model agree, 1 where they do not. */
export async function main(args: readonly string[], log: (text: string) => void): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      histories: { type: 'string', default: '20000' },
      seed: { type: 'string' },
      planted: { type: 'boolean' },
      fault: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    log(USAGE)
    return 0
  }
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000_000))
  const histories = Number(values.histories)
  const [database, redis] = await Promise.all([createTestDatabase(), takeTestRedis()])
  const product = new Product({ databaseUrl: database.url, redisUrl: redis.url })
  try {
    const began = performance.now()
    const findings = await play(product, { seed, histories, shrinks: values.fault === undefined, log })
    const seconds = (performance.now() - began) / 1_000
    return report(findings, { seed, seconds, log })
  } finally {
    await product.close()
    await Promise.all([database.drop(), redis.release()])
  }
}

function report(
  { played, rows, gaps, found }: Findings,
  { seed, seconds, log }: { seed: number; seconds: number; log: (text: string) => void },
): number {
  log('')
  for (const [kind, count] of [...rows].sort()) log(`${String(count).padStart(8)}  ${kind}`)
  if (gaps.size > 0) log('\nLeft early, where the documents do not decide:')
  for (const [gap, count] of [...gaps].sort()) log(`${String(count).padStart(8)}  ${gap}`)
  const pace = `${seconds.toFixed(0)} s, ${((seconds * 1_000) / played).toFixed(1)} ms each`
  if (found === null) {
    log(`\nseed ${seed}: ${played} histories without a difference, ${pace}`)
    return 0
  }
  const { difference, history } = found
  log(`\nseed ${seed}: history ${found.index + 1} of ${played} differs (${difference.what}), ${pace}`)
  log(`product: ${JSON.stringify(difference.product, null, 2)}`)
  log(`model: ${JSON.stringify(difference.model, null, 2)}`)
  if (history !== null) log(`\n${asTest('…', history)}`)
  return 1
}
