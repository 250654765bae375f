// A client that sends requests at a steady pace, even if responses are late. The duration of a request is measured from
// the time when the request was due.

/** What the client has measured. */
export interface PacedReading {
  readonly count: number
  /** Descriptions of failed requests: no response, a status other than 200, or a response that the check rejects. */
  readonly failures: readonly string[]
  readonly p99Millis: number
  /** Duration of each request in milliseconds, sorted. */
  readonly millis: readonly number[]
}

/** What to request, and at what pace. */
export interface PacedQuestions {
  readonly base: string
  readonly key: string
  readonly paths: readonly string[]
  readonly perSecond: number
  /** Returns what is wrong with a response; undefined if nothing is. */
  readonly check: (text: string) => string | undefined
}

/** A client that sends requests until it is stopped. */
export class PacedClient {
  private readonly questions: PacedQuestions
  private readonly millis: number[] = []
  private readonly failures: string[] = []
  private readonly open = new Set<Promise<void>>()
  private isRunning = true
  private readonly running: Promise<void>

  constructor(questions: PacedQuestions) {
    this.questions = questions
    this.running = this.run()
  }

  async stop(): Promise<PacedReading> {
    this.isRunning = false
    await this.running
    await Promise.all(this.open)
    const sorted = this.millis.toSorted((a, b) => a - b)
    const p99Millis = sorted[Math.floor(sorted.length * 0.99)] ?? 0
    return { count: sorted.length, failures: this.failures, p99Millis, millis: sorted }
  }

  private async run(): Promise<void> {
    const { paths, perSecond } = this.questions
    const started = performance.now()
    for (let number = 0; this.isRunning; number++) {
      const due = started + (number * 1000) / perSecond
      const wait = due - performance.now()
      if (wait > 1) await Bun.sleep(wait)
      const requested = this.ask(paths[number % paths.length] ?? '', due)
      this.open.add(requested)
      void requested.then(() => this.open.delete(requested))
    }
  }

  private async ask(path: string, due: number): Promise<void> {
    const { base, key, check } = this.questions
    try {
      const answer = await fetch(base + path, { headers: { authorization: `Bearer ${key}` } })
      const text = await answer.text()
      const wrong = answer.status === 200 ? check(text) : `status ${answer.status}: ${text}`
      if (wrong !== undefined) this.failures.push(`${path}: ${wrong}`)
    } catch (error) {
      this.failures.push(`${path}: ${error}`)
    }
    this.millis.push(performance.now() - due)
  }
}
