// One network's live state, on the live thread. It is built for the served snapshot from the newest messages of the
// network's feeds. Every change rebuilds it completely.
import { AlertMemory, type RememberedAlerts } from '../../indexes/live/alert-memory.ts'
import { AlertReader } from '../../indexes/live/alert-reader.ts'
import type { NetworkAlerts } from '../../indexes/live/alerts.ts'
import { buildOverlay, type PackedOverlay, packOverlay } from '../../indexes/live/build-overlay.ts'
import { buildVehicles, packVehicles } from '../../indexes/live/build-vehicles.ts'
import { FeedPrefixes } from '../../indexes/live/feed-prefixes.ts'
import type { FeedContent } from '../../indexes/live/feed-state.ts'
import type { LiveTrip } from '../../indexes/live/live-trip.ts'
import { LiveTripReader, type LiveTrips, type LiveFeed as SpokenFeed } from '../../indexes/live/live-trips.ts'
import { PassedCallsMemory, type RememberedTrips } from '../../indexes/live/passed-calls.ts'
import { joinPlaced } from '../../indexes/live/placed-trips.ts'
import { nameVehicles, type VehicleMemory, VehicleReader } from '../../indexes/live/vehicle-reader.ts'
import type { VehicleKnowledge } from '../../indexes/live/vehicles.ts'
import { findLine } from '../../indexes/timetable/lines.ts'
import type { AlertReport } from '../../loaders/gtfs-rt/message.ts'
import { SentLive } from '../networks/live-state.ts'
import type { Snapshot } from '../networks/network.ts'
import type { PackedLive } from '../networks/network-messages.ts'
import type { Clock } from '../system/clock.ts'
import type { AlertBook } from './alert-book.ts'
import type { FeedSource, FeedSourceParts } from './feed-source.ts'
import { LiveFeed, type LiveFeedMemory } from './live-feed.ts'
import type { LiveFeedOrder, LiveNetworkOrder, UnmatchedUpdates } from './live-messages.ts'
import { MatchLog, type MatchLogger } from './match-log.ts'
import { mismatchOf } from './mismatch.ts'
import type { SeenBook, SeenKind } from './seen-book.ts'

/** Feed messages that arrive within this time are read together. */
const GATHER_MILLIS = 20
/** Interval at which the estimated positions of vehicles are updated. */
const MOVE_MILLIS = 5_000
/**
 * Times in an overlay count from the start of the UTC day, not from now, so that unchanged times give unchanged
 * columns.
 */
const DAY_SECONDS = 86_400
/** Maximum number of unmatched updates that are listed per feed; the others are only counted. */
const UNMATCHED_SHOWN = 5_000

/** Dependencies of a network's live state. */
export interface LiveNetworkParts {
  readonly order: LiveNetworkOrder
  readonly clock: Clock
  readonly seen: SeenBook
  readonly alerts: AlertBook
  readonly onChange: (live: PackedLive) => void
  readonly log: MatchLogger
  /** Opens the message source of one of the network's feeds. */
  readonly openSource: (parts: FeedSourceParts) => FeedSource
  /**
   * The memory of an earlier run, which this run continues. If absent, only the first sightings of alerts are restored,
   * from the alert book.
   */
  readonly memory?: LiveMemory | undefined
  /** Number of the last message with this network's live data; 0 if absent. */
  readonly version?: number
}

/**
 * The network's memory: everything that one reading of the feeds leaves for the next one. Two networks with the same
 * memory and the same messages have the same live data.
 */
export interface LiveMemory {
  readonly feeds: ReadonlyMap<string, LiveFeedMemory & { readonly seen: readonly SeenKind[] }>
  readonly passedCalls: RememberedTrips
  readonly alerts: RememberedAlerts
  /** `snapshotId` is the id of the snapshot to which the tracks belong. */
  readonly vehicles: VehicleMemory & { readonly snapshotId: string | undefined }
}

/** The feed readers for one snapshot. */
interface Readers {
  readonly snapshot: Snapshot
  readonly trips: LiveTripReader
  readonly vehicles: VehicleReader
  readonly alerts: AlertReader
  readonly prefixes: FeedPrefixes
}

/**
 * The live state of one network. After `start`, it polls its feeds, and timers rebuild it. If it is never started, its
 * owner must call `absorb`, `publish` and `move`.
 */
export class LiveNetwork {
  readonly id: string
  private readonly parts: LiveNetworkParts
  private order: LiveNetworkOrder
  private feeds: readonly LiveFeed[]
  private readonly matchLog: MatchLog
  private readers: Readers | undefined
  private trips: readonly LiveTrip[] = []
  private placedTrips: readonly LiveTrip[] = []
  private alertSelectors: LiveTrips['alertSelectors'] = new Map()
  private knowledge: VehicleKnowledge
  private readonly alertMemory: AlertMemory
  private passedCalls: PassedCallsMemory
  private readonly sent = new SentLive()
  private version: number
  private isStarted = false
  private gathering: ReturnType<typeof setTimeout> | undefined
  private expiry: ReturnType<typeof setTimeout> | undefined
  private moving: ReturnType<typeof setInterval> | undefined

  constructor(parts: LiveNetworkParts) {
    const { order, memory, version = 0, alerts, seen } = parts
    this.parts = parts
    this.order = order
    this.id = order.id
    this.version = version
    this.passedCalls = new PassedCallsMemory(memory?.passedCalls)
    this.knowledge = memory?.vehicles.knowledge ?? 'none'
    this.alertMemory = memory ? AlertMemory.of(memory.alerts) : new AlertMemory(alerts.of(order.id), this.nowSeconds())
    for (const [feed, { seen: kinds }] of memory?.feeds ?? []) seen.note(order.id, feed, kinds)
    this.matchLog = new MatchLog(order.id, parts.log)
    this.feeds = order.feeds.map((feed) => this.open(feed))
  }

  start(): void {
    this.isStarted = true
    for (const feed of this.feeds) feed.start()
    this.moving = setInterval(() => this.move(), MOVE_MILLIS)
  }

  /** Switches to a new order. Unchanged feeds keep their state, new feeds start, and removed feeds stop. */
  replaceOrder(order: LiveNetworkOrder): void {
    if (Bun.deepEquals(order, this.order, true)) return
    const before = this.feeds
    this.order = order
    const begun: LiveFeed[] = []
    this.feeds = order.feeds.map((feed) => {
      const known = before.find((each) => Bun.deepEquals(each.order, feed, true))
      if (known !== undefined) return known
      const opened = this.open(feed)
      begun.push(opened)
      return opened
    })
    for (const feed of before) if (!this.feeds.includes(feed)) feed.close()
    // Readers identify a feed by its index in `feeds`, which may have changed. So the memory of passed calls and all
    // readers are replaced.
    this.passedCalls = new PassedCallsMemory()
    if (this.readers === undefined) this.gather()
    else this.parts.onChange(this.prepare(this.readers.snapshot))
    for (const feed of begun) feed.start()
  }

  close(): void {
    for (const feed of this.feeds) feed.close()
    for (const timer of [this.moving, this.gathering, this.expiry]) clearTimeout(timer)
  }

  /** Switches to a snapshot that is about to be served. Returns the live data for it. */
  prepare(snapshot: Snapshot): PackedLive {
    this.adopt(snapshot)
    return this.makeWhole()
  }

  /** All live data, even unchanged parts, because data threads may be new or may have missed earlier messages. */
  makeWhole(): PackedLive {
    return this.make({ isWhole: true })
  }

  /** Switches to a snapshot without building its live data. */
  adopt(snapshot: Snapshot): void {
    const { timetable } = snapshot
    const trips = new LiveTripReader(timetable, this.passedCalls)
    const matchTrip = trips.matchTrip.bind(trips)
    this.readers = {
      snapshot,
      trips,
      vehicles: new VehicleReader(timetable, matchTrip, { knowledge: this.knowledge, tracks: this.tracksOf(snapshot) }),
      alerts: new AlertReader({ snapshotId: snapshot.id, timetable }, this.alertMemory),
      prefixes: new FeedPrefixes(timetable, this.order.prefixes ?? []),
    }
  }

  /** The network's memory after the last reading of the feeds. Later readings change it, so callers must copy it. */
  get memory(): LiveMemory {
    const { seen } = this.parts
    const feeds = this.feeds.map((feed) => [feed.id, { ...feed.memory, seen: seen.kindsOf(this.id, feed.id) }] as const)
    const { knowledge, readers, passedCalls, alertMemory } = this
    return {
      feeds: new Map(feeds),
      passedCalls: passedCalls.remembered,
      alerts: alertMemory.remembered,
      vehicles: { knowledge, snapshotId: readers?.snapshot.id, tracks: readers?.vehicles.knownTracks },
    }
  }

  /** Number of the last message with this network's live data. */
  get lastVersion(): number {
    return this.version
  }

  /** Reads the feeds without publishing live data. This only updates the memory, on which later readings depend. */
  absorb(): void {
    const { readers } = this
    if (readers === undefined) return
    this.readTrips(readers)
    this.findVehicles(readers)
    this.readAlerts(readers)
    this.noteSeen()
  }

  /** Reads the feeds and publishes the result. */
  publish(): void {
    this.parts.onChange(this.make({ isWhole: false }))
  }

  /**
   * The first instant at or after `millis` at which the content of a feed becomes too old; undefined if there is none.
   * `millis` and the result are in Unix milliseconds.
   */
  expiryAfter(millis: number): number | undefined {
    const ends = this.feeds.flatMap(({ expiries }) => expiries).filter((end) => end >= millis)
    return ends.length === 0 ? undefined : Math.min(...ends)
  }

  /** The unmatched updates in the feeds' newest messages, at most UNMATCHED_SHOWN per feed. */
  listUnmatched(): UnmatchedUpdates[] {
    return this.feeds.map(({ id, unmatched }) => ({
      feed: id,
      total: unmatched.length,
      updates: unmatched.slice(0, UNMATCHED_SHOWN),
    }))
  }

  private open(feed: LiveFeedOrder): LiveFeed {
    const { clock, openSource, memory } = this.parts
    const onFetched = () => this.gather()
    return new LiveFeed({ order: feed, clock, onFetched, openSource, memory: memory?.feeds.get(feed.id) })
  }

  /** Schedules one rebuild for all messages that arrive within GATHER_MILLIS. */
  private gather(): void {
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined
      this.publish()
    }, GATHER_MILLIS)
  }

  /** Publishes new estimated vehicle positions. */
  move(): void {
    if (this.readers === undefined || (this.trips.length === 0 && !this.order.scheduledVehicles)) return
    this.parts.onChange({ ...this.base(), overlay: 'same', vehicles: this.makeVehicles(this.readers), alerts: 'same' })
  }

  private make({ isWhole }: { readonly isWhole: boolean }): PackedLive {
    const { readers } = this
    if (readers !== undefined) this.readTrips(readers)
    const vehicles = readers === undefined ? undefined : this.makeVehicles(readers)
    const overlay = readers === undefined ? undefined : this.makeOverlay(readers)
    const alerts = readers === undefined ? undefined : this.readAlerts(readers)
    this.waitForExpiry()
    return { ...this.base(), vehicles, ...this.sent.next(overlay, alerts, isWhole) }
  }

  private base(): Pick<PackedLive, 'version' | 'feeds' | 'capabilities'> {
    this.noteSeen()
    const capabilities = this.parts.seen.capabilitiesOf(this.order)
    return { version: ++this.version, capabilities, feeds: this.feeds.map((feed) => feed.status()) }
  }

  private noteSeen(): void {
    for (const feed of this.feeds) this.parts.seen.note(this.id, feed.id, this.seenOf(feed))
  }

  /**
   * The kinds of content to record for a feed. Trips and alerts count if the feed has ever contained them. Vehicles
   * count if the current content has a vehicle with a position.
   */
  private seenOf({ hasTrips, hasAlerts, content }: LiveFeed) {
    const hasVehicles = content?.vehicles.some(({ lat }) => lat !== undefined) ?? false
    const isEstimated = hasTrips && (this.knowledge === 'estimated' || this.knowledge === 'mixed')
    return [
      ...(hasTrips ? (['trips'] as const) : []),
      ...(hasVehicles ? (['vehicles'] as const) : []),
      ...(hasAlerts ? (['alerts'] as const) : []),
      ...(isEstimated ? (['estimated'] as const) : []),
    ]
  }

  private readTrips({ trips: reader, snapshot }: Readers): void {
    if (!this.feeds.some(({ hasTrips }) => hasTrips)) return
    const nowSeconds = this.nowSeconds()
    const contents = this.feeds.map((feed) => this.contentOf(feed) ?? silent(nowSeconds))
    const { trips, matches, unmatched, alertSelectors } = reader.read(contents, nowSeconds)
    this.alertSelectors = alertSelectors
    for (const [at, feed] of this.feeds.entries()) {
      const of = matches[at]
      if (feed.content === undefined || of === undefined) continue
      feed.matches = of
      feed.unmatched = unmatched[at] ?? []
      feed.mismatch = mismatchOf(of, feed.unmatched, (id) => findLine(snapshot.timetable, id) !== undefined)
      this.matchLog.note(feed.id, { ...of, mismatch: feed.mismatch }, nowSeconds)
    }
    this.trips = trips
  }

  /** Builds the overlay from the trips and vehicles last read; undefined if no feed has contained trips or vehicles. */
  private makeOverlay({ snapshot }: Readers): PackedOverlay | undefined {
    if (!this.feeds.some(({ hasTrips, hasVehicles }) => hasTrips || hasVehicles)) return undefined
    const meta = {
      snapshotId: snapshot.id,
      version: this.version,
      baseSeconds: Math.floor(this.nowSeconds() / DAY_SECONDS) * DAY_SECONDS,
      feedIds: this.feeds.map(({ id }) => id),
    }
    return packOverlay(buildOverlay(snapshot.timetable, joinPlaced(this.trips, this.placedTrips), meta))
  }

  /** The vehicle tracks in the earlier run's memory, if they belong to this snapshot. */
  private tracksOf({ id }: Snapshot): VehicleMemory['tracks'] {
    const before = this.readers === undefined ? this.parts.memory?.vehicles : undefined
    return before?.snapshotId === id ? before.tracks : undefined
  }

  private makeVehicles(readers: Readers): PackedLive['vehicles'] {
    const { snapshot } = readers
    const { found, nowSeconds, maxAgeSeconds } = this.findVehicles(readers)
    nameVehicles(snapshot.timetable, this.trips, found.vehicles)
    const meta = {
      snapshotId: snapshot.id,
      version: this.version,
      builtSeconds: nowSeconds,
      maxAgeSeconds,
      knowledge: found.knowledge,
    }
    return packVehicles(buildVehicles(snapshot.timetable, found.vehicles, meta))
  }

  private findVehicles({ vehicles: reader }: Readers) {
    const nowSeconds = this.nowSeconds()
    const maxAgeSeconds = Math.max(0, ...this.feeds.map((feed) => feed.maxAgeSeconds))
    const reports = this.feeds.flatMap((each, feed) => {
      const content = this.contentOf(each)
      return content === undefined
        ? []
        : [{ feed, timestampSeconds: content.timestampSeconds, vehicles: content.vehicles }]
    })
    const { scheduledVehicles } = this.order
    const found = reader.read({ reports, trips: this.trips, nowSeconds, maxAgeSeconds, scheduledVehicles })
    this.placedTrips = found.placedTrips
    this.knowledge = found.knowledge
    return { found, nowSeconds, maxAgeSeconds }
  }

  /** Reads the alerts. Returns the same object until an alert changes; undefined if no feed has contained an alert. */
  private readAlerts({ alerts: reader }: Readers): NetworkAlerts | undefined {
    if (!this.feeds.some(({ hasAlerts }) => hasAlerts)) return undefined
    const feeds = this.feeds.flatMap((feed) => {
      const content = this.contentOf(feed, feed.alertContent)
      const derivesSeverity = feed.order.derivesSeverity ?? true
      return content === undefined ? [] : [{ id: feed.id, alerts: this.withDetours(content.alerts), derivesSeverity }]
    })
    const { alerts } = reader.read(feeds, this.nowSeconds())
    const sightings = this.alertMemory.takeChanges()
    if (sightings !== undefined) this.parts.alerts.keep(this.id, sightings)
    return alerts
  }

  /** The content of a feed, with its ids converted to timetable ids. */
  private contentOf({ order, content }: LiveFeed, current = content): FeedContent | undefined {
    return current && (this.readers?.prefixes.apply(current, order.prefix) ?? current)
  }

  /** Adds the stops of modified trips to the alerts to which the trip modifications refer. */
  private withDetours(alerts: readonly AlertReport[]): readonly AlertReport[] {
    if (this.alertSelectors.size === 0) return alerts
    return alerts.map((alert) => {
      const more = this.alertSelectors.get(alert.entityId)
      return more === undefined ? alert : { ...alert, selectors: [...alert.selectors, ...more] }
    })
  }

  /** Schedules a rebuild for the next instant at which a feed's data becomes too old. */
  private waitForExpiry(): void {
    clearTimeout(this.expiry)
    if (!this.isStarted) return
    const now = this.parts.clock.nowMillis()
    const end = this.expiryAfter(now)
    if (end !== undefined) this.expiry = setTimeout(() => this.gather(), end - now + 1)
  }

  private nowSeconds(): number {
    return Math.floor(this.parts.clock.nowMillis() / 1000)
  }
}

/** The trip reader's input for a feed that was never fetched or whose data is too old: no trips. */
function silent(nowSeconds: number): SpokenFeed {
  return { timestampSeconds: nowSeconds, trips: [], isStale: true }
}
