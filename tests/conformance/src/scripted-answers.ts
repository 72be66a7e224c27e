/** An answer that a case has prepared; without `times` it holds from now on. */
interface Scripted {
  readonly times?: number
}

/** What the player's servers answer next: first what was prepared for a number of times, then what holds from now on. */
export class ScriptedAnswers<A extends Scripted> {
  private counted: { answer: A; left: number }[] = []
  private standing: A[] = []

  add(answer: A): void {
    if (answer.times === undefined) this.standing.unshift(answer)
    else this.counted.push({ answer, left: answer.times })
  }

  clear(): void {
    this.counted = []
    this.standing = []
  }

  /** Uses up one time of the answer that it returns. Of those that hold from now on, the youngest wins. */
  next(fits: (answer: A) => boolean): A | undefined {
    const counted = this.counted.find(({ answer, left }) => left > 0 && fits(answer))
    if (counted) {
      counted.left -= 1
      return counted.answer
    }
    return this.standing.find(fits)
  }
}
