export interface RedisNode {
  readonly host: string
  readonly port: number
}

interface RedisCredentials {
  readonly username?: string
  readonly password?: string
  readonly tls: boolean
}

/** Where Redis is, in one of the three shapes that a deployment may have. */
export type RedisTarget =
  | (RedisCredentials & RedisNode & { readonly kind: 'single'; readonly db: number })
  | (RedisCredentials & {
      readonly kind: 'sentinel'
      readonly sentinels: readonly RedisNode[]
      readonly name: string
      readonly db: number
      readonly sentinelPassword?: string
    })
  | (RedisCredentials & { readonly kind: 'cluster'; readonly nodes: readonly RedisNode[] })

const DEFAULT_PORT = { single: 6379, sentinel: 26379, cluster: 6379 } as const
const REDIS_URL = /^redis(s?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/?#]*)@)?([^/?#@]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/i

/**
 * Reads the forms that `REDIS_URL` may have (a second `s` means TLS to the data nodes and sentinels):
 * - `redis[s]://[user:password@]host[:port][/database]`
 * - `redis[s]+sentinel://[user:password@]host[:port],…/master-name[/database][?sentinel_password=…]`
 * - `redis[s]+cluster://[user:password@]host[:port],…`
 *
 * Throws an Error whose message says what is wrong without repeating the password.
 */
export function parseRedisUrl(text: string): RedisTarget {
  const match = REDIS_URL.exec(text)
  if (!match)
    throw new Error(
      'must look like redis://host:6379, rediss://…, redis+sentinel://h1,h2/name or redis+cluster://h1,h2',
    )
  const [, secure = '', form, userinfo = '', hosts = '', path = '', query = ''] = match
  const kind = (form?.toLowerCase() ?? 'single') as RedisTarget['kind']
  const nodes = hosts.split(',').map((host) => parseNode(host, DEFAULT_PORT[kind]))
  const credentials = { tls: secure !== '', ...parseUserinfo(userinfo) }
  const segments = path.split('/').filter((segment) => segment !== '')

  if (kind === 'sentinel') {
    const [name, db, ...rest] = segments
    if (name === undefined || rest.length > 0)
      throw new Error('a sentinel form ends with /master-name or /master-name/database')
    const sentinelPassword = new URLSearchParams(query).get('sentinel_password')
    return {
      kind,
      sentinels: nodes,
      name: decode(name),
      db: parseDatabase(db),
      ...credentials,
      ...(sentinelPassword === null ? {} : { sentinelPassword }),
    }
  }
  if (kind === 'cluster') {
    if (segments.length > 0 && segments[0] !== '0') throw new Error('a cluster has no numbered databases')
    return { kind, nodes, ...credentials }
  }
  const [node, ...others] = nodes
  if (node === undefined || others.length > 0) throw new Error('several hosts need the +sentinel or +cluster form')
  if (segments.length > 1) throw new Error('the path may only be the number of a database')
  return { kind, ...node, db: parseDatabase(segments[0]), ...credentials }
}

function parseNode(text: string, defaultPort: number): RedisNode {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]\s]+)(?::(\d{1,5}))?$/i.exec(text)
  const port = Number(match?.[2] ?? defaultPort)
  if (!match?.[1] || port < 1 || port > 65_535) throw new Error(`${JSON.stringify(text)} is not host or host:port`)
  return { host: match[1].replace(/^\[|\]$/g, ''), port }
}

function parseUserinfo(text: string): { username?: string; password?: string } {
  if (text === '') return {}
  const colon = text.indexOf(':')
  // `redis://secret@host` is a habit of some providers; a user name alone would authenticate nothing.
  if (colon < 0) return { password: decode(text) }
  const username = decode(text.slice(0, colon))
  const password = decode(text.slice(colon + 1))
  return { ...(username === '' ? {} : { username }), ...(password === '' ? {} : { password }) }
}

function parseDatabase(text: string | undefined): number {
  if (text === undefined) return 0
  if (!/^\d{1,5}$/.test(text)) throw new Error('the database must be a number')
  return Number(text)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('user name, password and names must be percent-encoded')
  }
}
