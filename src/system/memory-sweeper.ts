// Collects garbage after data was replaced and after busy times. A thread that allocates little is rarely collected, so
// an idle thread would keep the memory.

/** After this time, all responses that were started before a replacement have been sent. */
const SETTLE_MILLIS = 1_000

/**
 * Collects garbage once, some time after the request. Requests in the meantime are merged. A mapped snapshot lives
 * until its last view is collected.
 */
export class MemorySweeper {
  private timer: ReturnType<typeof setTimeout> | undefined

  /** @param settleMillis how long the garbage may still be in use */
  sweepSoon(settleMillis = SETTLE_MILLIS): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      Bun.gc(true)
    }, settleMillis)
    this.timer.unref()
  }
}

/** Data with fewer rows leaves too little garbage to be worth a collection. */
const LEAST_ROWS = 250_000

/**
 * Returns a function that an import calls between its steps: it collects garbage, to keep the peak of memory low. For
 * little data, it does nothing. @param rows approximate number of stop times, addresses or nodes
 */
export function collectBetweenSteps(rows: number): () => void {
  return rows < LEAST_ROWS ? () => undefined : () => Bun.gc(true)
}

const TICK_MILLIS = 1_000
/** After this many idle ticks, a collection (10 to 50 ms) is unlikely to delay a request. */
const IDLE_TICKS = 5
/** If less work than this was done since the last collection, there is too little garbage. */
const LEAST_WORK = 200

/**
 * Collects garbage once after each busy time of this thread, when it has been idle for some seconds. @param workDone
 * total work since the start: responses, plans
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
