// Gives back what a busy time has left behind. An engine that allocates nothing collects nothing, so a thread would keep
// the garbage of its last load for as long as nobody asks.

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
