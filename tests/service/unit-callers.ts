// Callers that keep two sums: of the units stated in responses, and of the units of requests that got no response.
// Whatever happens to the service, the ledger must have at least the first sum, and at most both sums together.

/** A request and its cost. */
export interface Question {
  readonly path: string
  readonly units: number
}

/** Connections that send one request after the other until they are stopped or the service has ended. */
export class UnitCallers {
  /** Units that were charged according to responses that were read completely. */
  reported = 0
  /** Units of requests that were sent but not answered. */
  unanswered = 0
  calls = 0
  /** Responses with a status other than 200, one line each. */
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

  /** Stops sending. Resolves when nothing is in flight. */
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
      if (question === undefined) throw new Error('there is no request to send')
      this.unanswered += question.units
      let body: { meta?: { units?: number } }
      let status: number
      try {
        const answer = await fetch(base + question.path, { headers: { authorization: `Bearer ${key}` } })
        status = answer.status
        body = JSON.parse(await answer.text())
      } catch {
        return // the service has ended, and may or may not have charged this request
      }
      this.unanswered -= question.units
      this.calls++
      if (status === 200) this.reported += body.meta?.units ?? Number.NaN
      else this.faults.push(`${status} ${JSON.stringify(body)}`)
    }
  }
}
