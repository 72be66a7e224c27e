/** What became of one input: its result, or the error that its caller gets. */
export type Coalesced<Output> = Output | Error

/**
 * Gathers what is asked for one by one and does it in batches: everything that comes while a batch is under way makes up the
 * next ones. So batches grow with the load, and a single request waits for nothing but the turn of the event loop.
 */
export class Coalescer<Input, Output> {
  private readonly waiting: {
    readonly input: Input
    readonly resolve: (output: Output) => void
    readonly reject: (error: unknown) => void
  }[] = []
  private underWay = 0
  private scheduled = false

  /** @param run answers one outcome per input, in order; if it rejects, all of its inputs do */
  constructor(
    private readonly run: (inputs: readonly Input[]) => Promise<readonly Coalesced<Output>[]>,
    private readonly limits: { readonly batchSize: number; readonly batchesAtOnce: number },
  ) {}

  do(input: Input): Promise<Output> {
    return new Promise<Output>((resolve, reject) => {
      this.waiting.push({ input, resolve, reject })
      this.schedule()
    })
  }

  private schedule(): void {
    if (this.scheduled || this.waiting.length === 0 || this.underWay >= this.limits.batchesAtOnce) return
    this.scheduled = true
    // After all that this turn of the event loop brings.
    setImmediate(() => {
      this.scheduled = false
      void this.runBatch()
      this.schedule()
    })
  }

  private async runBatch(): Promise<void> {
    const batch = this.waiting.splice(0, this.limits.batchSize)
    this.underWay += 1
    try {
      const outcomes = await this.run(batch.map(({ input }) => input))
      batch.forEach(({ resolve, reject }, i) => {
        const outcome = outcomes[i]
        if (outcome === undefined) reject(new Error('the batch answered too little'))
        else if (outcome instanceof Error) reject(outcome)
        else resolve(outcome)
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      this.underWay -= 1
      this.schedule()
    }
  }
}
