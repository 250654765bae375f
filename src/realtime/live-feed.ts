// One live feed of a network, on the live thread: its source, its newest content, and its health.

import type { FeedMatches, UnmatchedUpdate } from '../../indexes/live/feed-matches.ts'
import { type FeedContent, FeedState, type FeedStateMemory } from '../../indexes/live/feed-state.ts'
import { decodeMessage, RealtimeUnreadable } from '../../loaders/gtfs-rt/decode-message.ts'
import type { FeedEntities, RealtimeMessage } from '../../loaders/gtfs-rt/message.ts'
import type { FeedMismatch, FeedStatus, LastError } from '../networks/network.ts'
import type { Clock } from '../system/clock.ts'
import { ALERTS_MAX_AGE_SECONDS, feedAges } from './feed-ages.ts'
import type { FeedProblem, FeedSource, FeedSourceParts } from './feed-source.ts'
import type { LiveFeedOrder } from './live-messages.ts'
import type { FeedKind } from './seen-book.ts'

const ALERTS_MAX_AGE_MILLIS = ALERTS_MAX_AGE_SECONDS * 1000

/** Dependencies of a live feed. */
export interface LiveFeedParts {
  readonly order: LiveFeedOrder
  readonly clock: Clock
  /** Called after each fetch. */
  readonly onFetched: () => void
  /** Opens the source from which the feed gets its messages. */
  readonly openSource: (parts: FeedSourceParts) => FeedSource
  /** The feed's memory from an earlier run; absent if the feed does not continue an earlier run. */
  readonly memory?: LiveFeedMemory | undefined
}

/** A feed's memory: the data that it keeps in addition to its newest message. */
export interface LiveFeedMemory {
  readonly state: FeedStateMemory
  readonly carries: FeedStatus['carries']
}

/** One live feed. */
export class LiveFeed {
  readonly id: string
  readonly order: LiveFeedOrder
  /** How the feed's updates matched trips when the feed was last read. */
  matches: FeedMatches | undefined
  /** The feed's unmatched updates when the feed was last read. */
  unmatched: readonly UnmatchedUpdate[] = []
  /** Why hardly any of the feed's updates matched a trip; undefined if enough of them matched. */
  mismatch: FeedMismatch | undefined
  private readonly parts: LiveFeedParts
  private readonly state: FeedState
  private readonly source: FeedSource
  private readonly freshMillis: number
  private readonly maxAgeMillis: number
  /** The error for stale content. Its time is the last time at which the content was found to be stale. */
  private stale: LastError | undefined
  private carries: FeedStatus['carries']

  constructor(parts: LiveFeedParts) {
    const { order, clock, onFetched, memory, openSource } = parts
    this.parts = parts
    this.id = order.id
    this.order = order
    const { freshSeconds, maxAgeSeconds } = feedAges(order)
    this.freshMillis = freshSeconds * 1000
    this.maxAgeMillis = maxAgeSeconds * 1000
    this.state = new FeedState(memory?.state)
    this.carries = memory?.carries ?? { trips: false, vehicles: false, alerts: false }
    this.source = openSource({
      order,
      clock,
      onFetched,
      onBody: (bytes) => this.take(bytes),
      onSame: () => this.state.repeat(this.nowSeconds()),
    })
  }

  start(): void {
    this.source.start()
  }

  /** Stops fetching. */
  close(): void {
    this.source.close()
  }

  /** Fetches once, immediately. */
  async poll(): Promise<void> {
    await this.source.poll()
  }

  get memory(): LiveFeedMemory {
    return { state: this.state.memory, carries: this.carries }
  }

  /** The feed's content, unless it is too old. */
  get content(): FeedContent | undefined {
    const { current } = this.state
    return current !== undefined && this.ageOf(current) <= this.maxAgeMillis ? current : undefined
  }

  /**
   * The content from which alerts are read, unless it is too old. The age limit for alerts is higher, because alerts
   * stay valid longer than other content.
   */
  get alertContent(): FeedContent | undefined {
    const { current } = this.state
    const maxAge = Math.max(this.maxAgeMillis, ALERTS_MAX_AGE_MILLIS)
    return current !== undefined && this.ageOf(current) <= maxAge ? current : undefined
  }

  /**
   * The instants at which the feed's content becomes too old, in Unix milliseconds: first for everything except alerts,
   * then for alerts.
   */
  get expiries(): number[] {
    const { current } = this.state
    if (current === undefined) return []
    const from = current.timestampSeconds * 1000
    return [from + this.maxAgeMillis, from + Math.max(this.maxAgeMillis, ALERTS_MAX_AGE_MILLIS)]
  }

  get maxAgeSeconds(): number {
    return this.maxAgeMillis / 1000
  }

  get hasTrips(): boolean {
    return this.carries.trips
  }

  get hasVehicles(): boolean {
    return this.carries.vehicles
  }

  get hasAlerts(): boolean {
    return this.carries.alerts
  }

  status(): FeedStatus {
    const { matches } = this
    const { current } = this.state
    const { fetchedAtMillis, backOffMillis, budget } = this.source.status
    return {
      id: this.id,
      fetchedAtMillis,
      timestampMillis: current === undefined ? undefined : current.timestampSeconds * 1000,
      freshMillis: this.freshMillis,
      maxAgeMillis: this.maxAgeMillis,
      carries: this.carries,
      matchRate: matches === undefined || matches.total === 0 ? undefined : matches.matched / matches.total,
      matches: matches && {
        total: matches.total,
        matched: matches.matched,
        reasons: { ...matches.reasons },
        mismatch: this.mismatch,
      },
      lastError: this.lastError(),
      backOffMillis,
      budget,
    }
  }

  /** The last fetch failure, or the error for stale content if that is newer. */
  private lastError(): LastError | undefined {
    const { id } = this
    const { current } = this.state
    const { isWell, lastError: failed } = this.source.status
    if (isWell && current !== undefined && this.ageOf(current) > this.freshMillis) {
      const message = `feed ${id}: its newest message is more than ${this.freshMillis / 1000} s old`
      this.stale = { atMillis: this.parts.clock.nowMillis(), source: id, reason: 'stale_feed', message }
    }
    const isStaleLater = this.stale !== undefined && (failed === undefined || this.stale.atMillis > failed.atMillis)
    return isStaleLater ? this.stale : failed
  }

  private nowSeconds(): number {
    return Math.floor(this.parts.clock.nowMillis() / 1000)
  }

  private ageOf({ timestampSeconds }: FeedContent): number {
    return this.parts.clock.nowMillis() - timestampSeconds * 1000
  }

  /** The message, reduced to the kinds of content that the feed is configured to provide. */
  private provided(message: RealtimeMessage): RealtimeMessage {
    const { provides } = this.order
    if (provides === undefined) return message
    const ifProvided = <Entity>(kind: FeedKind, entities: readonly Entity[]) =>
      provides.includes(kind) ? entities : []
    const entities: FeedEntities = {
      trips: ifProvided('trips', message.trips),
      vehicles: ifProvided('vehicles', message.vehicles),
      alerts: ifProvided('alerts', message.alerts),
      modifications: ifProvided('trips', message.modifications),
      shapes: ifProvided('trips', message.shapes),
    }
    return { ...message, ...entities }
  }

  private take(bytes: Uint8Array): FeedProblem | undefined {
    try {
      const message = this.provided(decodeMessage(bytes))
      this.state.apply(message, this.nowSeconds())
      this.carries = {
        trips: this.carries.trips || message.trips.length > 0 || message.modifications.length > 0,
        vehicles: this.carries.vehicles || message.vehicles.length > 0,
        alerts: this.carries.alerts || message.alerts.length > 0,
      }
      return undefined
    } catch (error) {
      if (!(error instanceof RealtimeUnreadable)) throw error
      return { reason: 'decode_error', message: `its message cannot be decoded: ${error.message}` }
    }
  }
}
