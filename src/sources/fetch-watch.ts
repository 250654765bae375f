// Time limits for one request: total deadline, idle timeout and minimum speed.
import { DownloadFailed, describeSource } from './download-failed.ts'

/** How often the speed is checked. */
const PACE_MILLIS = 1_000

/** The URL of the watched request, and its time limits. */
export interface WatchBounds {
  readonly url: string
  readonly deadlineMillis: number
  readonly idleMillis: number
  readonly slowest?: { readonly bytesPerSecond: number; readonly overMillis: number }
}

/** Enforces the time limits of one request. */
export class FetchWatch {
  private readonly bounds: WatchBounds
  private readonly controller = new AbortController()
  private readonly deadline: ReturnType<typeof setTimeout>
  private idle: ReturnType<typeof setTimeout>
  private readonly pacing: ReturnType<typeof setInterval> | undefined
  private readonly endMillis: number
  private receivedBytes = 0
  /**
   * Samples of the number of bytes received so far, oldest first. The samples cover the period over which the speed is
   * averaged.
   */
  private readonly progress: { readonly atMillis: number; readonly bytes: number }[] = []
  /** Why the request was aborted, worded as the end of a sentence; undefined if it was not aborted. */
  private lateness: string | undefined

  constructor(bounds: WatchBounds) {
    const { deadlineMillis, idleMillis, slowest } = bounds
    this.bounds = bounds
    this.endMillis = performance.now() + deadlineMillis
    this.deadline = setTimeout(() => this.expire(), deadlineMillis)
    this.idle = setTimeout(() => this.expire(), idleMillis)
    if (slowest !== undefined) {
      this.progress.push({ atMillis: performance.now(), bytes: 0 })
      this.pacing = setInterval(() => this.checkPace(slowest), Math.min(PACE_MILLIS, slowest.overMillis / 4))
    }
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  /**
   * Wraps a promise that the abort signal cannot cancel. The returned promise rejects as soon as the request times out.
   */
  race<Result>(work: Promise<Result>): Promise<Result> {
    const { signal } = this
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('timed out')), { once: true })
      work.then(resolve, reject)
    })
  }

  /** Counts received body bytes, and restarts the idle timeout. */
  touch(bytes = 0): void {
    this.receivedBytes += bytes
    clearTimeout(this.idle)
    if (!this.controller.signal.aborted) this.idle = setTimeout(() => this.expire(), this.bounds.idleMillis)
  }

  /** Throws if the deadline has passed. The timer alone is not enough, because it fires late on a busy thread. */
  check(): void {
    if (performance.now() <= this.endMillis) return
    this.expire()
    throw new Error('the deadline has passed')
  }

  /** Stops the timers and aborts the request. */
  end(): void {
    clearTimeout(this.deadline)
    clearTimeout(this.idle)
    clearInterval(this.pacing)
    this.controller.abort()
  }

  /** Converts a request error to a DownloadFailed. Its message contains no secrets. */
  explain(error: unknown): DownloadFailed {
    if (error instanceof DownloadFailed) return error
    const host = describeSource(this.bounds.url)
    if (this.lateness !== undefined) return new DownloadFailed('fetch_timeout', `${host} ${this.lateness}`)
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    return new DownloadFailed('fetch_failed', `${host} closed the connection or could not be reached${code}`)
  }

  private checkPace({ bytesPerSecond, overMillis }: NonNullable<WatchBounds['slowest']>): void {
    const now = performance.now()
    const { progress, receivedBytes } = this
    while ((progress[1]?.atMillis ?? now) <= now - overMillis) progress.shift()
    const [oldest] = progress
    progress.push({ atMillis: now, bytes: receivedBytes })
    if (oldest === undefined || oldest.atMillis > now - overMillis) return
    const wantedBytes = (bytesPerSecond * (now - oldest.atMillis)) / 1000
    if (receivedBytes - oldest.bytes >= wantedBytes) return
    this.expire(`sends less than ${bytesPerSecond} bytes a second`)
  }

  private expire(lateness = 'did not respond in time'): void {
    this.lateness ??= lateness
    this.controller.abort()
  }
}
