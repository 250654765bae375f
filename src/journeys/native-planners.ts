// A data thread's client for the operators' own planners. It sends each query once, with a deadline and a byte limit,
// and pauses for a while after a failure. The answers are parsed on a planner thread.

import type { NativePlannerSettings } from '../networks/network.ts'
import { ACCEPTED_CODINGS } from '../sources/body-decoding.ts'
import { DownloadFailed, describeSource } from '../sources/download-failed.ts'
import { fetchGuarded, readRetryAfter } from '../sources/guarded-fetch.ts'
import { TRUE_CLOCK } from '../system/clock.ts'
import type { Logger } from '../system/log.ts'
import { motisAddress } from './native/motis-query.ts'
import type { JourneyQuestion } from './planner-messages.ts'

/** Maximum size of an answer in bytes. One itinerary with its geometry takes about 20 kB. */
const MAX_BYTES = 4 * 1024 * 1024
/** Maximum number of queries of this thread that wait for an answer, for all networks together. */
const MAX_IN_FLIGHT = 64
/** After a failure, a planner is not queried for this long, unless a request requires that planner. */
const REST_MILLIS = 10_000
/** The longest pause, even if the planner's Retry-After header requests a longer one. */
const MAX_REST_MILLIS = 300_000

/** Failure reasons that concern only one query, such as an unknown stop. After these, the planner is not paused. */
const REFUSALS = ['http_400', 'http_404', 'http_422']

/** The result of a query. */
export type NativeOutcome =
  | { readonly kind: 'answer'; readonly body: Uint8Array }
  | { readonly kind: 'failed'; readonly reason: 'planner_timeout' | 'overloaded'; readonly sentence: string }

/** One data thread's client for the native planners of all networks. */
export class NativePlanners {
  private readonly logger: Pick<Logger, 'error'>
  private readonly nowMillis: () => number
  /** Network → when its planner may be queried again. */
  private readonly restUntil = new Map<string, number>()
  private inFlightCount = 0

  /** @param nowMillis a monotonic clock */
  constructor(logger: Pick<Logger, 'error'>, nowMillis: () => number = () => performance.now()) {
    this.logger = logger
    this.nowMillis = nowMillis
  }

  /**
   * Sends one query. The planner's errors are returned, not thrown.
   * @param isRequired whether to send the query even during a pause
   */
  async request(
    settings: NativePlannerSettings,
    question: JourneyQuestion,
    isRequired: boolean,
  ): Promise<NativeOutcome> {
    if (this.inFlightCount >= MAX_IN_FLIGHT)
      return failed('overloaded', "Too many requests to the operator's planner. Try again later, or use planner=auto.")
    if (!isRequired && this.isResting(question.network))
      return failed('overloaded', "The operator's planner failed recently. Try again later, or use planner=service.")
    this.inFlightCount++
    try {
      const body = await fetchAnswer(settings, question)
      this.restUntil.delete(question.network)
      return { kind: 'answer', body }
    } catch (error) {
      if (!(error instanceof DownloadFailed)) throw error
      if (!REFUSALS.includes(error.reason)) this.rest(question.network, error)
      if (error.reason === 'fetch_timeout')
        return failed('planner_timeout', "The operator's planner took too long. Try again, or use planner=auto.")
      return failed('overloaded', "The operator's planner is unavailable. Try again later, or use planner=auto.")
    } finally {
      this.inFlightCount--
    }
  }

  private isResting(network: string): boolean {
    return this.nowMillis() < (this.restUntil.get(network) ?? -Infinity)
  }

  /**
   * Pauses a planner after a failure. Failures during a pause are not logged. The log message has the host, not the
   * whole URL.
   */
  private rest(network: string, { reason, message, retryAfterMillis }: DownloadFailed): void {
    const isLogged = this.isResting(network)
    const millis = Math.min(MAX_REST_MILLIS, Math.max(REST_MILLIS, retryAfterMillis ?? 0))
    this.restUntil.set(network, this.nowMillis() + millis)
    if (!isLogged) this.logger.error({ network, reason }, `the operator's planner failed: ${message}`)
  }
}

function failed(reason: 'planner_timeout' | 'overloaded', sentence: string): NativeOutcome {
  return { kind: 'failed', reason, sentence }
}

/** Sends the query and returns the body of the answer. Throws DownloadFailed. */
async function fetchAnswer(settings: NativePlannerSettings, question: JourneyQuestion): Promise<Uint8Array> {
  const answer = await fetchGuarded({
    url: motisAddress(settings, question),
    headers: { accept: 'application/json', 'accept-encoding': ACCEPTED_CODINGS, ...settings.headers },
    headersFor: () => ({}),
    deadlineMillis: settings.deadlineMillis,
    idleMillis: settings.deadlineMillis,
    maxBytes: MAX_BYTES,
  })
  if (answer.status !== 200) {
    answer.dismiss()
    const retryAfter = readRetryAfter(answer.headers.get('retry-after'), TRUE_CLOCK.nowMillis())
    const message = `${describeSource(settings.url)} responded with status ${answer.status}`
    throw new DownloadFailed(`http_${answer.status}`, message, retryAfter)
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of answer.chunks()) chunks.push(chunk)
  return Buffer.concat(chunks)
}
