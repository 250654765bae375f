// A client for streams over real sockets: reads events as they arrive, and records the arrival time of each.
import { EventReader, type ReceivedEvent } from '../event-stream.ts'
import { until } from './running.ts'

/** An event and its arrival time. */
export interface TimedEvent extends ReceivedEvent {
  /** Arrival time, as returned by `performance.now()`. */
  readonly atMillis: number
}

/** The client of one stream, which the server opens or refuses. */
export class StreamClient {
  readonly events: TimedEvent[] = []
  /** Arrival times of comments, which the server sends as heartbeats. */
  readonly heartbeats: number[] = []
  status = 0
  /** The body of the refusal; empty if the stream was opened. */
  refusal = ''
  isEnded = false
  headers = new Headers()
  readonly sentAt = performance.now()
  private readonly abort = new AbortController()
  private readonly received = new EventReader()
  private readonly running: Promise<void>

  constructor(url: string, key: string, headers: Readonly<Record<string, string>> = {}) {
    this.running = this.run(url, { authorization: `Bearer ${key}`, accept: 'text/event-stream', ...headers })
  }

  /**
   * Waits until `count` events with a name have arrived, and returns all events with that name. Throws if the stream
   * ends earlier.
   */
  async waitFor(name: string, count = 1): Promise<TimedEvent[]> {
    const named = () => this.events.filter(({ event }) => event === name)
    await until(() => named().length >= count || this.isEnded, `${count} ${name} events have arrived`)
    if (named().length < count) throw new Error(`the stream ended with ${this.status} ${this.refusal}`)
    return named()
  }

  /** Waits until the first event has arrived, or until the stream is refused or ends. */
  async opened(): Promise<this> {
    await until(() => this.events.length > 0 || this.isEnded, 'a stream begins')
    return this
  }

  /** Closes the connection. */
  async leave(): Promise<void> {
    this.abort.abort()
    await this.running
  }

  /** The last `retry` time of the stream, in milliseconds. */
  get retryMillis(): number | undefined {
    return this.received.retries.at(-1)
  }

  private async run(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
    try {
      const answer = await fetch(url, { headers, signal: this.abort.signal })
      this.status = answer.status
      this.headers = answer.headers
      if (answer.status !== 200 || answer.body === null) this.refusal = await answer.text()
      else for await (const chunk of answer.body) this.take(chunk)
    } catch (error) {
      if (!this.abort.signal.aborted) this.refusal = String(error)
    } finally {
      this.isEnded = true
    }
  }

  private take(chunk: Uint8Array): void {
    const atMillis = performance.now()
    this.received.add(chunk)
    const { events, comments } = this.received
    for (const event of events.slice(this.events.length)) this.events.push({ ...event, atMillis })
    while (this.heartbeats.length < comments.length) this.heartbeats.push(atMillis)
  }
}
