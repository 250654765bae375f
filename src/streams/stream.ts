// One open stream with backpressure. A slow reader misses frames, but always gets the latest one: at most one chunk is
// queued for the connection, and only the latest frame waits behind it.
import type { Caller } from '../access/gate.ts'

/** The connection of a stream. It has no idle timeout while the stream is open. */
export interface Connection {
  /** Makes the server close the connection after a few idle seconds, even if some bytes have not been sent. */
  limitIdle(): void
}

/** Parameters of a stream. Times are monotonic milliseconds. */
export interface StreamParts<Topic> {
  readonly topic: Topic
  readonly caller: Caller
  /** Milliseconds between frames. */
  readonly intervalMillis: number
  readonly slot: number
  readonly connection: Connection | undefined
  readonly openedAt: number
  readonly endsAt: number
  steady(): number
  /** Called when the client disconnects. */
  onGone(stream: Stream<Topic>): void
}

/** An open stream, which is also the source of its response body. Owned by the hub. */
export class Stream<Topic> {
  readonly parts: StreamParts<Topic>
  nextFrameAt: number
  /**
   * Time in monotonic milliseconds at which data was last sent, or would have been sent if the connection had had room.
   */
  quietSince: number
  /** The tick at which the hub handles this stream next. */
  dueTick = 0
  private controller: ReadableStreamDefaultController<Uint8Array> | undefined
  /** Time at which the queued chunk began to wait for the connection. */
  private queuedSince: number | undefined
  /** The latest frame, if the connection had no room for it. */
  private waiting: Uint8Array | undefined

  /** @param first bytes to send immediately */
  constructor(parts: StreamParts<Topic>, first: Uint8Array) {
    this.parts = parts
    this.waiting = first
    this.nextFrameAt = parts.openedAt + parts.intervalMillis
    this.quietSince = parts.openedAt
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.controller = controller
    this.pull()
  }

  /** Called by the ReadableStream when the connection has room again. */
  pull(): void {
    this.queuedSince = undefined
    const { waiting } = this
    if (waiting === undefined) return
    this.waiting = undefined
    this.push(waiting)
  }

  cancel(): void {
    this.parts.onGone(this)
  }

  /**
   * Time since which data has been waiting for the reader, in monotonic milliseconds; undefined if no data is waiting.
   */
  get blockedSince(): number | undefined {
    return this.queuedSince
  }

  /** Sends a frame. If the connection has no room, the frame waits, and replaces any frame that was already waiting. */
  send(frame: Uint8Array): void {
    if (this.hasRoom()) this.push(frame)
    else this.waiting = frame
    this.quietSince = this.parts.steady()
  }

  /** Sends a heartbeat, unless data is already queued. */
  beat(heartbeat: Uint8Array): void {
    if (this.hasRoom()) this.push(heartbeat)
    this.quietSince = this.parts.steady()
  }

  /** Sends the last event and closes the body. */
  end(last: Uint8Array): void {
    this.waiting = undefined
    this.controller?.enqueue(last)
    this.controller?.close()
    this.parts.connection?.limitIdle()
  }

  /** Closes the body without an event. Closing it with an error would be logged as a bug. */
  drop(): void {
    this.waiting = undefined
    this.controller?.close()
    this.parts.connection?.limitIdle()
  }

  private hasRoom(): boolean {
    return (this.controller?.desiredSize ?? 0) > 0
  }

  private push(bytes: Uint8Array): void {
    this.controller?.enqueue(bytes)
    if (!this.hasRoom()) this.queuedSince ??= this.parts.steady()
  }
}
