import { useProduct } from './agree'
import { play } from './play'
import { asTest } from './shrink'

const product = useProduct()

/** `npm run model` plays many more. */
test.each([
  ['known', 1, 200],
  ['new', Math.floor(Math.random() * 1_000_000_000), 100],
])(
  'product and model agree on %s histories (seed %d)',
  async (_, seed, histories) => {
    const { found } = await play(product(), { seed, histories, shrinks: true, log: () => undefined })
    if (found === null) return
    const test = found.history === null ? '' : asTest(`seed ${seed}`, found.history)
    throw new Error(`They differ: ${JSON.stringify(found.difference, null, 2)}\n${test}`)
  },
  300_000,
)
