// After the last test of the web interface: stops the product that was started for them.
export default async function tearDown() {
  await globalThis.dwellProduct?.stopAll()
  globalThis.dwellProduct = undefined
}
