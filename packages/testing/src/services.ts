/**
 * The servers that integration tests share. `scripts/jest-services.mjs` starts them and names them here before the
 * first test runs; every test file makes itself a database and takes a Redis database of its own from them.
 */
export function testServers(): { readonly postgresUrl: string; readonly redisUrl: string } {
  const { DWELL_TEST_POSTGRES_URL: postgresUrl, DWELL_TEST_REDIS_URL: redisUrl } = process.env
  if (!postgresUrl || !redisUrl) throw new Error('Only tests of the kinds integration and e2e have Postgres and Redis')
  return { postgresUrl, redisUrl }
}
