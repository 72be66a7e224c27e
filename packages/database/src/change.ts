import type { Micros } from '@dwell/contracts/instant'

/** Who changes something, and when: every write of the administration is told, and notes it in the audit log. */
export interface Change {
  /** `admin`, or an account token by id and name. */
  readonly actor: string
  readonly now: Micros
}
