// The time that a call may still spend waiting.

/**
 * Maximum random time that is added to each wait, so that clients that were refused at the same time do not all retry
 * at the same time.
 */
const JITTER_MILLIS = 500

/** The time that a call may still wait. */
export class Patience {
  leftMillis: number

  constructor(seconds: number) {
    this.leftMillis = seconds * 1_000
  }

  /** Waits, if enough time is left. Returns whether it waited; throws the signal's reason if the signal aborts. */
  async wait(millis: number, signal: AbortSignal | undefined): Promise<boolean> {
    if (millis > this.leftMillis || this.leftMillis <= 0) return false
    const wait = Math.min(millis + Math.random() * JITTER_MILLIS, this.leftMillis)
    this.leftMillis -= wait
    await pause(wait, signal)
    return true
  }
}

function pause(millis: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, millis)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
