// Callers who keep count: of the units they were told, and of those they asked for and heard nothing of. What a ledger
// must lie between, whatever happens to the service in the middle.

/** A question and what it costs. */
export interface Question {
  readonly path: string
  readonly units: number
}

/** Many connections that ask without a pause until they are stopped, or the service is no more. */
export class UnitCallers {
  /** Units of the answers that were read to their end. */
  told = 0
  /** Units of questions that were sent and not answered. */
  unanswered = 0
  calls = 0
  /** What was answered besides 200, a line each. */
  readonly faults: string[] = []
  private isOver = false
  private readonly done: Promise<unknown>

  constructor(
    service: { readonly base: string; readonly key: string },
    questions: readonly Question[],
    connections: number,
  ) {
    const callers = Array.from({ length: connections }, (_, first) => this.call(service, questions, first))
    this.done = Promise.all(callers)
  }

  /** Asks nothing more; settles once nothing is under way. */
  async stop(): Promise<void> {
    this.isOver = true
    await this.done
  }

  private async call(
    { base, key }: { base: string; key: string },
    questions: readonly Question[],
    first: number,
  ): Promise<void> {
    for (let number = first; !this.isOver; number++) {
      const question = questions[number % questions.length]
      if (question === undefined) throw new Error('there is nothing to ask')
      this.unanswered += question.units
      let body: { meta?: { units?: number } }
      let status: number
      try {
        const answer = await fetch(base + question.path, { headers: { authorization: `Bearer ${key}` } })
        status = answer.status
        body = JSON.parse(await answer.text())
      } catch {
        return // the service is gone; what it did of this question stays unknown
      }
      this.unanswered -= question.units
      this.calls++
      if (status === 200) this.told += body.meta?.units ?? Number.NaN
      else this.faults.push(`${status} ${JSON.stringify(body)}`)
    }
  }
}
