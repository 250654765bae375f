// The streams of one data thread. A timer wheel holds each stream at the tick in which it is due next. Streams of the
// same topic that are due in the same tick get the same frame.
import type { StreamName } from '../access/fleet-talk.ts'
import type { Caller, Gate } from '../access/gate.ts'
import { Problem } from '../http/problem.ts'
import type { Clock } from '../system/clock.ts'
import type { FleetReconnects } from './fleet-reconnects.ts'
import { endBytes, frameBytes, HEARTBEAT, joinBytes, LastFrame, OPENING, type StreamEvent } from './frames.ts'
import { type EndedStream, FREE_RECONNECT_MILLIS, type FreeReconnects } from './free-reconnects.ts'
import { type Connection, Stream } from './stream.ts'
import {
  ACCOUNT_STREAM_LIMIT,
  ADDRESS_STREAM_LIMIT,
  CROWDED_ACCOUNT_STREAM_LIMIT,
  type FullLimit,
  KEY_STREAM_LIMIT,
  type StreamSlots,
} from './stream-slots.ts'

/**
 * Resolution of the timer wheel. Short ticks keep the batches of frames small: with ticks of 50 ms and 5 000 streams,
 * the p99 of the API's response time triples.
 */
const TICK_MILLIS = 10
/** Maximum time without sending any bytes: less than the 10 seconds after which idle timeouts may close the stream. */
const HEARTBEAT_MILLIS = 8_000
/** Maximum duration of a stream. */
const MAX_DURATION_MILLIS = 60 * 60_000
/** Maximum number of times that `openClaimed` tries to open a stream. */
const CLAIMED_TRIES = 5
/** Delay between two attempts of `openClaimed`. */
const CLAIMED_WAIT_MILLIS = 250
/** If the reader of a stream reads nothing for this long, the stream is dropped. */
const BLOCKED_MILLIS = 30_000

/**
 * Renders the next frame of a topic, as JSON on one line. The caller has to copy the bytes. If the topic's streams have
 * to end, returns their last frame, or the error that ends them.
 */
export type RenderFrame = (units: number) => Uint8Array | LastFrame | Problem

/** A request for a stream. */
export interface StreamOrder {
  /** Identifies the content: streams of one topic get the same frames. */
  readonly topic: string
  readonly event: StreamEvent
  readonly render: RenderFrame
  readonly intervalSeconds: number
  readonly caller: Caller
  /** The client's address; absent if the per-address limit does not apply to it. */
  readonly address?: string | undefined
  /** Cost of opening the stream, in units; not charged if the reconnect is free. */
  readonly cost: number
  /** Called once, after all checks, with the units to charge. If it throws, the stream does not open. */
  readonly charge: (units: number) => void
  readonly connection: Connection | undefined
  /** Whether the method is HEAD. If so, the request is charged, but no stream opens. */
  readonly isHead?: boolean
}

/** Dependencies of a hub. */
export interface StreamHubParts {
  readonly gate: Pick<Gate, 'holds'>
  readonly slots: StreamSlots
  readonly reconnects: FreeReconnects
  /** In a cluster: the free reconnects of streams that other replicas ended. */
  readonly elsewhere?: FleetReconnects | undefined
  /** Real time, for frame ids and for the expiry of free reconnects. */
  readonly clock: Clock
  /** Returns the time of a monotonic clock, in milliseconds; `performance.now` if absent. */
  readonly steady?: () => number
  /** Called when a stream is dropped because its reader does not read. */
  readonly onDropped?: () => void
}

/**
 * Why the service ends a stream. If the route without streaming would now return an error, this is the reason of that
 * error.
 */
export type EndReason = 'max_duration' | 'shutdown' | 'key_revoked' | LastFrame['reason'] | Problem['reason']

/** The content of one or more streams, which share its frames. */
interface Topic {
  readonly name: string
  readonly event: StreamEvent
  readonly render: RenderFrame
  streamCount: number
  /** Frames rendered in the tick `framesTick`, by the number of units that they report. */
  readonly frames: Map<number, Uint8Array | LastFrame | Problem>
  framesTick: number
}

/** The open streams of one thread. */
export class StreamHub {
  private readonly parts: StreamHubParts
  private readonly steady: () => number
  private readonly topics = new Map<string, Topic>()
  private readonly streams = new Set<Stream<Topic>>()
  /** Tick → the streams that are due in this tick. */
  private readonly wheel = new Map<number, Set<Stream<Topic>>>()
  private lastTick = 0
  private lastId = 0
  private timer: ReturnType<typeof setInterval> | undefined
  private isClosed = false
  private isDraining = false
  /** The streams that `endAnnounced` will end for a shutdown. */
  private announced: readonly Stream<Topic>[] = []
  private readonly onGone = (stream: Stream<Topic>) => this.forget(stream)

  constructor(parts: StreamHubParts) {
    this.parts = parts
    this.steady = parts.steady ?? (() => performance.now())
  }

  /** Number of open streams on this thread. */
  get openCount(): number {
    return this.streams.size
  }

  /** Number of topics with open streams. */
  get topicCount(): number {
    return this.topics.size
  }

  /**
   * In a cluster: resolves to whether the reconnect to a stream is free because another replica ended the stream.
   * Undefined outside a cluster, for HEAD, and if no replica has ended streams recently.
   */
  claim(order: StreamOrder): Promise<boolean> | undefined {
    return order.isHead === true ? undefined : this.parts.elsewhere?.claim(wantedBy(order))
  }

  /**
   * Opens a stream after `claim`. If the reconnect is free but a stream limit is reached, tries again, because the
   * counts of other replicas may still include the ended stream.
   */
  async openClaimed(order: StreamOrder, claim: Promise<boolean>): Promise<ReadableStream<Uint8Array> | Problem> {
    const isClaimed = await claim
    for (let tries = 1; ; tries++) {
      const opened = this.open(order, isClaimed)
      if (!isClaimed || !(opened instanceof Problem)) return opened
      if (opened.reason !== 'too_many_streams' || tries === CLAIMED_TRIES) {
        this.parts.elsewhere?.giveBack(wantedBy(order))
        return opened
      }
      await Bun.sleep(CLAIMED_WAIT_MILLIS)
    }
  }

  /**
   * Opens a stream, and charges for it unless it is free. Returns the stream's body, or an error. The body starts with
   * the first frame; for HEAD, the body is empty.
   * @param isClaimed whether `claim` found that the reconnect is free
   */
  open(order: StreamOrder, isClaimed = false): ReadableStream<Uint8Array> | Problem {
    if (this.isClosed)
      return new Problem(
        'overloaded',
        'The service is shutting down. Wait for the number of seconds in Retry-After, then try again.',
      )
    const { caller } = order
    const topic = this.topics.get(order.topic) ?? newTopic(order)
    const frame = this.frameOf(topic, order.cost)
    if (frame instanceof Problem) return frame
    if (order.isHead === true) {
      order.charge(order.cost)
      return unreadBody()
    }
    if (frame instanceof LastFrame) {
      order.charge(order.cost)
      return endedBody(frame)
    }
    const taken = this.parts.slots.take({ ...caller, address: order.address })
    if (taken.kind === 'full') return refusalOf(taken.of)
    try {
      const isOwed = () => this.parts.reconnects.claim(wantedBy(order), this.parts.clock.nowMillis())
      const isFree = isClaimed || this.isDraining || isOwed()
      const first = isFree ? this.frameOf(topic, 0) : frame
      if (!(first instanceof Uint8Array))
        throw new Error(`a stream's first event had to be rendered again, and that failed: ${first.reason}`)
      order.charge(isFree ? 0 : order.cost)
      return this.start(topic, { order, slot: taken.slot, first: joinBytes(OPENING, first) })
    } catch (error) {
      this.parts.slots.release(taken.slot)
      throw error
    }
  }

  /** Ends streams whose keys are no longer valid. Must be called after each change of keys. */
  recheck(): void {
    for (const stream of this.streams) {
      if (!this.parts.gate.holds(stream.parts.caller)) this.end(stream, 'key_revoked')
    }
  }

  /**
   * Announces a shutdown. Streams opened after this are free, because they end soon. Returns the open streams.
   * Reconnecting to them is free once `endAnnounced` has ended them.
   */
  drain(): EndedStream[] {
    this.isDraining = true
    return this.announce()
  }

  /** Refuses new streams. Returns the open streams, as `drain` does. */
  close(): EndedStream[] {
    this.isClosed = true
    return this.announce()
  }

  /** Ends the streams that `drain` or `close` returned, unless they have ended in the meantime. */
  endAnnounced(): void {
    for (const stream of this.announced) if (this.streams.has(stream)) this.end(stream, 'shutdown')
    this.announced = []
  }

  private announce(): EndedStream[] {
    this.announced = [...this.streams]
    const untilMillis = this.parts.clock.nowMillis() + FREE_RECONNECT_MILLIS
    return this.announced.map(({ parts: { caller, topic, intervalMillis } }) => {
      return { keyId: caller.keyId, name: nameOf(topic.name, intervalMillis / 1000), untilMillis }
    })
  }

  /** Handles all due streams. Called by the hub's timer, and by tests after they advance the clock. */
  advance(): void {
    const tick = this.tickAt(this.steady())
    for (let due = this.lastTick; due <= tick; due++) {
      const bucket = this.wheel.get(due)
      if (bucket === undefined) continue
      this.wheel.delete(due)
      for (const stream of bucket) this.attend(stream)
    }
    this.lastTick = tick
  }

  private start(
    topic: Topic,
    opening: { order: StreamOrder; slot: number; first: Uint8Array },
  ): ReadableStream<Uint8Array> {
    const { order, slot, first } = opening
    const openedAt = this.steady()
    const parts = {
      topic,
      slot,
      caller: order.caller,
      intervalMillis: order.intervalSeconds * 1000,
      connection: order.connection,
      openedAt,
      endsAt: openedAt + MAX_DURATION_MILLIS,
      steady: this.steady,
      onGone: this.onGone,
    }
    const stream = new Stream<Topic>(parts, first)
    const body = new ReadableStream<Uint8Array>(stream, { highWaterMark: 1 })
    if (topic.streamCount++ === 0) this.topics.set(topic.name, topic)
    this.streams.add(stream)
    if (this.timer === undefined) {
      this.lastTick = this.tickAt(openedAt)
      this.timer = setInterval(() => this.advance(), TICK_MILLIS)
    }
    this.schedule(stream)
    return body
  }

  /** Handles a due stream: ends it, sends a frame or sends a heartbeat. */
  private attend(stream: Stream<Topic>): void {
    const now = this.steady()
    const { parts, blockedSince } = stream
    if (blockedSince !== undefined && now - blockedSince >= BLOCKED_MILLIS) return this.drop(stream)
    if (!this.parts.gate.holds(parts.caller)) return this.end(stream, 'key_revoked')
    if (now >= parts.endsAt) return this.end(stream, 'max_duration')
    if (now >= stream.nextFrameAt) {
      const frame = this.frameOf(parts.topic, 0)
      if (frame instanceof Problem) return this.end(stream, frame.reason)
      if (frame instanceof LastFrame) return this.end(stream, frame.reason, frame.body)
      stream.send(frame)
      const missed = Math.floor((now - stream.nextFrameAt) / parts.intervalMillis)
      stream.nextFrameAt += (missed + 1) * parts.intervalMillis
    } else if (now >= stream.quietSince + HEARTBEAT_MILLIS) stream.beat(HEARTBEAT)
    this.schedule(stream)
  }

  /** Adds a stream to the timer wheel, at the tick in which it is due next. */
  private schedule(stream: Stream<Topic>): void {
    const { nextFrameAt, quietSince, blockedSince, parts } = stream
    const patience = blockedSince === undefined ? Number.POSITIVE_INFINITY : blockedSince + BLOCKED_MILLIS
    const at = Math.min(nextFrameAt, quietSince + HEARTBEAT_MILLIS, parts.endsAt, patience)
    stream.dueTick = Math.max(this.tickAt(this.steady()) + 1, Math.ceil(at / TICK_MILLIS))
    const bucket = this.wheel.get(stream.dueTick)
    if (bucket === undefined) this.wheel.set(stream.dueTick, new Set([stream]))
    else bucket.add(stream)
  }

  /** Returns a topic's frame for this tick. */
  private frameOf(topic: Topic, units: number): Uint8Array | LastFrame | Problem {
    const tick = this.tickAt(this.steady())
    if (topic.framesTick !== tick) {
      topic.frames.clear()
      topic.framesTick = tick
    }
    const made = topic.frames.get(units)
    if (made !== undefined) return made
    const body = topic.render(units)
    const frame = this.toFrame(topic, body)
    topic.frames.set(units, frame)
    return frame
  }

  private toFrame({ event }: Topic, body: ReturnType<RenderFrame>): Uint8Array | LastFrame | Problem {
    if (body instanceof Problem) return body
    if (body instanceof Uint8Array) return frameBytes(event, this.nextId(), body)
    return new LastFrame(frameBytes(event, this.nextId(), body.body), body.reason)
  }

  /** A new frame's id. Ids are at least the real time in milliseconds, so they also increase across restarts. */
  private nextId(): number {
    this.lastId = Math.max(this.lastId + 1, this.parts.clock.nowMillis())
    return this.lastId
  }

  private tickAt(millis: number): number {
    return Math.floor(millis / TICK_MILLIS)
  }

  private end(stream: Stream<Topic>, reason: EndReason, last?: Uint8Array): void {
    this.forget(stream)
    const end = endBytes(reason, Math.random())
    stream.end(last === undefined ? end : joinBytes(last, end))
  }

  private drop(stream: Stream<Topic>): void {
    this.forget(stream)
    stream.drop()
    this.parts.onDropped?.()
  }

  private forget(stream: Stream<Topic>): void {
    if (!this.streams.delete(stream)) return
    const { topic, slot } = stream.parts
    this.parts.slots.release(slot)
    const bucket = this.wheel.get(stream.dueTick)
    if (bucket?.delete(stream) === true && bucket.size === 0) this.wheel.delete(stream.dueTick)
    if (--topic.streamCount === 0) this.topics.delete(topic.name)
    if (this.streams.size > 0) return
    clearInterval(this.timer)
    this.timer = undefined
  }
}

/** The body of a stream that ends with its first frame; the stream takes no slot. */
function endedBody({ body, reason }: LastFrame): ReadableStream<Uint8Array> {
  const bytes = joinBytes(OPENING, joinBytes(body, endBytes(reason, Math.random())))
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes)
      controller.close()
    },
  })
}

/** The empty body for HEAD. It is a stream, so that no Content-Length is sent. */
function unreadBody(): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({ pull: (controller) => controller.close() }, { highWaterMark: 0 })
}

function newTopic({ topic, event, render }: StreamOrder): Topic {
  return { name: topic, event, render, streamCount: 0, frames: new Map(), framesTick: Number.NaN }
}

/** The name by which a stream is recognized after a restart. */
function nameOf(topic: string, intervalSeconds: number): string {
  return `${topic} ${intervalSeconds}`
}

function wantedBy({ caller, topic, intervalSeconds }: StreamOrder): StreamName {
  return { keyId: caller.keyId, name: nameOf(topic, intervalSeconds) }
}

function refusalOf(full: FullLimit): Problem {
  if (full === 'service')
    return new Problem(
      'overloaded',
      'The service has reached its limit of open streams. Wait for the number of seconds in Retry-After, then try again.',
    )
  if (full === 'share')
    return new Problem(
      'too_many_streams',
      `Most of the streams this service allows are in use. Until some of them end, an account can have at most ${CROWDED_ACCOUNT_STREAM_LIMIT} streams. Close one, then try again.`,
    )
  const { who, limit } = FULL[full]
  return new Problem('too_many_streams', `${who} has ${limit} open streams, the maximum. Close one, then try again.`)
}

const FULL = {
  key: { who: 'This key', limit: KEY_STREAM_LIMIT },
  account: { who: 'This account', limit: ACCOUNT_STREAM_LIMIT },
  address: { who: 'This IP address', limit: ADDRESS_STREAM_LIMIT },
} as const
