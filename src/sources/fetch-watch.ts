// The clock of one request: ends it when it takes too long in all, stops moving, or only drips.
import { DownloadFailed, describeSource } from './download-failed.ts'

/** How often the pace is looked at. */
const PACE_MILLIS = 1_000

/** What is watched, and how long it may take. */
export interface WatchBounds {
  readonly url: string
  readonly deadlineMillis: number
  readonly idleMillis: number
  readonly slowest?: { readonly bytesPerSecond: number; readonly overMillis: number }
}

/** The clock of one request. */
export class FetchWatch {
  private readonly bounds: WatchBounds
  private readonly controller = new AbortController()
  private readonly deadline: ReturnType<typeof setTimeout>
  private idle: ReturnType<typeof setTimeout>
  private readonly pacing: ReturnType<typeof setInterval> | undefined
  private readonly endMillis: number
  private receivedBytes = 0
  /** What had come at earlier instants, oldest first: as far back as the pace is an average over. */
  private readonly progress: { readonly atMillis: number; readonly bytes: number }[] = []
  /** Why the clock ended the request: the end of a sentence. */
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

  /** Something that the signal does not end: what it comes to, or a failure when the clock runs out first. */
  race<Result>(work: Promise<Result>): Promise<Result> {
    const { signal } = this
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('the clock ran out')), { once: true })
      work.then(resolve, reject)
    })
  }

  /** Something came: so many bytes of the body. */
  touch(bytes = 0): void {
    this.receivedBytes += bytes
    clearTimeout(this.idle)
    if (!this.controller.signal.aborted) this.idle = setTimeout(() => this.expire(), this.bounds.idleMillis)
  }

  /** Throws when the deadline has passed: on a busy thread its timer comes late. */
  check(): void {
    if (performance.now() <= this.endMillis) return
    this.expire()
    throw new Error('the deadline has passed')
  }

  /** Stops the clock, and whatever may still be coming. */
  end(): void {
    clearTimeout(this.deadline)
    clearTimeout(this.idle)
    clearInterval(this.pacing)
    this.controller.abort()
  }

  /** What was thrown, as a failure without anything secret in it. */
  explain(error: unknown): DownloadFailed {
    if (error instanceof DownloadFailed) return error
    const host = describeSource(this.bounds.url)
    if (this.lateness !== undefined) return new DownloadFailed('fetch_timeout', `${host} ${this.lateness}`)
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    return new DownloadFailed('fetch_failed', `${host} could not be reached, or broke off${code}`)
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

  private expire(lateness = 'did not answer in time'): void {
    this.lateness ??= lateness
    this.controller.abort()
  }
}
