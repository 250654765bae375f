// Calls the API with fetch. Sends the key, waits after 429 and 503, and reads pages and streams. The class with the
// operations (operations.ts) extends this class.
import type { StreamEnd } from './contract.ts'
import { readEvents } from './events.ts'
import { Patience } from './patience.ts'
import { CallError, errorOf, parse, readLimits, unexpected, unreachable } from './problem.ts'
import type { CallOptions, ClientOptions, Limits, PagedAnswer, StreamEvent } from './surface.ts'
import { baseOf, type Parameters, targetOf } from './target.ts'

const MAX_WAIT_SECONDS = 60
/** How long to wait before reconnecting. An event's `retry` field can change this. */
const RETRY_MILLIS = 5_000
const LONGEST_RETRY_MILLIS = 30_000

/** A page of a list. */
interface Page<Item> {
  readonly data: readonly Item[]
  readonly meta: { readonly next_cursor: string | null }
}

/** A request to the API. */
interface Sending {
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly patience: Patience
  readonly signal: AbortSignal | undefined
}

/** A streaming operation of the API: its path, and the name of its events. */
export interface StreamRow {
  readonly path: string
  readonly event: string
}

/** Sends the requests of all operations. */
export class Connection {
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #maxWaitSeconds: number
  #limits: Limits = {}

  constructor(options: ClientOptions) {
    const { key, maxWaitSeconds = MAX_WAIT_SECONDS } = options
    this.#base = baseOf(options)
    this.#maxWaitSeconds = secondsOf(maxWaitSeconds)
    // The key is checked here, because the error message of fetch would contain it.
    if (key !== undefined && !/^[!-~]+$/.test(key))
      throw new TypeError(
        'the option "key" is not valid: the key is empty, or contains a space or another character that keys cannot contain',
      )
    this.#headers = key === undefined ? {} : { Authorization: `Bearer ${key}` }
  }

  /** The limits in the latest response that contained limits. */
  get limits(): Limits {
    return this.#limits
  }

  /** Calls an operation. */
  protected async call<Answer>(path: string, parameters: Parameters = {}, options: CallOptions = {}): Promise<Answer> {
    const { signal } = options
    const response = await this.#send({
      target: targetOf(path, parameters),
      headers: { Accept: 'application/json' },
      patience: this.#patience(options),
      signal,
    })
    const text = await response.text().catch((error: unknown) => {
      signal?.throwIfAborted()
      throw unreachable(error)
    })
    const body = parse(text)
    if (isAnswer<Answer>(body)) return body
    throw unexpected(response, text)
  }

  /** Calls an operation that returns a list in pages. */
  protected list<Answer extends Page<Item>, Item>(
    path: string,
    parameters: Parameters,
    options?: CallOptions,
  ): PagedAnswer<Answer, Item> {
    const first = this.call<Answer>(path, parameters, options)
    const callNext = (cursor: string) => this.call<Answer>(path, { ...parameters, cursor }, options)
    async function* pages() {
      let page = await first
      yield page
      while (page.meta.next_cursor !== null) {
        page = await callNext(page.meta.next_cursor)
        yield page
      }
    }
    async function* items(): AsyncGenerator<Item, void, undefined> {
      for await (const { data } of pages()) yield* data
    }
    return Object.assign(first, { pages, [Symbol.asyncIterator]: items })
  }

  /** Opens a stream, and reopens it if the connection is lost or the service restarts. */
  protected async *follow<Answer>(
    row: StreamRow,
    parameters: Parameters,
    options: CallOptions = {},
  ): AsyncGenerator<StreamEvent<Answer>, void, undefined> {
    const target = targetOf(row.path, parameters)
    let lastId: string | undefined
    let patience = this.#patience(options)
    let retryMillis = RETRY_MILLIS
    let failures = 0
    let hasOpened = false
    const onOpen = () => {
      hasOpened = true
    }
    for (;;) {
      let loss = unreachable('the stream was closed')
      try {
        for await (const event of this.#open(target, { lastId, patience, signal: options.signal, onOpen })) {
          retryMillis = event.retryMillis ?? retryMillis
          const { name, data, id = '' } = event
          if (data === undefined) continue
          if (name === 'end') {
            if (isLast(JSON.parse(data))) return
            break
          }
          if (name !== row.event || id === lastId) continue
          lastId = id
          failures = 0
          patience = this.#patience(options)
          yield { ...JSON.parse(data), id }
        }
      } catch (error) {
        // If the stream has never been open, the base URL may be wrong, so the error is thrown.
        if (!hasOpened || !(error instanceof CallError) || !isPassing(error)) throw error
        loss = error
      }
      const doubled = Math.min(retryMillis * 2 ** failures++, LONGEST_RETRY_MILLIS, patience.leftMillis)
      const wait = Math.max(doubled, retryMillis)
      if (!(await patience.wait(wait, options.signal))) throw loss
    }
  }

  /** Opens a stream once and yields its events until the connection ends. */
  async *#open(target: string, { lastId, patience, signal, onOpen }: Opening) {
    const closing = new AbortController()
    const onAbort = () => closing.abort(signal?.reason)
    signal?.addEventListener('abort', onAbort)
    try {
      signal?.throwIfAborted()
      const headers: Record<string, string> = { Accept: 'text/event-stream' }
      if (lastId !== undefined) headers['Last-Event-ID'] = lastId
      const response = await this.#send({ target, headers, patience, signal: closing.signal })
      if (response.body === null || response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
        throw unexpected(response, await response.text())
      }
      onOpen()
      yield* readEvents(response.body)
    } catch (error) {
      signal?.throwIfAborted()
      throw error instanceof CallError ? error : unreachable(error)
    } finally {
      signal?.removeEventListener('abort', onAbort)
      closing.abort()
    }
  }

  /**
   * Sends a request. Repeats it as long as the service asks the client to wait and the call has enough waiting time
   * left.
   */
  async #send(sending: Sending): Promise<Response> {
    const { signal } = sending
    for (;;) {
      const response = await this.#sendOnce(sending)
      const limits = readLimits(response.headers)
      if (response.headers.has('ratelimit')) this.#limits = limits
      if (response.ok) return response
      const error = await errorOf(response, limits)
      signal?.throwIfAborted()
      const { status, retryAfterSeconds } = error
      if ((status !== 429 && status !== 503) || retryAfterSeconds === undefined) throw error
      if (!(await sending.patience.wait(retryAfterSeconds * 1_000, signal))) throw error
    }
  }

  async #sendOnce({ target, headers, signal }: Sending): Promise<Response> {
    try {
      return await fetch(this.#base + target, {
        headers: { ...this.#headers, ...headers },
        credentials: 'omit',
        // A redirect could send the key to another host.
        redirect: 'error',
        signal: signal ?? null,
      })
    } catch (error) {
      signal?.throwIfAborted()
      throw unreachable(error)
    }
  }

  #patience({ maxWaitSeconds }: CallOptions): Patience {
    return new Patience(maxWaitSeconds === undefined ? this.#maxWaitSeconds : secondsOf(maxWaitSeconds))
  }
}

/**
 * Whether a later request may succeed: either there was no response, or the error may come from a proxy while the
 * service restarts.
 */
function isPassing({ status }: CallError): boolean {
  return status === 0 || status >= 500
}

interface Opening {
  readonly lastId: string | undefined
  onOpen(): void
  readonly patience: Patience
  readonly signal: AbortSignal | undefined
}

function secondsOf(value: number): number {
  if (value >= 0) return value
  throw new TypeError(`maxWaitSeconds is ${value}; it must be a number of seconds, 0 or more`)
}

/** Whether a stream that ended with this event is complete. Throws if the stream must not be opened again. */
function isLast({ reason }: StreamEnd): boolean {
  if (reason !== 'key_revoked') return reason === 'trip_ended'
  throw new CallError({ reason, status: 401, detail: 'The key was revoked while the stream was open.' })
}

function isAnswer<Answer>(body: unknown): body is Answer {
  return typeof body === 'object' && body !== null && 'data' in body && 'meta' in body
}
