// Gives back the memory of what was replaced. A mapped snapshot lives until the last view of it is collected, and a
// thread at rest, or one that allocates little, may not collect for a long time.

/** Answers that began before the replacement are sent by then. */
const SETTLE_MILLIS = 1_000

/** Collects once, a while after it was asked to; asked again in between, still once. */
export class MemorySweeper {
  private timer: ReturnType<typeof setTimeout> | undefined

  sweepSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      Bun.gc(true)
    }, SETTLE_MILLIS)
    this.timer.unref()
  }
}
