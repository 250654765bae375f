// Runs work that is requested repeatedly but must not run concurrently.

/** Runs work on request, one run at a time. A failed run does not affect the next one. */
export class Rerun {
  private readonly work: (begin: () => void) => Promise<void>
  private last: Promise<unknown> = Promise.resolve()
  private waiting: Promise<void> | undefined

  /**
   * @param work must call `begin` before it reads data that may change. A request that arrives before that call is
   * covered by this run. A request that arrives after that call causes another run.
   */
  constructor(work: (begin: () => void) => Promise<void>) {
    this.work = work
  }

  /** Whether a run has been requested but has not begun. */
  get isWaiting(): boolean {
    return this.waiting !== undefined
  }

  /** Requests a run. The promise resolves at the end of a run that began after this request. */
  request(): Promise<void> {
    if (this.waiting !== undefined) return this.waiting
    const begin = () => {
      if (this.waiting === run) this.waiting = undefined
    }
    const run = this.last.then(() => this.work(begin)).finally(begin)
    this.waiting = run
    this.last = run.catch(() => undefined) // the caller gets the error; the next run is not affected
    return run
  }
}
