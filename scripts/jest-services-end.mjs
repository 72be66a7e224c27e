// After the last integration or end-to-end test: ends what jest-services.mjs has started.
export default async function tearDown() {
  await globalThis.dwellTestServers?.stopAll()
  globalThis.dwellTestServers = undefined
}
