import { RuleBooks } from '@dwell/database/rule-books'

/**
 * Rule books that let something else happen between loading a row and judging it: the first call runs the first of these,
 * the second the second, and so on. That is where a slow worker is "still evaluating".
 */
export class GatedBooks extends RuleBooks {
  /** How often rows were judged. */
  judgements = 0
  private readonly meanwhile: readonly (() => Promise<unknown>)[]

  constructor(...meanwhile: readonly (() => Promise<unknown>)[]) {
    super()
    this.meanwhile = meanwhile
  }

  override async at(...args: Parameters<RuleBooks['at']>): ReturnType<RuleBooks['at']> {
    const books = await super.at(...args)
    const between = this.meanwhile[this.judgements]
    this.judgements += 1
    await between?.()
    return books
  }
}
