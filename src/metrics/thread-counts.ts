// Response counts of each data thread, in memory shared with the control thread. Each thread writes only its own
// numbers; the control thread sums them on request (service-metrics.ts). Counts by key are not in this memory: each
// thread reports them every ten seconds (server/route-reports.ts).
import { ROUTE_LIST } from '../contract/routes.ts'
import { PROBLEMS, type Reason } from '../http/problem.ts'
import type { AnswerCounts, RouteCount } from '../metering/route-counts.ts'
import { TRUE_CLOCK } from '../system/clock.ts'
import { COUNTS_PER_THREAD } from './count-memory.ts'

/** Label for requests that match no route, because the path is unknown or the method is not allowed. */
const OTHER_ROUTE = 'other'
/** Upper bounds of the response-time buckets, in seconds. One more bucket counts all longer times. */
export const DURATION_BOUNDS_SECONDS: readonly number[] = [
  0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5,
]
/** The status classes by which responses are counted. */
export const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const

/**
 * The `route` label of each counted route, with braces around path parameters, in the order of the counts in memory.
 */
export const COUNTED_ROUTES: readonly string[] = [...ROUTE_LIST.map(({ path }) => toTemplate(path)), OTHER_ROUTE]
const isReason = (word: string): word is Reason => word in PROBLEMS
const REASONS = Object.keys(PROBLEMS).filter(isReason)

const BUCKET_COUNT = DURATION_BOUNDS_SECONDS.length + 1
// Layout of a thread's numbers in memory:
//   routes │ problem reasons │ units │ dropped streams │ loop lag │ last beat │ cut place searches
// Layout of the numbers for one route, in `routes`:
//   status classes │ time buckets │ total milliseconds
const ROUTE_LENGTH = STATUS_CLASSES.length + BUCKET_COUNT + 1
const BUCKETS_AT = STATUS_CLASSES.length
const MILLIS_AT = BUCKETS_AT + BUCKET_COUNT
const REASONS_AT = COUNTED_ROUTES.length * ROUTE_LENGTH
const UNITS_AT = REASONS_AT + REASONS.length
const DROPPED_AT = UNITS_AT + 1
const LAG_AT = DROPPED_AT + 1
const BEAT_AT = LAG_AT + 1
const CUT_AT = BEAT_AT + 1
if (CUT_AT >= COUNTS_PER_THREAD) throw new Error('the counts of a data thread exceed COUNTS_PER_THREAD')

const BOUNDS_MILLIS = DURATION_BOUNDS_SECONDS.map((seconds) => seconds * 1000)
const PLACES = new Map(ROUTE_LIST.map(({ path }, route) => [path, route * ROUTE_LENGTH]))
const OTHER_AT = ROUTE_LIST.length * ROUTE_LENGTH

/** The index of a route in `COUNTED_ROUTES`. @param path its path in the route table; undefined for unknown paths */
export function countedRoute(path: string | undefined): number {
  return ((path === undefined ? undefined : PLACES.get(path)) ?? OTHER_AT) / ROUTE_LENGTH
}

const REASON_PLACES = new Map(REASONS.map((reason, at) => [reason, REASONS_AT + at]))

/** Interval at which the event loop's delay is measured. */
const LAG_TICK_MILLIS = 500
/**
 * Number of measurements whose maximum is reported as the delay. They cover half a minute, so that no delay between two
 * scrapes is missed.
 */
const LAG_TICKS = 60

/** The counts written by one data thread. */
export class ThreadCounts {
  private readonly counts: Float64Array

  /** @param ordinal number of the data thread, from 0 */
  constructor(memory: SharedArrayBuffer, ordinal: number) {
    const bytes = Float64Array.BYTES_PER_ELEMENT
    this.counts = new Float64Array(memory, ordinal * COUNTS_PER_THREAD * bytes, COUNTS_PER_THREAD)
  }

  /**
   * Wraps a handler to count its responses. @param path the handler's path in the route table; undefined for unknown
   * paths
   */
  measured<Call, Peer, Answer extends Response | Promise<Response>>(
    path: string | undefined,
    respond: (call: Call, peer?: Peer) => Answer,
  ): (call: Call, peer?: Peer) => Answer {
    const at = (path === undefined ? undefined : PLACES.get(path)) ?? OTHER_AT
    return (call, peer) => {
      const began = performance.now()
      try {
        const answer = respond(call, peer)
        if (answer instanceof Response) this.note(at, answer.status, performance.now() - began)
        else this.noteLater(at, answer, began)
        return answer
      } catch (error) {
        this.note(at, 500, performance.now() - began)
        throw error
      }
    }
  }

  /** Counts a refused or failed request. */
  refused(reason: Reason): void {
    const place = REASON_PLACES.get(reason)
    if (place !== undefined) this.counts[place]++
  }

  /**
   * Number of responses by this data thread since the service started, including those before a restart of the thread.
   */
  get answers(): number {
    let sum = 0
    for (let at = 0; at < REASONS_AT; at += ROUTE_LENGTH) {
      for (let status = 0; status < STATUS_CLASSES.length; status++) sum += this.counts[at + status]
    }
    return sum
  }

  /**
   * Number of units charged by this data thread since the service started, including those before a restart of the
   * thread.
   */
  get chargedUnits(): number {
    return this.counts[UNITS_AT]
  }

  /** Counts charged units. */
  charged(units: number): void {
    this.counts[UNITS_AT] += units
  }

  /** Counts a stream that was closed because the client did not read it. */
  droppedStream(): void {
    this.counts[DROPPED_AT]++
  }

  /** Counts a place search that was cut short because it reached its work limit. */
  cutPlaceSearch(): void {
    this.counts[CUT_AT]++
  }

  /** Longest delay of this thread's event loop in the last half minute, in seconds. */
  set loopLagSeconds(seconds: number) {
    this.counts[LAG_AT] = seconds
  }

  /** When this thread's event loop last ran the delay measurement, in Unix milliseconds of the system clock. */
  set beatAtMillis(millis: number) {
    this.counts[BEAT_AT] = millis
  }

  private note(at: number, status: number, millis: number): void {
    const { counts } = this
    counts[at + (status < 300 ? 0 : status < 400 ? 1 : status < 500 ? 2 : 3)]++
    let bucket = 0
    while (bucket < BOUNDS_MILLIS.length && millis > BOUNDS_MILLIS[bucket]) bucket++
    counts[at + BUCKETS_AT + bucket]++
    counts[at + MILLIS_AT] += millis
  }

  /** Counts a response once its promise settles; a rejected promise counts as status 500. */
  private noteLater(at: number, answer: Promise<Response>, began: number): void {
    answer.then(
      ({ status }) => this.note(at, status, performance.now() - began),
      () => this.note(at, 500, performance.now() - began),
    )
  }
}

/** One route's counts over all threads. */
export interface RouteCounts {
  readonly route: string
  /** Numbers of responses, in the order of `STATUS_CLASSES`. */
  readonly answers: readonly number[]
  /**
   * Number of responses in each response-time bucket, not cumulative. The last bucket counts the responses above all
   * bounds.
   */
  readonly buckets: readonly number[]
  readonly seconds: number
}

/** The counts of all threads, for the control thread. */
export class SharedCounts {
  private readonly threads: readonly Float64Array[]

  constructor(memory: SharedArrayBuffer) {
    const all = new Float64Array(memory)
    this.threads = Array.from({ length: all.length / COUNTS_PER_THREAD }, (_, ordinal) =>
      all.subarray(ordinal * COUNTS_PER_THREAD, (ordinal + 1) * COUNTS_PER_THREAD),
    )
  }

  listRoutes(): RouteCounts[] {
    return COUNTED_ROUTES.map((route, number) => {
      const at = number * ROUTE_LENGTH
      return {
        route,
        answers: STATUS_CLASSES.map((_, status) => this.sum(at + status)),
        buckets: Array.from({ length: BUCKET_COUNT }, (_, bucket) => this.sum(at + BUCKETS_AT + bucket)),
        seconds: this.sum(at + MILLIS_AT) / 1000,
      }
    })
  }

  listRefusals(): { readonly reason: Reason; readonly count: number }[] {
    return REASONS.map((reason, at) => ({ reason, count: this.sum(REASONS_AT + at) }))
  }

  get units(): number {
    return this.sum(UNITS_AT)
  }

  get droppedStreams(): number {
    return this.sum(DROPPED_AT)
  }

  get cutPlaceSearches(): number {
    return this.sum(CUT_AT)
  }

  /** The longest recent delay of each thread's event loop, in seconds. */
  listLoopLags(): number[] {
    return this.threads.map((counts) => counts[LAG_AT])
  }

  /** For each thread, when its event loop was last measured, in Unix milliseconds of the system clock; 0 if never. */
  listBeats(): number[] {
    return this.threads.map((counts) => counts[BEAT_AT])
  }

  private sum(at: number): number {
    return this.threads.reduce((sum, counts) => sum + counts[at], 0)
  }
}

function toTemplate(path: string): string {
  return path.replace(/:([a-z_]+)/g, '{$1}')
}

/** Measures the delay of this thread's event loop until `close` is called. */
export function watchLoopLag(counts: Pick<ThreadCounts, 'loopLagSeconds' | 'beatAtMillis'>): { close(): void } {
  const lags = new Float64Array(LAG_TICKS)
  let tick = 0
  let dueMillis = performance.now() + LAG_TICK_MILLIS
  const timer = setInterval(() => {
    const now = performance.now()
    lags[tick++ % LAG_TICKS] = Math.max(0, now - dueMillis)
    dueMillis = now + LAG_TICK_MILLIS
    counts.loopLagSeconds = Math.max(...lags) / 1000
    counts.beatAtMillis = TRUE_CLOCK.nowMillis()
  }, LAG_TICK_MILLIS)
  return { close: () => clearInterval(timer) }
}

/** Number of status classes in `AnswerCounts`. */
const CLASS_COUNT = 4
const NO_COUNTS = new Uint32Array(0)

/** The index in `AnswerCounts` for a status code. */
export function classOfStatus(status: number): number {
  if (status < 400) return 0
  return status === 429 ? 2 : status >= 500 ? 3 : 1
}

/**
 * Counts the responses of one data thread by key and route. Counting one response takes a few nanoseconds
 * (bench/metering.ts).
 */
export class RouteTally {
  private readonly routes: readonly string[]
  /** Key id → the counts of all routes, one after another. For each route, there is one count for each status class. */
  private counts = new Map<string, Uint32Array>()
  /** The key of the last response. The next response is usually for the same key. */
  private lastKey = ''
  private lastCounts: Uint32Array = NO_COUNTS

  /** @param routes the path templates; the `route` of `note` is an index into this list */
  constructor(routes: readonly string[]) {
    this.routes = routes
  }

  /** Counts a response. @param answerClass the index of its status class in `AnswerCounts` */
  note(keyId: string, route: number, answerClass: number): void {
    const counts = keyId === this.lastKey ? this.lastCounts : this.countsOf(keyId)
    counts[route * CLASS_COUNT + answerClass]++
  }

  /** Returns the counts since the last `take`, and resets them. */
  take(): RouteCount[] {
    const taken: RouteCount[] = []
    for (const [keyId, counts] of this.counts) {
      for (const [number, route] of this.routes.entries()) {
        const [answered = 0, refused = 0, overLimit = 0, failed = 0] = counts.subarray(number * CLASS_COUNT)
        const answers: AnswerCounts = [answered, refused, overLimit, failed]
        if (answers.some((count) => count > 0)) taken.push({ keyId, route, answers })
      }
    }
    this.counts = new Map()
    this.lastKey = ''
    this.lastCounts = NO_COUNTS
    return taken
  }

  private countsOf(keyId: string): Uint32Array {
    let counts = this.counts.get(keyId)
    if (counts === undefined) {
      counts = new Uint32Array(this.routes.length * CLASS_COUNT)
      this.counts.set(keyId, counts)
    }
    this.lastKey = keyId
    this.lastCounts = counts
    return counts
  }
}
