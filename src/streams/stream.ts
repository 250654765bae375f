// One open stream: what its connection has room for, what waits for that, when it is due. A reader that falls behind
// misses frames, never the latest one: at most one chunk is queued and one frame, shared with all other readers, waits.
import type { Caller } from '../access/gate.ts'

/** The connection under a stream, which may be quiet for as long as the stream lasts. */
export interface Connection {
  /** From now on it is closed after some seconds without a byte sent or received, whatever is still unsent. */
  limitIdle(): void
}

/** What a stream is opened with. Times are steady milliseconds. */
export interface StreamParts<Topic> {
  readonly topic: Topic
  readonly caller: Caller
  /** Between frames. */
  readonly intervalMillis: number
  readonly slot: number
  readonly connection: Connection | undefined
  readonly openedAt: number
  readonly endsAt: number
  steady(): number
  /** The client is gone. */
  onGone(stream: Stream<Topic>): void
}

/** A stream as the hub knows it, and as the source under its body. Owned by the hub. */
export class Stream<Topic> {
  readonly parts: StreamParts<Topic>
  nextFrameAt: number
  /** When anything was last sent, or would have been had the reader kept up. */
  quietSince: number
  /** The tick it is looked at next. */
  dueTick = 0
  private controller: ReadableStreamDefaultController<Uint8Array> | undefined
  /** Since when a chunk has been queued that the connection has no room for. */
  private queuedSince: number | undefined
  /** The latest frame, where there was no room for it. */
  private waiting: Uint8Array | undefined

  /** @param first the bytes that are sent at once */
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

  /** There is room again. */
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

  /** Since when the reader has not taken what was sent; undefined where it keeps up. */
  get blockedSince(): number | undefined {
    return this.queuedSince
  }

  /** Sends a frame, or keeps it in place of an earlier one until there is room. */
  send(frame: Uint8Array): void {
    if (this.hasRoom()) this.push(frame)
    else this.waiting = frame
    this.quietSince = this.parts.steady()
  }

  /** Sends a heartbeat where there is room: where there is none, something is being sent anyway. */
  beat(heartbeat: Uint8Array): void {
    if (this.hasRoom()) this.push(heartbeat)
    this.quietSince = this.parts.steady()
  }

  /** Sends the last event and ends. */
  end(last: Uint8Array): void {
    this.waiting = undefined
    this.controller?.enqueue(last)
    this.controller?.close()
    this.parts.connection?.limitIdle()
  }

  /** Ends without another word. Not by an error: that would be taken for one of ours. */
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
