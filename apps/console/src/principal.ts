import type { TokenRole } from '@dwell/contracts/rest/account-tokens'

/** Who asks. */
export type Principal =
  | { readonly kind: 'admin' }
  | {
      readonly kind: 'account'
      readonly tokenId: number
      readonly accountId: number
      readonly name: string
      readonly role: TokenRole
    }

/** Least rights that a call needs; each has those before it. `anyone` needs no token. */
const RIGHTS = ['anyone', 'agent', 'administrator', 'admin'] as const
export type Rights = (typeof RIGHTS)[number]

export function hasRights(principal: Principal, needed: Rights): boolean {
  const held = principal.kind === 'admin' ? 'admin' : principal.role
  return RIGHTS.indexOf(held) >= RIGHTS.indexOf(needed)
}

/** As the audit log names them. */
export function actorOf(principal: Principal): string {
  return principal.kind === 'admin' ? 'admin' : `token ${principal.tokenId} (${principal.name})`
}
