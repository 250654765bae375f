// What a data thread counts of its answers, in memory it shares with the control thread: an addition to a number of its
// own for each fact. Nobody else writes there; the control thread adds the threads up when it is asked (service-metrics.ts).
import { ROUTE_LIST } from '../contract/routes.ts'
import { PROBLEMS, type Reason } from '../http/problem.ts'
import { TRUE_CLOCK } from '../system/clock.ts'
import { COUNTS_PER_THREAD } from './count-memory.ts'

/** What the paths of no route are counted under: unknown addresses and other methods. */
const OTHER_ROUTE = 'other'
/** Upper bounds of the times that answers take, in seconds; what takes longer falls behind the last. */
export const DURATION_BOUNDS_SECONDS: readonly number[] = [
  0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5,
]
/** Classes of the status of an answer. */
export const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const

/** Paths as they are labeled, with braces around the ids, by their place in the memory. */
export const COUNTED_ROUTES: readonly string[] = [...ROUTE_LIST.map(({ path }) => toTemplate(path)), OTHER_ROUTE]
const isReason = (word: string): word is Reason => word in PROBLEMS
const REASONS = Object.keys(PROBLEMS).filter(isReason)

const BUCKET_COUNT = DURATION_BOUNDS_SECONDS.length + 1
// A thread: routes │ reasons of refusals │ units │ streams dropped │ loop lag │ last beat.
// A route: classes of status │ buckets of time │ milliseconds in all.
const ROUTE_LENGTH = STATUS_CLASSES.length + BUCKET_COUNT + 1
const BUCKETS_AT = STATUS_CLASSES.length
const MILLIS_AT = BUCKETS_AT + BUCKET_COUNT
const REASONS_AT = COUNTED_ROUTES.length * ROUTE_LENGTH
const UNITS_AT = REASONS_AT + REASONS.length
const DROPPED_AT = UNITS_AT + 1
const LAG_AT = DROPPED_AT + 1
const BEAT_AT = LAG_AT + 1
if (BEAT_AT >= COUNTS_PER_THREAD) throw new Error('what a data thread counts does not fit its memory')

const BOUNDS_MILLIS = DURATION_BOUNDS_SECONDS.map((seconds) => seconds * 1000)
const PLACES = new Map(ROUTE_LIST.map(({ path }, route) => [path, route * ROUTE_LENGTH]))
const OTHER_AT = ROUTE_LIST.length * ROUTE_LENGTH
const REASON_PLACES = new Map(REASONS.map((reason, at) => [reason, REASONS_AT + at]))

/** The worst of the last half minute is shown: two scrapes see it. */
const LAG_TICK_MILLIS = 500
const LAG_TICKS = 60

/** The counts that one data thread writes. */
export class ThreadCounts {
  private readonly counts: Float64Array

  /** @param ordinal which of the data threads this is, from 0 */
  constructor(memory: SharedArrayBuffer, ordinal: number) {
    const bytes = Float64Array.BYTES_PER_ELEMENT
    this.counts = new Float64Array(memory, ordinal * COUNTS_PER_THREAD * bytes, COUNTS_PER_THREAD)
  }

  /** The same handler, whose answers are counted. @param path a path of the route table; undefined for all else */
  measured<Context, Answer extends Response | Promise<Response>>(
    path: string | undefined,
    respond: (context: Context) => Answer,
  ): (context: Context) => Answer {
    const at = (path === undefined ? undefined : PLACES.get(path)) ?? OTHER_AT
    return (context) => {
      const began = performance.now()
      try {
        const answer = respond(context)
        if (answer instanceof Response) this.note(at, answer.status, performance.now() - began)
        else this.noteLater(at, answer, began)
        return answer
      } catch (error) {
        this.note(at, 500, performance.now() - began)
        throw error
      }
    }
  }

  /** A call was refused, or went wrong. */
  refused(reason: Reason): void {
    const place = REASON_PLACES.get(reason)
    if (place !== undefined) this.counts[place]++
  }

  /** Answers of this thread since its start. */
  get answers(): number {
    let sum = 0
    for (let at = 0; at < REASONS_AT; at += ROUTE_LENGTH) {
      for (let status = 0; status < STATUS_CLASSES.length; status++) sum += this.counts[at + status]
    }
    return sum
  }

  /** Units charged on this thread since its start. */
  get chargedUnits(): number {
    return this.counts[UNITS_AT]
  }

  /** Units were charged. */
  charged(units: number): void {
    this.counts[UNITS_AT] += units
  }

  /** A stream was dropped, as its reader took nothing. */
  droppedStream(): void {
    this.counts[DROPPED_AT]++
  }

  /** How late this thread's timers came at worst of late, in seconds. */
  set loopLagSeconds(seconds: number) {
    this.counts[LAG_AT] = seconds
  }

  /** The thread's loop turned, by the system's clock; milliseconds after 1970. */
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

  /** The same promise is handed on: whoever waits for it is told of its failure. */
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
  /** By class of status, in their order. */
  readonly answers: readonly number[]
  /** By bound, in their order, and behind the last: how many fell into each alone. */
  readonly buckets: readonly number[]
  readonly seconds: number
}

/** The counts of all threads as the control thread reads them. */
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

  /** By thread, in seconds. */
  listLoopLags(): number[] {
    return this.threads.map((counts) => counts[LAG_AT])
  }

  /** By thread: when its loop last turned, by the system's clock in milliseconds after 1970; 0 before it first did. */
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

/** Watches how late timers come on this thread, until it is closed. */
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
