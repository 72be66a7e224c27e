import type { Micros } from '@dwell/contracts/instant'
import type { Queryable } from '../pool'

// A deleted member is nobody: a later sign-up under the same id begins anew. The revision tells a worker that judges the
// member at this moment to judge again.
const OPT_OUT = `
  UPDATE members SET opted_out_at = greatest(opted_out_at, dwell_instant($3)), revision = revision + 1
  WHERE account_id = $1 AND id = $2 AND NOT gone`

/**
 * Takes back a member's consent to automations' e-mails; their newsletters stay as they are. It holds until the upstream
 * application reports that they changed their mind. Does nothing where there is no such member.
 */
export async function optOutMember(db: Queryable, accountId: number, memberId: string, at: Micros): Promise<void> {
  await db.query({ name: 'opt-out-member', text: OPT_OUT, values: [accountId, memberId, at] })
}
