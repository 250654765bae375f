// Reads an event stream with fetch, because EventSource cannot send an Authorization header. A broken stream is
// reopened after increasing delays, unless the error is permanent.

import {
  authorization,
  isAnswer,
  noteLimits,
  parse,
  type Refusal,
  refusalOf,
  unitsOf,
  unreachable,
} from './api-client.ts'
import { beginCall, KEPT_BODY, noteCall } from './calls.ts'
import type { Answer } from './contract.ts'
import type { Purpose } from './purposes.ts'
import { noteLost, noteReached, reconnections } from './reach.ts'

/** Stream callbacks. */
export interface StreamListener<Data> {
  onAnswer(answer: Answer<Data>): void
  /** Called when the stream's connection breaks, even if the stream is reopened afterward. */
  onBreak(refusal: Refusal): void
}

const FIRST_WAIT_MILLIS = 1_000
const LONGEST_WAIT_MILLIS = 30_000
/**
 * If no data arrives for this long, the connection counts as broken, because the service sends data at least every 8
 * seconds.
 */
const SILENCE_MILLIS = 12_000

/** Opens the stream at a path below /v1, and reopens it if it breaks. Returns a function that closes the stream. */
export function followStream<Data>(path: string, purpose: Purpose, listener: StreamListener<Data>): () => void {
  const ending = new AbortController()
  void keepFollowing(path, { purpose, listener, signal: ending.signal })
  return () => ending.abort()
}

interface Following<Data> {
  readonly purpose: Purpose
  readonly listener: StreamListener<Data>
  readonly signal: AbortSignal
}

async function keepFollowing<Data>(path: string, following: Following<Data>): Promise<void> {
  const { signal, listener } = following
  let waitMillis = FIRST_WAIT_MILLIS
  while (!signal.aborted) {
    const refusal = await followOnce(path, following, () => {
      waitMillis = FIRST_WAIT_MILLIS
    })
    if (signal.aborted || refusal === 'ended') return
    if (refusal !== undefined) listener.onBreak(refusal)
    if (refusal !== undefined && refusal.status >= 400 && refusal.status < 429) return
    await pause(Math.max(waitMillis, (refusal?.retrySeconds ?? 0) * 1_000), signal)
    waitMillis = Math.min(waitMillis * 2, LONGEST_WAIT_MILLIS)
  }
}

/** Whether a stream that ended for this reason must not be reopened. */
function isForGood(end: unknown): boolean {
  const reason = typeof end === 'object' && end !== null && 'reason' in end ? end.reason : undefined
  return reason === 'trip_ended' || reason === 'key_revoked'
}

/**
 * Reads one connection to its end. Returns the error that broke the connection, `ended` if the stream must not be
 * reopened, or undefined if it should be reopened without an error.
 */
async function followOnce<Data>(
  path: string,
  { purpose, listener, signal }: Following<Data>,
  onAnswer: () => void,
): Promise<Refusal | 'ended' | undefined> {
  const call = beginCall(path, purpose, { isStream: true })
  const started = performance.now()
  try {
    const headers = { ...authorization(), Accept: 'text/event-stream' }
    const response = await fetch(call.url, { headers, credentials: 'omit', cache: 'no-store', signal })
    const facts = { status: response.status, millis: performance.now() - started, headers: [...response.headers] }
    noteCall(call.id, facts)
    noteReached()
    noteLimits(response.headers)
    if (!response.ok || response.body === null) {
      const text = await response.text()
      noteCall(call.id, { body: text.slice(0, KEPT_BODY) })
      return refusalOf(response, parse(text))
    }
    let events = 0
    let units = 0
    for await (const event of readEvents(response.body)) {
      const body = parse(event.data)
      if (event.name === 'end') return isForGood(body) ? 'ended' : undefined
      if (!isAnswer<Data>(body)) continue
      // A stream is charged only when it opens, so only the units in its first event count.
      if (events === 0) units = unitsOf(body)
      events++
      noteCall(call.id, { events, units, body: event.data.slice(0, KEPT_BODY) })
      listener.onAnswer(body)
      onAnswer()
    }
    return unreachable()
  } catch {
    if (!signal.aborted) noteLost()
    return unreachable()
  } finally {
    noteCall(call.id, { isOpen: false })
  }
}

interface StreamEvent {
  readonly name: string
  readonly data: string
}

/**
 * Parses the events in a response body. Each line is a field, and an empty line follows each event. Lines end with
 * `\n`, never with `\r\n`.
 */
async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  let name = ''
  let data: string[] = []
  try {
    for (;;) {
      const { done, value } = await orSilence(reader.read())
      if (done) return
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line === '') {
          if (data.length > 0) yield { name, data: data.join('\n') }
          name = ''
          data = []
        } else if (line.startsWith('event:')) name = line.slice(6).trim()
        else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/**
 * Resolves like `reading`, but rejects if no data arrives for SILENCE_MILLIS, because the connection then counts as
 * broken.
 */
function orSilence<T>(reading: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const timer = setTimeout(() => reject(new Error('the stream is silent')), SILENCE_MILLIS)
  reading.then(resolve, reject).finally(() => clearTimeout(timer))
  return promise
}

/** Waits. Stops waiting early if the API becomes reachable again, or if `signal` is aborted. */
function pause(millis: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      unfollow()
      resolve()
    }
    const timer = setTimeout(end, millis)
    const unfollow = reconnections.follow(end)
    signal.addEventListener('abort', end, { once: true })
  })
}
