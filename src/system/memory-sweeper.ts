// Gives back memory that nobody needs any more: of what was replaced, and of what a busy time has left behind. An engine
// that allocates little collects little, so a thread at rest would keep it for as long as nobody asks.

/** Answers that began before a replacement are sent by then. */
const SETTLE_MILLIS = 1_000

/**
 * Collects once, a while after it was asked to; asked again in between, still once. A mapped snapshot lives until the
 * last view of it is collected.
 */
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

const TICK_MILLIS = 1_000
/** Ticks without work after which nobody is kept waiting by a collection (10 to 50 ms). */
const IDLE_TICKS = 5
/** Less work than this leaves nothing worth a collection. */
const LEAST_WORK = 200

/**
 * Collects once after each busy time of this thread, when nothing was done for some seconds.
 * @param workDone how much was done since the start: answers, plans
 */
export function sweepWhenIdle(workDone: () => number, collect = () => Bun.gc(true)): { close(): void } {
  let seen = workDone()
  let swept = seen
  let idleTicks = 0
  const timer = setInterval(() => {
    const done = workDone()
    idleTicks = done === seen ? idleTicks + 1 : 0
    seen = done
    if (idleTicks < IDLE_TICKS || done - swept < LEAST_WORK) return
    swept = done
    collect()
  }, TICK_MILLIS)
  timer.unref()
  return { close: () => clearInterval(timer) }
}
