// One network's live state, on the live thread: its feeds' newest messages, and what is made of them for the snapshot
// that is served. Whatever changes, it is made anew, whole.
import { buildOverlay, type PackedOverlay, packOverlay } from '../../indexes/live/build-overlay.ts'
import { FeedState } from '../../indexes/live/feed-state.ts'
import { type FeedMatches, LiveTripReader } from '../../indexes/live/live-trips.ts'
import { decodeMessage, RealtimeUnreadable } from '../../loaders/gtfs-rt/decode-message.ts'
import type { Clock } from '../clock.ts'
import type { FeedStatus, Snapshot } from '../network.ts'
import { FeedPoller } from './feed-poller.ts'
import type { LiveFeedOrder, LiveNetworkOrder, PackedLive } from './live-messages.ts'
import type { BudgetBook, FeedBudget } from './upstream-budget.ts'

/** Live data is fresh for at least so long, and dropped after at least, and at most, so long. */
const FRESH_SECONDS = 90
const MAX_AGE_SECONDS = 300
const LONGEST_AGE_SECONDS = 900
/** Feeds that come in together are read together. */
const GATHER_MILLIS = 20

interface LiveFeed {
  readonly order: LiveFeedOrder
  readonly state: FeedState
  readonly poller: FeedPoller
  readonly budget: FeedBudget | undefined
  readonly freshMillis: number
  readonly maxAgeMillis: number
  carries: FeedStatus['carries']
  matches: FeedMatches | undefined
}

/** What a network's live state needs around it. */
export interface LiveNetworkParts {
  readonly order: LiveNetworkOrder
  readonly clock: Clock
  readonly budgets: BudgetBook
  readonly onChange: (live: PackedLive) => void
}

/** The live state of one network. */
export class LiveNetwork {
  readonly id: string
  private readonly parts: LiveNetworkParts
  private readonly feeds: readonly LiveFeed[]
  private snapshot: Snapshot | undefined
  private reader: LiveTripReader | undefined
  private version = 0
  private gathering: ReturnType<typeof setTimeout> | undefined
  private expiry: ReturnType<typeof setTimeout> | undefined

  constructor(parts: LiveNetworkParts) {
    this.parts = parts
    this.id = parts.order.id
    this.feeds = parts.order.feeds.map((order) => this.openFeed(order))
  }

  start(): void {
    for (const { poller } of this.feeds) poller.start()
  }

  /** Takes the snapshot that is about to be served; what the feeds say of it. */
  prepare(snapshot: Snapshot): PackedLive {
    this.snapshot = snapshot
    this.reader = new LiveTripReader(snapshot.timetable)
    return this.make()
  }

  private openFeed(order: LiveFeedOrder): LiveFeed {
    const { budgets, clock, order: network } = this.parts
    const interval = order.intervalSeconds
    const state = new FeedState()
    const budget = order.budget === undefined ? undefined : budgets.budgetOf(`${network.id}/${order.id}`, order.budget)
    const freshSeconds = Math.max(FRESH_SECONDS, 3 * interval)
    const usualAge = Math.min(Math.max(MAX_AGE_SECONDS, 2 * freshSeconds), LONGEST_AGE_SECONDS)
    const feed: LiveFeed = {
      order,
      state,
      budget,
      freshMillis: freshSeconds * 1000,
      maxAgeMillis: (order.maxAgeSeconds ?? usualAge) * 1000,
      carries: { trips: false, vehicles: false, alerts: false },
      matches: undefined,
      poller: new FeedPoller({
        order,
        budget,
        clock,
        onBody: (bytes) => this.takeBody(feed, bytes),
        onFetched: () => this.gather(),
      }),
    }
    return feed
  }

  private takeBody(feed: LiveFeed, bytes: Uint8Array): { reason: string; message: string } | undefined {
    try {
      const message = decodeMessage(bytes)
      feed.state.apply(message, this.nowSeconds())
      const { trips, vehicles, alerts } = message
      feed.carries = {
        trips: feed.carries.trips || trips.length > 0,
        vehicles: feed.carries.vehicles || vehicles.length > 0,
        alerts: feed.carries.alerts || alerts.length > 0,
      }
      return undefined
    } catch (error) {
      if (!(error instanceof RealtimeUnreadable)) throw error
      return { reason: 'decode_error', message: `feed ${feed.order.id} cannot be read: ${error.message}` }
    }
  }

  /** Makes it anew shortly, once for all feeds that came in meanwhile. */
  private gather(): void {
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined
      this.parts.onChange(this.make())
    }, GATHER_MILLIS)
  }

  private make(): PackedLive {
    const overlay = this.makeOverlay()
    this.waitForExpiry()
    return { version: ++this.version, feeds: this.feeds.map((feed) => this.statusOf(feed)), overlay }
  }

  private makeOverlay(): PackedOverlay | undefined {
    const { snapshot, reader } = this
    if (snapshot === undefined || reader === undefined || !this.feeds.some(({ carries }) => carries.trips))
      return undefined
    const nowSeconds = this.nowSeconds()
    const silent = { timestampSeconds: nowSeconds, trips: [] }
    const said = this.feeds.map((feed) => (this.isOverAged(feed) ? silent : (feed.state.current ?? silent)))
    const { trips, matches } = reader.read(said, nowSeconds)
    for (const [at, feed] of this.feeds.entries()) if (said[at] !== silent) feed.matches = matches[at]
    const overlay = buildOverlay(snapshot.timetable, trips, {
      snapshotId: snapshot.id,
      version: this.version,
      baseSeconds: nowSeconds,
      feedIds: this.feeds.map(({ order }) => order.id),
    })
    return packOverlay(overlay)
  }

  private isOverAged({ state, maxAgeMillis }: LiveFeed): boolean {
    const { current } = state
    return current === undefined || this.parts.clock.nowMillis() - current.timestampSeconds * 1000 > maxAgeMillis
  }

  /** Makes it anew when the next feed's data is too old, should nothing else happen before. */
  private waitForExpiry(): void {
    clearTimeout(this.expiry)
    const now = this.parts.clock.nowMillis()
    const ends = this.feeds.flatMap(({ state, maxAgeMillis }) => {
      const end = (state.current?.timestampSeconds ?? 0) * 1000 + maxAgeMillis
      return end > now ? [end] : []
    })
    if (ends.length === 0) return
    this.expiry = setTimeout(() => this.gather(), Math.min(...ends) - now + 1)
  }

  private statusOf(feed: LiveFeed): FeedStatus {
    const { order, state, poller, matches, budget } = feed
    return {
      id: order.id,
      fetchedAtMillis: poller.fetchedAtMillis,
      timestampMillis: state.current === undefined ? undefined : state.current.timestampSeconds * 1000,
      freshMillis: feed.freshMillis,
      maxAgeMillis: feed.maxAgeMillis,
      carries: feed.carries,
      matchRate: matches === undefined || matches.total === 0 ? undefined : matches.matched / matches.total,
      lastError: poller.lastError,
      budget: budget?.status(),
    }
  }

  private nowSeconds(): number {
    return Math.floor(this.parts.clock.nowMillis() / 1000)
  }
}
