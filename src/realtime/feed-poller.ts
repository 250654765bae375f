// Fetches one GTFS-Realtime feed again and again: conditionally, within bounds and budget, ever more slowly while it
// fails. What it brings is handed on; it keeps no data itself.
import { readFile, stat } from 'node:fs/promises'
import type { Clock } from '../clock.ts'
import { isErrno } from '../errno.ts'
import type { LastError } from '../network.ts'
import { isWebAddress } from '../networks/source-stamp.ts'
import { DownloadFailed, describeSource, fetchGuarded, readRetryAfter } from '../sources/guarded-fetch.ts'
import type { LiveFeedOrder } from './live-messages.ts'
import type { FeedBudget } from './upstream-budget.ts'

/** For headers and body together; shorter where the interval is. */
const DEADLINE_MILLIS = 10_000
const MAX_BYTES = 64 * 1024 * 1024
/** Wait after the first failure; doubled with each further one. */
const BACK_OFF_SHORTEST_MILLIS = 2_000
const BACK_OFF_LONGEST_MILLIS = 5 * 60_000
/** Waits differ by up to this share, so that many feeds do not come due together. */
const JITTER = 0.1

/** What becomes of a fetch. */
export interface PollerParts {
  readonly order: LiveFeedOrder
  readonly budget: FeedBudget | undefined
  /** Service time. */
  readonly clock: Clock
  /** Takes a new body; why it cannot be used, where it cannot. */
  readonly onBody: (bytes: Uint8Array) => { readonly reason: string; readonly message: string } | undefined
  /** Called after each fetch. */
  readonly onFetched: () => void
}

/** Polls one feed until it is closed. */
export class FeedPoller {
  /** When it was last fetched without a failure, in service time; milliseconds after 1970. */
  fetchedAtMillis: number | undefined
  lastError: LastError | undefined
  private readonly parts: PollerParts
  private failures = 0
  private retryAfterMillis = 0
  private conditions: Record<string, string> = {}
  private conditionsFor = ''
  private fileStamp = ''
  private timer: ReturnType<typeof setTimeout> | undefined
  private isClosed = false

  constructor(parts: PollerParts) {
    this.parts = parts
  }

  start(): void {
    void this.poll()
  }

  close(): void {
    this.isClosed = true
    clearTimeout(this.timer)
  }

  private async poll(): Promise<void> {
    const { order, budget } = this.parts
    const isWeb = isWebAddress(order.url)
    if (isWeb && budget !== undefined && !budget.take()) return this.schedule()
    try {
      const body = isWeb ? await this.fetchBody() : await this.readFile()
      const problem = body === undefined ? undefined : this.parts.onBody(body)
      if (problem === undefined) this.succeed()
      else this.fail(problem.reason, problem.message)
    } catch (error) {
      if (!(error instanceof DownloadFailed)) throw error
      this.retryAfterMillis = error.retryAfterMillis ?? 0
      this.fail(error.reason, error.message)
    }
    if (this.isClosed) return
    this.parts.onFetched()
    this.schedule()
  }

  private succeed(): void {
    this.failures = 0
    this.retryAfterMillis = 0
    this.fetchedAtMillis = this.parts.clock.nowMillis()
    this.lastError = undefined
  }

  private fail(reason: string, message: string): void {
    this.failures++
    // The same body must be looked at again, should it be mended without a new mark.
    this.conditions = {}
    this.fileStamp = ''
    this.lastError = { atMillis: this.parts.clock.nowMillis(), source: this.parts.order.id, reason, message }
  }

  private schedule(): void {
    if (this.isClosed) return
    this.timer = setTimeout(() => void this.poll(), this.waitMillis())
  }

  private waitMillis(): number {
    const { order, budget } = this.parts
    const interval = order.intervalSeconds * 1000
    const backOff = Math.min(BACK_OFF_SHORTEST_MILLIS * 2 ** (this.failures - 1), BACK_OFF_LONGEST_MILLIS)
    const usual = this.failures === 0 ? interval : Math.max(backOff, this.retryAfterMillis)
    const jittered = usual * (1 + JITTER * (Math.random() - 0.5))
    return Math.max(jittered, budget?.waitMillis() ?? 0)
  }

  /** The body, or undefined where it has not changed. Throws DownloadFailed. */
  private async fetchBody(): Promise<Uint8Array | undefined> {
    const { order } = this.parts
    const deadlineMillis = Math.min(DEADLINE_MILLIS, order.intervalSeconds * 1000)
    const answer = await fetchGuarded({
      url: order.url,
      headers: { 'accept-encoding': 'gzip', ...order.headers },
      headersFor: (url) => (url === this.conditionsFor ? this.conditions : {}),
      deadlineMillis,
      idleMillis: deadlineMillis,
      maxBytes: MAX_BYTES,
    })
    if (answer.status === 304) {
      answer.dismiss()
      return undefined
    }
    if (answer.status !== 200) {
      answer.dismiss()
      const retryAfter = readRetryAfter(answer.headers.get('retry-after'), Date.now())
      const message = `${describeSource(order.url)} answered with the status ${answer.status}`
      throw new DownloadFailed(`http_${answer.status}`, message, retryAfter)
    }
    const chunks: Uint8Array[] = []
    for await (const chunk of answer.chunks()) chunks.push(chunk)
    this.conditions = conditionsOf(answer.headers)
    this.conditionsFor = answer.url
    return Buffer.concat(chunks)
  }

  private async readFile(): Promise<Uint8Array | undefined> {
    const { url } = this.parts.order
    try {
      const { mtimeMs, size, ino } = await stat(url)
      const stamp = `${ino} ${size} ${mtimeMs}`
      if (stamp === this.fileStamp) return undefined
      if (size > MAX_BYTES) throw new DownloadFailed('too_large', `${url} has more than ${MAX_BYTES} bytes`)
      const bytes = await readFile(url)
      this.fileStamp = stamp
      return bytes
    } catch (error) {
      if (isErrno(error, 'ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR')) {
        throw new DownloadFailed('fetch_failed', `${url} cannot be read`)
      }
      throw error
    }
  }
}

function conditionsOf(headers: Headers): Record<string, string> {
  const etag = headers.get('etag')
  const modified = headers.get('last-modified')
  return {
    ...(etag === null ? {} : { 'if-none-match': etag }),
    ...(modified === null ? {} : { 'if-modified-since': modified }),
  }
}
