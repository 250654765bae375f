// Polls one GTFS-Realtime feed. Uses conditional requests, respects a size limit and a request budget, and backs off
// exponentially after failures. Passes each new body to `onBody`; stores no data itself.

import type { LastError } from '../networks/network.ts'
import { ACCEPTED_CODINGS } from '../sources/body-decoding.ts'
import { DownloadFailed, describeSource } from '../sources/download-failed.ts'
import { fetchGuarded, readRetryAfter } from '../sources/guarded-fetch.ts'
import { isWebAddress } from '../sources/source-stamp.ts'
import { TRUE_CLOCK } from '../system/clock.ts'
import { MemorySweeper } from '../system/memory-sweeper.ts'
import { FeedFile } from './feed-file.ts'
import type { CallBudget, FeedProblem, FeedSource, FeedSourceParts, SourceStatus } from './feed-source.ts'

/**
 * Time limit for the whole response, including headers and body. If the polling interval is shorter, the interval is
 * the limit.
 */
const DEADLINE_MILLIS = 10_000
/** Maximum size of a GTFS-Realtime message. */
export const MESSAGE_BYTES = 64 * 1024 * 1024
/** The wait after the first failure. It doubles with each further failure, up to the longest wait. */
const BACK_OFF_SHORTEST_MILLIS = 2_000
const BACK_OFF_LONGEST_MILLIS = 5 * 60_000
/** The range by which waits vary at random, as a share of the wait, so that feeds are not all due at once. */
const JITTER = 0.1
/**
 * Longest Retry-After that is respected. A longer one is shortened, because it is probably a mistake and would stop the
 * feed until a restart.
 */
const RETRY_AFTER_LONGEST_MILLIS = 86_400_000
/** Longest delay that a timer supports. With a longer delay, the timer would fire immediately. */
const TIMER_LONGEST_MILLIS = 2 ** 31 - 1

/**
 * Reasons for failures in which a response was discarded unread. In these cases the upstream is working, so the feed is
 * polled at its normal interval.
 */
const REFUSALS = ['too_large', 'unknown_coding']
/** Frees the memory of discarded bodies; one sweeper for all pollers of a thread. */
const SWEEPER = new MemorySweeper()

/** Dependencies of a poller. */
export interface PollerParts extends FeedSourceParts {
  readonly budget: CallBudget | undefined
}

/** Polls one feed until it is closed. */
export class FeedPoller implements FeedSource {
  /** Time of the last successful fetch: service time in Unix milliseconds. */
  fetchedAtMillis: number | undefined
  /** The last failure. It stays set after a later success. */
  lastError: LastError | undefined
  private readonly parts: PollerParts
  private readonly file: FeedFile | undefined
  private failures = 0
  /** Whether the last failure has one of the reasons in REFUSALS. */
  private isRefused = false
  private retryAfterMillis = 0
  private conditions: Record<string, string> = {}
  private conditionsFor = ''
  /** Hash of the last usable body. */
  private bodyHash: bigint | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private isClosed = false

  constructor(parts: PollerParts) {
    this.parts = parts
    const { url } = parts.order
    this.file = isWebAddress(url) ? undefined : new FeedFile(url, MESSAGE_BYTES)
  }

  /** Whether the last fetch succeeded. */
  get isWell(): boolean {
    return this.failures === 0
  }

  get status(): SourceStatus {
    const { fetchedAtMillis, lastError, isWell } = this
    const backOffMillis = isWell ? 0 : this.waitMillis(0)
    return { fetchedAtMillis, lastError, isWell, backOffMillis, budget: this.parts.budget?.status() }
  }

  start(): void {
    void this.run()
  }

  close(): void {
    this.isClosed = true
    clearTimeout(this.timer)
  }

  /** Makes the next fetch return a body, even an unchanged one. */
  forget(): void {
    this.conditions = {}
    this.bodyHash = undefined
    this.file?.forget()
  }

  /** Fetches once, unless the request budget is used up. */
  async poll(): Promise<void> {
    try {
      if (this.file === undefined && !(await this.mayAsk())) return
      const body = this.file === undefined ? await this.fetchBody() : await this.file.read()
      if (this.isClosed) return
      const problem = this.take(body)
      if (problem === undefined) this.succeed()
      else this.fail(problem.reason, problem.message, 0)
    } catch (error) {
      if (!(error instanceof DownloadFailed)) throw error
      this.fail(error.reason, error.message, error.retryAfterMillis ?? 0)
    }
    if (!this.isClosed) this.parts.onFetched()
  }

  /** The wait before the next fetch, in milliseconds. @param chance see `waitBefore` */
  waitMillis(chance: number): number {
    const { failures, isRefused, retryAfterMillis } = this
    const { order, budget } = this.parts
    const intervalMillis = order.intervalSeconds * 1000
    const budgetMillis = this.file === undefined ? (budget?.waitMillis() ?? 0) : 0
    return waitBefore({ intervalMillis, failures, isRefused, retryAfterMillis, budgetMillis }, chance)
  }

  private async run(): Promise<void> {
    await this.poll()
    if (!this.isClosed) this.timer = setTimeout(() => void this.run(), this.waitMillis(Math.random()))
  }

  /**
   * Counts a request against the budget. Returns false if the budget is used up. Throws DownloadFailed if the request
   * cannot be counted, because an uncounted request must not be made.
   */
  private async mayAsk(): Promise<boolean> {
    try {
      return (await this.parts.budget?.take()) ?? true
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      throw new DownloadFailed(
        'budget_not_counted',
        `its count of requests cannot be saved (${String(error.code)}), so the feed is not fetched`,
      )
    }
  }

  /**
   * Passes a body to `onBody`, unless it is the same as the last usable body. Returns why the body is unusable, or
   * undefined if it is usable.
   */
  private take(body: Uint8Array | undefined): FeedProblem | undefined {
    const hash = body === undefined ? this.bodyHash : Bun.hash.wyhash(body)
    if (body === undefined || hash === this.bodyHash) {
      this.parts.onSame()
      return undefined
    }
    const problem = this.parts.onBody(body)
    if (problem === undefined) this.bodyHash = hash
    return problem
  }

  private succeed(): void {
    this.failures = 0
    this.retryAfterMillis = 0
    this.fetchedAtMillis = this.parts.clock.nowMillis()
  }

  private fail(reason: string, message: string, retryAfterMillis: number): void {
    const { id } = this.parts.order
    this.failures++
    this.isRefused = REFUSALS.includes(reason)
    if (this.isRefused) SWEEPER.sweepNext() // frees the memory of the discarded body, up to 64 MB
    this.retryAfterMillis = retryAfterMillis
    // The next fetch must return a body: the upstream may correct an unusable body without changing its ETag or
    // Last-Modified.
    this.conditions = {}
    this.file?.forget()
    const shown = `feed ${id}: ${message}`
    this.lastError = { atMillis: this.parts.clock.nowMillis(), source: id, reason, message: shown }
  }

  /** The body; undefined if it has not changed. Throws DownloadFailed. */
  private async fetchBody(): Promise<Uint8Array | undefined> {
    const { order } = this.parts
    const deadlineMillis = Math.min(DEADLINE_MILLIS, order.intervalSeconds * 1000)
    const conditionsAt = (url: string) => (url === this.conditionsFor ? this.conditions : {})
    const answer = await fetchGuarded({
      url: order.url,
      headers: { 'accept-encoding': ACCEPTED_CODINGS, ...order.headers },
      headersFor: conditionsAt,
      deadlineMillis,
      idleMillis: deadlineMillis,
      maxBytes: MESSAGE_BYTES,
      mayFollow: () => this.mayAsk(),
    })
    if (answer.status === 304 && Object.keys(conditionsAt(answer.url)).length > 0) {
      answer.dismiss()
      return undefined
    }
    if (answer.status !== 200) {
      answer.dismiss()
      const retryAfter = readRetryAfter(answer.headers.get('retry-after'), TRUE_CLOCK.nowMillis())
      const message = `${describeSource(order.url)} responded with status ${answer.status}`
      throw new DownloadFailed(`http_${answer.status}`, message, retryAfter)
    }
    const chunks: Uint8Array[] = []
    for await (const chunk of answer.chunks()) chunks.push(chunk)
    this.conditions = conditionsOf(answer.headers)
    this.conditionsFor = answer.url
    return Buffer.concat(chunks)
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

/** The values that determine a wait. Times are in milliseconds. */
export interface WaitReasons {
  readonly intervalMillis: number
  /** Failures since the last success. */
  readonly failures: number
  /**
   * Whether the last response was discarded unread, for example because it was too large. The upstream is working then,
   * and its next response may be readable.
   */
  readonly isRefused: boolean
  /** The Retry-After of the upstream's last response; 0 if it had none. */
  readonly retryAfterMillis: number
  /** Shortest wait that the budget requires; 0 if it requires none. */
  readonly budgetMillis: number
}

/**
 * The wait before the next fetch, in milliseconds.
 * @param chance random number from 0 to 1 that sets the jitter. Jitter shortens or lengthens the polling interval, but
 * only lengthens a wait after a failure
 */
export function waitBefore(reasons: WaitReasons, chance: number): number {
  const { intervalMillis, failures, isRefused, retryAfterMillis, budgetMillis } = reasons
  const backOff = Math.min(BACK_OFF_SHORTEST_MILLIS * 2 ** (failures - 1), BACK_OFF_LONGEST_MILLIS)
  const requested = Math.min(retryAfterMillis, RETRY_AFTER_LONGEST_MILLIS)
  const wait =
    failures === 0 || isRefused
      ? intervalMillis * (1 + JITTER * (chance - 0.5))
      : Math.max(backOff, requested) * (1 + JITTER * chance)
  return Math.min(Math.max(wait, budgetMillis), TIMER_LONGEST_MILLIS)
}
