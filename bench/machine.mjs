// What was measured on.
import { cpus, totalmem } from 'node:os'
import pg from 'pg'

/** @param {string} databaseUrl @param {string} redisUrl @returns {Promise<string[]>} */
export async function describeMachine(databaseUrl, redisUrl) {
  const { Redis } = await import('ioredis')
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query('SHOW server_version')
  await client.end()
  const redis = new Redis(redisUrl)
  const version = /redis_version:(\S+)/.exec(await redis.info('server'))?.[1]
  redis.disconnect()
  const [first] = cpus()
  return [
    `${cpus().length} × ${first?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `Node ${process.versions.node}, PostgreSQL ${rows[0].server_version.split(' ')[0]} (durable commits), Redis ${version} (append-only file, every second)`,
    'everything on the same machine, one process of each application',
  ]
}
