import { useStores } from '@dwell/testing/stores'
import { compareTogether } from './comparison'
import type { History } from './history'
import { Product } from './product'

/** For the top of a test file: a product on stores of its own. It is there inside hooks and tests. */
export function useProduct(): () => Product {
  const stores = useStores()
  let product: Product | undefined
  beforeAll(() => {
    product = new Product(stores)
    stores.closeBefore(() => product?.close())
  })
  return () => {
    if (product === undefined) throw new Error('The product is there inside hooks and tests, not before')
    return product
  }
}

/** Product and model make the same of a history, to its end. */
export async function agree(product: Product, history: History): Promise<void> {
  const [result] = await compareTogether(product, [history])
  expect(result).toMatchObject({ difference: null, gap: null })
}
