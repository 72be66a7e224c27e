/** How the server treats mails, beyond taking them. The first rule that fits a mail decides. */
export interface BehaviourRule {
  /** Only mails to this address; all where it is left out. */
  readonly to?: string
  /** When it happens: at the recipient, or once the message was sent. */
  readonly stage: 'rcpt' | 'data'
  /** Refuses with this code, 400 to 599. */
  readonly reply?: number
  /** Cuts the line, before or after the message was kept. */
  readonly drop?: 'before' | 'after'
  /** Waits so long first. */
  readonly delay_ms?: number
  /** How many mails it concerns; all to come where it is left out. */
  readonly times?: number
  /** From 0 to 1: the share of the mails it concerns; all where it is left out. */
  readonly chance?: number
}

const MAX_DELAY_MS = 600_000

/** The rules, and how often each may still be used. */
export class Behaviour {
  #rules: { readonly rule: BehaviourRule; left: number }[] = []
  readonly #random: () => number

  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  get rules(): readonly BehaviourRule[] {
    return this.#rules.filter(({ left }) => left > 0).map(({ rule }) => rule)
  }

  set(rules: readonly BehaviourRule[]): void {
    this.#rules = rules.map((rule) => ({ rule, left: rule.times ?? Number.POSITIVE_INFINITY }))
  }

  /** What is to be done with a mail that has come to this stage. */
  next(stage: BehaviourRule['stage'], to: readonly string[]): BehaviourRule | null {
    const addresses = to.map((address) => address.toLowerCase())
    for (const one of this.#rules) {
      const { rule, left } = one
      if (rule.stage !== stage || left === 0) continue
      if (rule.to !== undefined && !addresses.includes(rule.to.toLowerCase())) continue
      if (rule.chance !== undefined && this.#random() >= rule.chance) continue
      one.left -= 1
      return rule
    }
    return null
  }
}

/** Rules as they came over the wire; a text says what is wrong with them. */
export function readBehaviour(value: unknown): readonly BehaviourRule[] | string {
  if (!Array.isArray(value)) return 'a list of rules is needed'
  const faults = value.flatMap((rule, index) => faultsOf(rule).map((fault) => `rule ${index}: ${fault}`))
  return faults.length > 0 ? faults.join('; ') : value.map((rule) => ({ stage: 'data', ...rule }))
}

const CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  to: (value) => typeof value === 'string',
  stage: (value) => value === 'rcpt' || value === 'data',
  reply: (value) => isWithin(value, 400, 599),
  drop: (value) => value === 'before' || value === 'after',
  delay_ms: (value) => isWithin(value, 0, MAX_DELAY_MS),
  times: (value) => isWithin(value, 1, Number.MAX_SAFE_INTEGER),
  chance: (value) => typeof value === 'number' && value >= 0 && value <= 1,
}

function faultsOf(rule: unknown): string[] {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) return ['is not an object']
  return Object.entries(rule).flatMap(([key, value]) => {
    const isRight = Object.hasOwn(CHECKS, key) ? CHECKS[key] : undefined
    if (isRight === undefined) return [`${key} is not known`]
    return isRight(value) ? [] : [`${key} cannot be ${JSON.stringify(value)}`]
  })
}

function isWithin(value: unknown, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most
}
