// Collects garbage after data has been replaced and after busy times. The engine rarely collects the garbage of a
// thread that allocates little, so an idle thread would keep its garbage. The engine also counts mapped snapshots as
// part of the heap. On a thread with hundreds of networks, it would therefore collect garbage only after gigabytes have
// accumulated.
import { edenGC } from 'bun:jsc'

/** Minimum time between two regular collections, as a multiple of the first collection's duration. */
const REST_DURATIONS = 100
/** Enough time to send all responses that were started before the data was replaced. */
const SETTLE_MILLIS = 1_000

/**
 * Collects garbage once, some time after one of its methods is called. Further calls before this collection cause no
 * second one. A mapped snapshot stays in memory until its last view is collected.
 */
export class MemorySweeper {
  private timer: ReturnType<typeof setTimeout> | undefined
  /** Time at which the timer fires. */
  private dueMillis = 0
  private sweptMillis = Number.NEGATIVE_INFINITY
  /** Duration of the last collection. */
  private durationMillis = 0
  private readonly collect: () => void

  constructor(collect = () => Bun.gc(true)) {
    this.collect = collect
  }

  /**
   * Schedules a collection for data that has been replaced but may still be in use by a request.
   * @param restMillis minimum time since the last collection
   */
  sweepSoon(restMillis = 0): void {
    this.sweepIn(Math.max(SETTLE_MILLIS, this.sweptMillis + restMillis - performance.now()))
  }

  /**
   * Schedules a collection for a thread that often replaces its data. However often this is called, collections take
   * about a hundredth of the thread's time.
   */
  sweepRegularly(): void {
    this.sweepSoon(this.durationMillis * REST_DURATIONS)
  }

  /** Schedules a collection after the current task, for data that is no longer in use. */
  sweepNext(): void {
    this.sweepIn(0)
  }

  private sweepIn(millis: number): void {
    const dueMillis = performance.now() + millis
    if (this.timer !== undefined && this.dueMillis <= dueMillis) return
    clearTimeout(this.timer)
    this.dueMillis = dueMillis
    this.timer = setTimeout(() => {
      this.timer = undefined
      const startMillis = performance.now()
      this.collect()
      this.sweptMillis = performance.now()
      this.durationMillis = this.sweptMillis - startMillis
    }, millis)
    this.timer.unref()
  }
}

/** An import with fewer rows leaves too little garbage for a collection between its steps. */
const LEAST_ROWS = 250_000

/**
 * Returns a function that an import calls between its steps. The function collects garbage, to keep peak memory use
 * low. For imports with little data, it does nothing.
 * @param rows approximate number of stop times, addresses or nodes
 */
export function collectBetweenSteps(rows: number): () => void {
  return rows < LEAST_ROWS ? () => undefined : () => Bun.gc(true)
}

/**
 * Collects a thread's garbage after and during busy times.
 * @param workDone returns the total work since the start: 1 for each response, about 25 for each planned request
 */
export function sweepThread(workDone: () => number): void {
  sweepWhenIdle(workDone)
  sweepYoung(workDone)
}

const TICK_MILLIS = 1_000
/**
 * After this many successive ticks without work, a collection is unlikely to delay a request. A collection takes 10 to
 * 50 ms.
 */
const IDLE_TICKS = 5
/** Minimum work since the last collection. Less work leaves too little garbage to collect. */
const LEAST_WORK = 200

/**
 * Collects garbage once after each busy time of this thread, when the thread has been idle for some seconds.
 * @param workDone returns the total work since the start, for example the number of responses or of planned requests
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

const YOUNG_MILLIS = 5_000
/** Minimum work between two collections of recent garbage. */
const LEAST_YOUNG_WORK = 50

/**
 * While requests arrive, regularly collects the garbage that recent requests left. A collection takes 1 to 7 ms,
 * because it does not examine objects that survived an earlier collection.
 * @param workDone as for sweepWhenIdle
 */
export function sweepYoung(workDone: () => number, collect: () => void = edenGC): { close(): void } {
  let swept = workDone()
  const timer = setInterval(() => {
    const done = workDone()
    if (done - swept < LEAST_YOUNG_WORK) return
    swept = done
    collect()
  }, YOUNG_MILLIS)
  timer.unref()
  return { close: () => clearInterval(timer) }
}
