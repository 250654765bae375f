// The city of a peer's case. The real import reads its timetable, and the real decoder reads its messages. The
// resulting trips, boards, vehicles and journeys are returned as short strings, so that a test can compare them as a
// whole.
import { buildOverlay } from '../../../indexes/live/build-overlay.ts'
import { FeedState } from '../../../indexes/live/feed-state.ts'
import { listBoard } from '../../../indexes/live/live-boards.ts'
import { refOfInstance } from '../../../indexes/live/live-order.ts'
import { LiveTripReader, type LiveTrips } from '../../../indexes/live/live-trips.ts'
import {
  CALL_PREDICTED,
  CALL_SKIPPED,
  INSTANCE_ADDED,
  INSTANCE_CANCELED,
  INSTANCE_DELETED,
  INSTANCE_UNSCHEDULED,
  type InstanceIndex,
  type LiveCallIndex,
  liveHeadsign,
  type Overlay,
} from '../../../indexes/live/overlay.ts'
import { nameVehicles, VehicleReader } from '../../../indexes/live/vehicle-reader.ts'
import { findServiceDay, serviceDate } from '../../../indexes/timetable/service-dates.ts'
import { findStop } from '../../../indexes/timetable/stops.ts'
import { isActive, type StopIndex, type Timetable } from '../../../indexes/timetable/timetable.ts'
import { findTrip, stopHeadsign } from '../../../indexes/timetable/trips.ts'
import { decodeMessage } from '../../../loaders/gtfs-rt/decode-message.ts'
import { textOf } from '../../../loaders/strings.ts'
import { liveDepartureOf } from '../../../src/rendering/live-departure.ts'
import { realtimeFeed } from '../../feeds/realtime-feed.ts'
import { timetableOf } from '../../indexes/built-feed.ts'
import { zeroSeconds } from '../../oracles/text-dates.ts'
import { answersOf, type PlannedGround, planTimetable } from '../../planned-journeys.ts'
import { type Entity, type ReportedUpdate, toEntity } from './short-updates.ts'
import { type CitySketch, DAY, sketchedFeed } from './sketched-feed.ts'

const HOUR_SECONDS = 3600
const MAX_AGE_SECONDS = 600
const MOST_ROWS = 50
const NO_WALK = { maxWalkMeters: 0, followedSeconds: 72 * HOUR_SECONDS }

/** A vehicle in a case. It is at a stop, or at a latitude and longitude. */
export interface ReportedVehicle {
  readonly id?: string
  readonly trip?: string
  readonly date?: string
  readonly start?: string
  readonly route?: string
  readonly at?: string | readonly [lat: number, lon: number]
  readonly bearing?: number
  readonly sequence?: number
  readonly stop?: string
  /** 0 incoming, 1 stopped, 2 in transit. */
  readonly status?: number
  /** The number of the OccupancyStatus value. */
  readonly occupancy?: number
  /** HH:MM on the service day; the default is the time of the message. */
  readonly time?: string
}

/** The members of a message other than its trip updates. */
export interface MessageMore {
  readonly isDifferential?: boolean
  readonly deleted?: readonly string[]
  readonly vehicles?: readonly ReportedVehicle[]
}

/** A timetable with one live feed. */
export class PeerCity {
  readonly timetable: Timetable
  private readonly day: string
  private readonly zone: string
  private readonly ground: PlannedGround
  private readonly trips: LiveTripReader
  private readonly vehicleReader: VehicleReader
  private state = new FeedState()
  private liveTrips: LiveTrips | undefined
  private overlay: Overlay | undefined
  private nowSeconds = 0

  private constructor(timetable: Timetable, sketch: CitySketch) {
    this.timetable = timetable
    this.day = sketch.dates?.[0] ?? DAY
    this.zone = sketch.zone ?? 'Europe/Paris'
    this.ground = planTimetable(timetable)
    this.trips = new LiveTripReader(timetable)
    this.vehicleReader = new VehicleReader(timetable, (descriptor, now) => this.trips.matchTrip(descriptor, now))
  }

  static async open(sketch: CitySketch): Promise<PeerCity> {
    return new PeerCity(await timetableOf(sketchedFeed(sketch)), sketch)
  }

  /**
   * A time on the city's service day, or on another day, in Unix seconds. @param time HH:MM or HH:MM:SS; hours may be
   * 24 or more
   */
  at(time: string, date = this.day): number {
    const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
    return zeroSeconds(this.zone, date) + hours * HOUR_SECONDS + minutes * 60 + seconds
  }

  /** Publishes a message with these updates in the live feed. */
  publish(time: string, updates: readonly ReportedUpdate[], more: MessageMore = {}): this {
    const now = this.at(time)
    this.nowSeconds = now
    const deleted = (more.deleted ?? []).map((id): Entity => ({ id, isDeleted: true }))
    const entities = [
      ...updates.map((reported) =>
        toEntity(reported, this.day, (clock) => this.at(clock, reported.more.date || this.day)),
      ),
      ...(more.vehicles ?? []).map((vehicle, order) => this.toVehicle(vehicle, order)),
      ...deleted,
    ]
    const bytes = realtimeFeed(now, entities, more.isDifferential ? 'DIFFERENTIAL' : 'FULL_DATASET')
    this.state.apply(decodeMessage(bytes), now)
    const { current } = this.state
    if (current === undefined) throw new Error('the feed has published nothing')
    this.liveTrips = this.trips.read([current], now)
    const meta = { snapshotId: 's', version: 1, baseSeconds: now, feedIds: ['f'] }
    this.overlay = buildOverlay(this.timetable, this.liveTrips.trips, meta)
    return this
  }

  /** How many updates matched a trip, and the number of updates or calls that were skipped or changed, by reason. */
  get tally(): { readonly matched: number; readonly reasons: Readonly<Record<string, number>> } {
    const [match] = this.liveTrips?.matches ?? []
    return { matched: match?.matched ?? 0, reasons: { ...match?.reasons } }
  }

  /**
   * The current state of a trip: `runs | A 10:00 | B 10:11-10:12 | C 10:20? | D x`, where `?` marks a time without a
   * prediction and `x` a skipped call. The result is `planned` if the feed does not report the trip, and `none` if the
   * trip does not exist.
   */
  trip(name: string, date = this.day): string {
    const { overlay, timetable } = this
    const ref = `${date}:${name}`
    const count = overlay?.instances.trip.length ?? 0
    for (let at = 0; overlay !== undefined && at < count; at++) {
      const instance = at as InstanceIndex
      if (refOfInstance(timetable, overlay, instance) === ref) return this.callsOf(overlay, instance, date)
    }
    return this.isPlanned(name, date) ? 'planned' : 'none'
  }

  private callsOf(overlay: Overlay, instance: InstanceIndex, date: string): string {
    const { instances, calls, meta } = overlay
    const words: string[] = [STATES[instances.state[instance]] ?? 'runs']
    const end = instances.callOffset[(instance + 1) as InstanceIndex]
    for (let call = instances.callOffset[instance]; call < end; call = (call + 1) as LiveCallIndex) {
      const stop = textOf(this.timetable.strings, this.timetable.stops.id[calls.stop[call]])
      const [from, to] = [calls.arrival[call], calls.departure[call]].map((each) =>
        this.clock(each + meta.baseSeconds, date),
      )
      const isKnown = (calls.flags[call] & CALL_PREDICTED) !== 0
      const times = `${from === to ? from : `${from}-${to}`}${isKnown ? '' : '?'}`
      words.push(`${stop} ${(calls.flags[call] & CALL_SKIPPED) === 0 ? times : 'x'}`)
    }
    return words.join(' | ')
  }

  private isPlanned(name: string, date: string): boolean {
    const { timetable } = this
    const trip = findTrip(timetable, name)
    const day = findServiceDay(timetable, date)
    return trip !== undefined && day !== undefined && isActive(timetable, timetable.trips.service[trip], day)
  }

  /**
   * The departures from a stop in the next few hours: `trip scheduled expected status`. The expected time is `-` if
   * there is no prediction.
   */
  board(stop: string, hours = 4): string[] {
    return this.rows(stop, hours).map(({ text }) => text)
  }

  /** The headsigns of the departures from a stop in the next few hours. */
  headsigns(stop: string, hours = 4): string[] {
    return this.rows(stop, hours).map(({ headsign }) => headsign)
  }

  private rows(stop: string, hours: number): { readonly text: string; readonly headsign: string }[] {
    const { timetable, overlay, nowSeconds } = this
    const window = { fromSeconds: nowSeconds, toSeconds: nowSeconds + hours * HOUR_SECONDS }
    const query = { stops: [this.stop(stop)], ...window, lines: undefined, directionId: undefined, limit: MOST_ROWS }
    return listBoard(timetable, overlay, query).map((row) => {
      if (row.kind === 'scheduled') {
        const name = this.named(
          `${serviceDate(timetable, row.day)}:${textOf(timetable.strings, timetable.trips.id[row.trip])}`,
        )
        const headsign = stopHeadsign(timetable, row.trip, row.position)
        return { text: `${name} ${this.clock(row.departureSeconds)} - planned`, headsign }
      }
      if (overlay === undefined) throw new Error('a live row has no overlay')
      const live = liveDepartureOf(overlay, row.call)
      const name = this.named(refOfInstance(timetable, overlay, overlay.calls.instance[row.call]))
      const expected = live.expectedSeconds === undefined ? '-' : this.clock(live.expectedSeconds)
      const headsign = liveHeadsign(timetable, overlay, row.call)
      return { text: `${name} ${this.clock(live.scheduledSeconds)} ${expected} ${live.status}`, headsign }
    })
  }

  /**
   * The journey that arrives first among those that leave at `time` or later, such as `A 10:00 F S1 10:30, S2 10:40 G B
   * 11:00`; `none` if no journey leaves within 24 hours.
   */
  ride(from: string, to: string, time: string): string {
    return this.journey(from, to, { seconds: this.at(time), isArriveBy: false })
  }

  /** The journey that leaves last among those that arrive by `time`, in the same form as from `ride`. */
  rideBy(from: string, to: string, time: string): string {
    return this.journey(from, to, { seconds: this.at(time), isArriveBy: true })
  }

  private journey(from: string, to: string, when: { readonly seconds: number; readonly isArriveBy: boolean }): string {
    const { overlay, ground } = this
    const answers = answersOf(overlay === undefined ? ground : { ...ground, overlay })
    const found = answers.journeys({ from: this.end(from), to: this.end(to), ...when, ...NO_WALK }, 1)
    const best = found.toSorted((a, b) => (when.isArriveBy ? b.departs - a.departs : a.arrives - b.arrives))[0]
    if (best === undefined) return 'none'
    return best.rides
      .map(({ stopIds, departs, arrives, tripRef }) => {
        const name = this.named(tripRef)
        return `${stopIds[0]} ${this.clock(departs)} ${name} ${stopIds.at(-1)} ${this.clock(arrives)}`
      })
      .join(', ')
  }

  private end(id: string) {
    return { kind: findStop(this.timetable, id) === undefined ? ('area' as const) : ('stop' as const), id }
  }

  /** The vehicles with a reported position: `id trip status next-stop`, followed by the occupancy if known. */
  vehicles(): string[] {
    const { current } = this.state
    const { trips = [] } = this.liveTrips ?? {}
    if (current === undefined) return []
    const found = this.vehicleReader.read({
      reports: [{ feed: 0, timestampSeconds: current.timestampSeconds, vehicles: current.vehicles }],
      trips,
      nowSeconds: this.nowSeconds,
      maxAgeSeconds: MAX_AGE_SECONDS,
      scheduledVehicles: false,
    })
    nameVehicles(this.timetable, trips, found.vehicles)
    const idOf = (stop: StopIndex | undefined) =>
      stop === undefined ? '-' : textOf(this.timetable.strings, this.timetable.stops.id[stop])
    return found.vehicles
      .filter(({ source }) => source === 'gps')
      .map(({ id, tripRef, status, nextStop, occupancy }) =>
        [id, this.named(tripRef), status, idOf(nextStop), occupancy].filter((each) => each !== undefined).join(' '),
      )
  }

  private toVehicle(vehicle: ReportedVehicle, order: number): Entity {
    const { at, trip, date, start, route } = vehicle
    const stop = typeof at === 'string' ? this.stop(at) : undefined
    const { lat, lon } = this.timetable.stops
    const place = stop === undefined ? at : [lat[stop], lon[stop]]
    const hasTrip = trip !== undefined || route !== undefined
    return {
      id: `vehicle ${order}`,
      vehicle: {
        ...(vehicle.id === undefined ? {} : { vehicle: { id: vehicle.id } }),
        ...(hasTrip
          ? {
              trip: {
                ...(trip === undefined ? {} : { tripId: trip }),
                ...(date === '' ? {} : { startDate: date ?? this.day }),
                ...(start === undefined ? {} : { startTime: start }),
                ...(route === undefined ? {} : { routeId: route }),
              },
            }
          : {}),
        ...(place === undefined
          ? {}
          : { position: { latitude: Number(place[0]), longitude: Number(place[1]), bearing: vehicle.bearing ?? 0 } }),
        ...(vehicle.sequence === undefined ? {} : { currentStopSequence: vehicle.sequence }),
        ...(vehicle.stop === undefined ? {} : { stopId: vehicle.stop }),
        ...(vehicle.status === undefined ? {} : { currentStatus: vehicle.status }),
        ...(vehicle.occupancy === undefined ? {} : { occupancyStatus: vehicle.occupancy }),
        ...(vehicle.time === undefined ? {} : { timestamp: this.at(vehicle.time) }),
      },
    }
  }

  private stop(id: string): StopIndex {
    const found = findStop(this.timetable, id)
    if (found === undefined) throw new Error(`there is no stop ${id}`)
    return found
  }

  /** A trip's reference, without the date if that is the city's day. */
  private named(ref: string): string {
    return ref.startsWith(`${this.day}:`) ? ref.slice(this.day.length + 1) : ref
  }

  /** A time on a service day: `HH:MM`, or `HH:MM:SS` if it is not a whole minute. Hours may be 24 or more. */
  private clock(seconds: number, date = this.day): string {
    const since = seconds - zeroSeconds(this.zone, date)
    const two = (number: number) => String(number).padStart(2, '0')
    const minutes = `${two(Math.floor(since / HOUR_SECONDS))}:${two(Math.floor(since / 60) % 60)}`
    return since % 60 === 0 ? minutes : `${minutes}:${two(since % 60)}`
  }
}

/** The words for the states of a trip instance, except for an instance that runs normally. */
const STATES: Readonly<Record<number, string>> = {
  [INSTANCE_CANCELED]: 'canceled',
  [INSTANCE_DELETED]: 'deleted',
  [INSTANCE_ADDED]: 'added',
  [INSTANCE_UNSCHEDULED]: 'unscheduled',
}
