import { type Account, findAccount } from '@dwell/database/accounts'
import type { Change } from '@dwell/database/change'
import type { Request, Response } from 'express'
import { z } from 'zod'
import type { Dependencies } from './dependencies'
import { type BodyReader, parse, readBody } from './http/body'
import { forbidden, notFound } from './http/problem'
import { authenticate } from './middleware/authenticate'
import { actorOf, hasRights, type Principal, type Rights } from './principal'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What describes an endpoint: routing, rights and the OpenAPI document all come from here. */
export interface EndpointDescription {
  readonly method: Method
  /** Below `/api/v1`, in OpenAPI's spelling: `/accounts/{account_id}/tokens/{id}`. */
  readonly path: `/${string}`
  /** Name of the operation, unique. */
  readonly operation: string
  readonly tag: string
  readonly summary: string
  readonly rights: Rights
  readonly query?: z.ZodObject
  readonly body?: BodyReader<unknown>
  readonly answer: { readonly status: number; readonly description: string; readonly schema?: z.ZodType }
  /** Further problems it may answer, by status. */
  readonly problems?: Readonly<Record<number, string>>
}

export interface Endpoint extends EndpointDescription {
  /** Runs the call; answers the body, or undefined for none. Throws a `Problem`. */
  readonly run: (request: Request, response: Response, deps: Dependencies) => Promise<unknown>
}

/** A call as its handler sees it: who asks has the right to, what it names exists, what it says is well formed. */
export interface Call<Q = unknown, B = unknown, F = unknown> {
  readonly deps: Dependencies
  readonly principal: Principal
  readonly change: Change
  readonly params: Readonly<Record<string, string>>
  readonly query: Q
  readonly body: B
  readonly found: F
  /** Of the request; names in lower case. */
  readonly header: (name: string) => string | undefined
  /** Of the answer. */
  readonly setHeader: (name: string, value: string) => void
}

export interface AccountCall<Q = unknown, B = unknown, F = unknown> extends Call<Q, B, F> {
  readonly account: Account
}

type Named = Pick<Call, 'deps' | 'params'>

interface Specification<Q extends z.ZodObject, B, A extends z.ZodType> {
  readonly method: Method
  readonly path: `/${string}`
  readonly operation: string
  readonly tag: string
  readonly summary: string
  readonly query?: Q
  readonly body?: BodyReader<B>
  readonly answer: { readonly status: number; readonly description: string; readonly schema?: A }
  readonly problems?: Readonly<Record<number, string>>
}

/** An endpoint of the installation: only for the admin token. */
export function installationEndpoint<
  F,
  B = undefined,
  Q extends z.ZodObject = z.ZodObject<Record<never, never>>,
  A extends z.ZodType = z.ZodUndefined,
>(
  specification: Specification<Q, B, A> & {
    /** Looks up what the path names; null answers 404. */
    readonly find?: (named: Named) => Promise<F | null>
    readonly handle: (call: Call<z.output<Q>, B, F>) => Promise<z.input<A>>
  },
): Endpoint {
  const { find, handle, ...description } = specification
  return {
    ...(description as Omit<EndpointDescription, 'rights'>),
    rights: 'admin',
    async run(request, response, deps) {
      const principal = await admit(request, deps, 'admin')
      const named = { deps, params: paramsOf(request) }
      const found = await look(find === undefined ? undefined : () => find(named))
      const spoken = await read(specification, request, response, named)
      return handle({
        ...named,
        ...spoken,
        ...headersOf(request, response),
        found,
        principal,
        change: await changeBy(principal, deps),
      })
    },
  }
}

/** An endpoint of one account: for its own tokens, for reading unless said otherwise those of agents too. */
export function accountEndpoint<
  F,
  B = undefined,
  Q extends z.ZodObject = z.ZodObject<Record<never, never>>,
  A extends z.ZodType = z.ZodUndefined,
>(
  specification: Specification<Q, B, A> & {
    readonly path: `/accounts/{account_id}${string}`
    readonly rights?: Rights
    readonly find?: (named: Named & { readonly account: Account }) => Promise<F | null>
    readonly handle: (call: AccountCall<z.output<Q>, B, F>) => Promise<z.input<A>>
  },
): Endpoint {
  const {
    find,
    handle,
    rights = specification.method === 'GET' ? 'agent' : 'administrator',
    ...description
  } = specification
  return {
    ...(description as Omit<EndpointDescription, 'rights'>),
    rights,
    async run(request, response, deps) {
      const principal = await admit(request, deps, rights)
      const params = paramsOf(request)
      const account = await look(() => accountFor(principal, params, deps))
      const named = { deps, params, account }
      const found = await look(find === undefined ? undefined : () => find(named))
      const spoken = await read(specification, request, response, named)
      return handle({
        ...named,
        ...spoken,
        ...headersOf(request, response),
        found,
        principal,
        change: await changeBy(principal, deps),
      })
    },
  }
}

/** The id that a path parameter holds; 404 when it cannot be one. */
export function idIn(params: Readonly<Record<string, string>>, name = 'id'): number {
  const text = params[name] ?? ''
  const id = Number(text)
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(id)) throw notFound()
  return id
}

async function admit(request: Request, deps: Dependencies, rights: Rights): Promise<Principal> {
  const principal = await authenticate(request, deps)
  if (hasRights(principal, rights)) return principal
  throw forbidden(
    rights === 'admin' ? 'Only the admin token may do this.' : 'A token of the role agent may read, not change.',
  )
}

/** To a token of another account the account does not exist. */
async function accountFor(
  principal: Principal,
  params: Readonly<Record<string, string>>,
  deps: Dependencies,
): Promise<Account | null> {
  const id = idIn(params, 'account_id')
  if (principal.kind === 'account' && principal.accountId !== id) return null
  return findAccount(deps.pool, id)
}

async function look<F>(find: (() => Promise<F | null>) | undefined): Promise<F> {
  if (find === undefined) return undefined as F
  const found = await find()
  if (found === null) throw notFound()
  return found
}

async function read<Q extends z.ZodObject, B, A extends z.ZodType>(
  specification: Specification<Q, B, A>,
  request: Request,
  response: Response,
  { deps, params }: Named,
): Promise<{ query: z.output<Q>; body: B }> {
  const query = parse(specification.query ?? z.object({}), request.query) as z.output<Q>
  if (specification.body === undefined) return { query, body: undefined as B }
  const received = await readBody(request, response, deps.config.maxBodyBytes)
  return { query, body: specification.body.read(received, params) }
}

async function changeBy(principal: Principal, deps: Dependencies): Promise<Change> {
  return { actor: actorOf(principal), now: await deps.clock.now() }
}

function headersOf(request: Request, response: Response): Pick<Call, 'header' | 'setHeader'> {
  return { header: (name) => request.get(name), setHeader: (name, value) => void response.set(name, value) }
}

function paramsOf(request: Request): Readonly<Record<string, string>> {
  return request.params as Readonly<Record<string, string>>
}
