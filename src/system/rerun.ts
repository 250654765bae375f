// Work that is asked for again and again and runs one at a time.

/** Runs work when asked, never twice at once. A run that fails leaves nothing behind: the next one begins as usual. */
export class Rerun {
  private readonly work: (begin: () => void) => Promise<void>
  private last: Promise<unknown> = Promise.resolve()
  private waiting: Promise<void> | undefined

  /** @param work calls `begin` when it starts to look at what may change: whoever asks before that shares its run */
  constructor(work: (begin: () => void) => Promise<void>) {
    this.work = work
  }

  /** A run was asked for and has not begun. */
  get isWaiting(): boolean {
    return this.waiting !== undefined
  }

  /** Settles with a run that begins from now on. */
  ask(): Promise<void> {
    if (this.waiting !== undefined) return this.waiting
    const begin = () => {
      if (this.waiting === run) this.waiting = undefined
    }
    const run = this.last.then(() => this.work(begin)).finally(begin)
    this.waiting = run
    this.last = run.catch(() => undefined) // whoever asked is told; the next run doesn't fail for it
    return run
  }
}
