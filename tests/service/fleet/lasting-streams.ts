// Clients that keep streams open across restarts, as apps do. If a stream ends, they open it again after a moment, on a
// new connection. They use raw sockets, since `fetch` allows at most 256 requests in flight.
import { connect } from 'node:net'
import { EventReader } from '../../event-stream.ts'

/**
 * Time from the end of a stream until it is opened again. This time is random, so that clients do not all return at
 * once.
 */
const AGAIN_MILLIS = { least: 500, most: 5_000 }
const OK = /^HTTP\/1\.1 200 /

/** A stream to open, and the key to use. */
export interface StreamWish {
  readonly port: number
  readonly path: string
  readonly key: string
}

/** What the clients have measured. */
export interface StreamsReading {
  /** For each reopened stream: milliseconds from its end until the first event after it was reopened. */
  readonly awayMillis: readonly number[]
  /** Descriptions of failed connections and of responses that are not streams. */
  readonly failures: readonly string[]
  /** For each stream that was charged again when it was reopened: when, at which port, and after how long. */
  readonly charged: readonly string[]
}

/** Clients that reopen their streams until they are stopped. */
export class LastingStreams {
  private readonly awayMillis: number[] = []
  private readonly failures: string[] = []
  private readonly charged: string[] = []
  private readonly running: readonly Promise<void>[]
  private readonly sockets = new Set<ReturnType<typeof connect>>()
  private isStopped = false
  private openCount = 0

  constructor(wishes: readonly StreamWish[]) {
    this.running = wishes.map((wish) => this.keepOpen(wish))
  }

  /** The number of open streams. */
  get open(): number {
    return this.openCount
  }

  async stop(): Promise<StreamsReading> {
    this.isStopped = true
    for (const socket of this.sockets) socket.destroy()
    await Promise.all(this.running)
    const { awayMillis, failures, charged } = this
    return { awayMillis, failures, charged }
  }

  private async keepOpen(wish: StreamWish): Promise<void> {
    let [last, endedMillis]: [string, number | undefined] = ['', undefined]
    while (!this.isStopped) {
      last = await this.openOnce(wish, last, endedMillis)
      endedMillis = performance.now()
      const { least, most } = AGAIN_MILLIS
      if (!this.isStopped) await Bun.sleep(least + Math.random() * (most - least))
    }
  }

  /** Opens a stream and reads it to its end. Returns the id of its last event; if it had none, the given id. */
  private openOnce(wish: StreamWish, last: string, endedMillis: number | undefined): Promise<string> {
    const ended = Promise.withResolvers<string>()
    const received = new ChunkedEvents()
    let isOpen = false
    const socket = connect(wish.port, '127.0.0.1')
    this.sockets.add(socket)
    socket.write(
      `GET ${wish.path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${wish.key}\r\nAccept: text/event-stream\r\n${
        last === '' ? '' : `Last-Event-ID: ${last}\r\n`
      }\r\n`,
    )
    socket.on('data', (bytes) => {
      received.add(Buffer.from(bytes))
      if (isOpen || received.lastId === '') return
      isOpen = true
      this.openCount++
      if (endedMillis === undefined) return
      const awayMillis = performance.now() - endedMillis
      this.awayMillis.push(awayMillis)
      if (!received.isFree)
        this.charged.push(`${new Date().toISOString()} at ${wish.port} after ${Math.round(awayMillis)} ms`)
    })
    socket.on('error', (error) => this.failures.push(error.message))
    socket.on('close', () => {
      this.sockets.delete(socket)
      if (isOpen) this.openCount--
      else if (!this.isStopped) this.failures.push(`${new Date().toISOString()} ${received.refusal}`)
      ended.resolve(received.lastId || last)
    })
    // Closes the connection when the stream ends, since the server may keep it open.
    received.onEnd = () => socket.end()
    return ended.promise
  }
}

/** Reads the events from a chunked response (RFC 9112, 7.1). */
class ChunkedEvents {
  head = ''
  onEnd = () => {}
  private readonly events = new EventReader()
  private rest: Buffer = Buffer.alloc(0)

  /** The id of the last event; empty if there was none or the status is not 200. */
  get lastId(): string {
    return this.events.events.at(-1)?.id ?? ''
  }

  /** Whether the first event states that the stream cost nothing. */
  get isFree(): boolean {
    return /"units":0[,}]/.test(this.events.events[0]?.data ?? '')
  }

  /** Description of a response that is not a stream. */
  get refusal(): string {
    const [status] = this.head.split('\r\n', 1)
    return status === '' ? 'closed without a response' : `${status} ${this.rest.toString()}`
  }

  add(bytes: Buffer): void {
    this.rest = Buffer.concat([this.rest, bytes])
    if (this.head === '') {
      const end = this.rest.indexOf('\r\n\r\n')
      if (end < 0) return
      this.head = this.rest.subarray(0, end).toString()
      this.rest = this.rest.subarray(end + 4)
    }
    if (!OK.test(this.head)) return this.onEnd()
    for (;;) {
      const end = this.rest.indexOf('\r\n')
      if (end < 0) return
      const size = Number.parseInt(this.rest.subarray(0, end).toString(), 16)
      if (size === 0) return this.onEnd()
      if (this.rest.byteLength < end + 2 + size + 2) return
      this.events.add(this.rest.subarray(end + 2, end + 2 + size))
      this.rest = this.rest.subarray(end + 2 + size + 2)
    }
  }
}
