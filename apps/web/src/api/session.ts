import { queryOptions, useQuery } from '@tanstack/react-query'
import { setServerNow } from '../time/now'
import { answerOf, api } from './client'
import { isProblem } from './problem'

export interface Session {
  readonly role: 'admin' | 'administrator' | 'agent'
  readonly name: string
  /** The one account that the token speaks for; null for the admin token, which speaks for all. */
  readonly account_id: number | null
  /** The server's time is set by hand: it jumps. */
  readonly test_clock: boolean
}

const EVERY_MINUTE = 60_000
const TEST_CLOCK_MS = 3_000

/** Who is signed in; null when nobody is. Asked again every minute: it also tells what the server takes for now. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<Session | null> => {
    try {
      return keepTime((await answerOf(api.GET('/session'))).payload)
    } catch (error) {
      if (isProblem(error, 401)) return null
      throw error
    }
  },
  staleTime: EVERY_MINUTE,
  refetchInterval: ({ state }) => (state.data?.test_clock ? TEST_CLOCK_MS : EVERY_MINUTE),
})

export async function signIn(token: string): Promise<Session> {
  return keepTime((await answerOf(api.POST('/session', { body: { token } }))).payload)
}

export async function signOut(): Promise<void> {
  await answerOf(api.DELETE('/session'))
}

function keepTime<T extends Session & { readonly now: string }>(session: T): T {
  setServerNow(session.now)
  return session
}

/** For views that are shown to people who are signed in. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery)
  return data ?? { role: 'agent', name: '', account_id: null, test_clock: false }
}

export interface Rights {
  /** Rules, automations and the like of the account may be changed; an agent reads only. */
  readonly mayChange: boolean
  /** The admin token: what belongs to the installation. */
  readonly isAdmin: boolean
}

export function useRights(): Rights {
  const { role } = useSession()
  return { mayChange: role !== 'agent', isAdmin: role === 'admin' }
}
