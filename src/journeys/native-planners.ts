// A data thread's way to the planners of operators: asks each question once, within a deadline and a cap on bytes, and
// leaves alone for a while who failed. What is answered is read elsewhere, on the planner thread.

import type { NativePlannerSettings } from '../networks/network.ts'
import { ACCEPTED_CODINGS } from '../sources/body-decoding.ts'
import { DownloadFailed, describeSource } from '../sources/download-failed.ts'
import { fetchGuarded, readRetryAfter } from '../sources/guarded-fetch.ts'
import { TRUE_CLOCK } from '../system/clock.ts'
import type { Logger } from '../system/log.ts'
import { motisAddress } from './native/motis-query.ts'
import type { JourneyQuestion } from './planner-messages.ts'

/** Most bytes of an answer: one itinerary with its geometry takes some 20 kB. */
const MAX_BYTES = 4 * 1024 * 1024
/** Questions of this thread that may be under way at once, all networks together. */
const MAX_ASKED = 64
/** A planner that failed is not asked for so long, unless it is asked for by name. */
const REST_MILLIS = 10_000
/** No wish for a longer rest is heard. */
const MAX_REST_MILLIS = 300_000

/** These are about the question, such as a stop it has not: the next one may fare better. */
const REFUSALS = ['http_400', 'http_404', 'http_422']

/** What came of a question. */
export type NativeOutcome =
  | { readonly kind: 'answer'; readonly body: Uint8Array }
  | { readonly kind: 'failed'; readonly reason: 'planner_timeout' | 'overloaded'; readonly sentence: string }

/** The planners of all networks, as one data thread asks them. */
export class NativePlanners {
  private readonly logger: Pick<Logger, 'error'>
  private readonly nowMillis: () => number
  /** By network: when it may be asked again. */
  private readonly restUntil = new Map<string, number>()
  private askedCount = 0

  /** @param nowMillis a clock that only goes forward */
  constructor(logger: Pick<Logger, 'error'>, nowMillis: () => number = () => performance.now()) {
    this.logger = logger
    this.nowMillis = nowMillis
  }

  /** Asks once. Never throws for what the other side does. @param isRequired asked also while it rests */
  async ask(settings: NativePlannerSettings, question: JourneyQuestion, isRequired: boolean): Promise<NativeOutcome> {
    if (this.askedCount >= MAX_ASKED)
      return failed('overloaded', "Too many requests to the operator's planner. Try again later, or use planner=auto.")
    if (!isRequired && this.isResting(question.network))
      return failed('overloaded', "The operator's planner failed recently. Try again later, or use planner=service.")
    this.askedCount++
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
      this.askedCount--
    }
  }

  private isResting(network: string): boolean {
    return this.nowMillis() < (this.restUntil.get(network) ?? -Infinity)
  }

  /** Told once a rest: the message names no more of the address than its host. */
  private rest(network: string, { reason, message, retryAfterMillis }: DownloadFailed): void {
    const isTold = this.isResting(network)
    const millis = Math.min(MAX_REST_MILLIS, Math.max(REST_MILLIS, retryAfterMillis ?? 0))
    this.restUntil.set(network, this.nowMillis() + millis)
    if (!isTold) this.logger.error({ network, reason }, `the operator's planner failed: ${message}`)
  }
}

function failed(reason: 'planner_timeout' | 'overloaded', sentence: string): NativeOutcome {
  return { kind: 'failed', reason, sentence }
}

/** The body of an answer. Throws DownloadFailed. */
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
    const message = `${describeSource(settings.url)} answered with the status ${answer.status}`
    throw new DownloadFailed(`http_${answer.status}`, message, retryAfter)
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of answer.chunks()) chunks.push(chunk)
  return Buffer.concat(chunks)
}
