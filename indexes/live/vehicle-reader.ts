// Finds all live vehicles of a network at a given time. Vehicles without a reported position are estimated: from
// predictions and, if enabled, from the timetable.
import type { TripDescriptor } from '../../loaders/gtfs-rt/message.ts'
import type { Timetable } from '../timetable/timetable.ts'
import { type TripInstance, tripRef } from '../timetable/trips.ts'
import { isNewTrip } from './added-names.ts'
import type { LiveVehicle } from './build-vehicles.ts'
import { interpolateVehicle, scheduleVehicle } from './estimated-vehicle.ts'
import type { LiveTrip } from './live-trip.ts'
import { keyOf } from './live-trips.ts'
import { StopFinder } from './match-calls.ts'
import { INSTANCE_DELETED } from './overlay.ts'
import { type PlacedVehicle, tripOfVehicle } from './placed-trips.ts'
import { toVehicleOnLine, toVehicleOnRun, type VehicleGround } from './reported-vehicle.ts'
import { TripPaths } from './trip-paths.ts'
import { TripsUnderWay } from './trips-under-way.ts'
import {
  callAtPlace,
  delayAtPlace,
  isRunning,
  RunHeadsigns,
  runOfInstance,
  runOfLiveTrip,
  type VehicleRun,
} from './vehicle-run.ts'
import { type FeedReports, type Sighting, type VehicleTrack, VehicleTracks } from './vehicle-tracks.ts'
import type { VehicleKnowledge } from './vehicles.ts'

/** The data from which the vehicles of a network are found at one time. */
export interface VehicleQuestion {
  readonly reports: readonly FeedReports[]
  readonly trips: readonly LiveTrip[]
  /** Current time of the service, in seconds after 1970. */
  readonly nowSeconds: number
  /** Maximum age of a reported position in seconds; older positions are dropped. */
  readonly maxAgeSeconds: number
  /** Whether to show trips without live data at their scheduled positions. */
  readonly scheduledVehicles: boolean
}

/** The vehicles that `read` finds. */
export interface FoundVehicles {
  readonly vehicles: readonly LiveVehicle[]
  /** Number of reported vehicles that are shown. */
  readonly reported: number
  /** Number of these reported vehicles that matched a trip. */
  readonly matched: number
  /** Counts of ignored parts of messages, by reason. */
  readonly reasons: Readonly<Record<string, number>>
  /** All kinds of positions that the network has had so far, including those that it does not have now. */
  readonly knowledge: VehicleKnowledge
  /** Live trips that have no trip update. Their delay was derived from the position of their vehicle. */
  readonly placedTrips: readonly LiveTrip[]
}

/** Returns the instance that a descriptor matches at a given time; undefined if it matches no instance or several. */
export type MatchTrip = (descriptor: TripDescriptor, nowSeconds: number) => TripInstance | undefined

/** A delay is derived from a position only if the position is at most this far from the path, and at most this old. */
const BESIDE_WAY_METERS = 200
const TRUE_PLACE_SECONDS = 90
/**
 * If a trip names a vehicle, the vehicle can be on the trip from this many seconds before the trip starts until this
 * many seconds after it ends.
 */
const AROUND_TRIP_SECONDS = 600

/** Cached results, which make it fast to read unchanged input. */
interface KeptRuns {
  /** The runs that had no live data in the last call of `read`, by key. */
  silent: ReadonlyMap<string, VehicleRun>
  readonly live: WeakMap<LiveTrip, VehicleRun>
  readonly named: WeakMap<TripDescriptor, TripInstance>
  readonly shown: WeakMap<Sighting, { readonly run: VehicleRun; readonly vehicle: LiveVehicle | undefined }>
}

/** A reported vehicle and the run to which its report refers. */
interface Claim {
  readonly track: VehicleTrack
  readonly run: VehicleRun
}

/** Data about the vehicles from earlier calls of `read`. */
export interface VehicleMemory {
  readonly knowledge?: VehicleKnowledge
  /** Tracks from an earlier reader for the same timetable. */
  readonly tracks?: ReadonlyMap<string, VehicleTrack> | undefined
}

/**
 * Finds the live vehicles of a network. Remembers their previous positions, and caches results that stay the same from
 * one call of `read` to the next.
 */
export class VehicleReader {
  private readonly ground: VehicleGround
  private readonly matchTrip: MatchTrip
  private readonly tracks: VehicleTracks
  private readonly underWay: TripsUnderWay
  private readonly kept: KeptRuns = {
    silent: new Map(),
    live: new WeakMap(),
    named: new WeakMap(),
    shown: new WeakMap(),
  }
  private hasReported: boolean
  private hasEstimated: boolean

  /** @param before data about the network's vehicles from the reader of the previous snapshot */
  constructor(timetable: Timetable, matchTrip: MatchTrip, before: VehicleMemory = {}) {
    const { knowledge = 'none', tracks } = before
    this.hasReported = knowledge === 'gps' || knowledge === 'mixed'
    this.hasEstimated = knowledge === 'estimated' || knowledge === 'mixed'
    this.ground = {
      timetable,
      paths: new TripPaths(timetable),
      find: new StopFinder(timetable),
      headsigns: new RunHeadsigns(timetable),
    }
    this.matchTrip = matchTrip
    this.tracks = new VehicleTracks(timetable, tracks)
    this.underWay = new TripsUnderWay(timetable)
  }

  /** The tracks of all vehicles. The caller must copy them, because they change later. */
  get knownTracks(): ReadonlyMap<string, VehicleTrack> {
    return this.tracks.known
  }

  read(question: VehicleQuestion): FoundVehicles {
    const reading = new Reading(this.ground, question, this.kept)
    const { vehicles: reported, placedTrips } = this.readReported(question, reading)
    const estimated = [
      ...reading.interpolateOthers(),
      ...(question.scheduledVehicles ? reading.scheduleOthers(this.underWay.list(question.nowSeconds)) : []),
    ]
    this.kept.silent = reading.silentRuns
    this.hasReported ||= reported.length > 0
    this.hasEstimated ||= estimated.length > 0
    return {
      vehicles: [...reported, ...estimated],
      reported: reported.length,
      matched: reported.filter(({ tripRef }) => tripRef !== '').length,
      reasons: reading.reasons,
      knowledge: this.knowledge(),
      placedTrips,
    }
  }

  private knowledge(): VehicleKnowledge {
    if (this.hasReported) return this.hasEstimated ? 'mixed' : 'gps'
    return this.hasEstimated ? 'estimated' : 'none'
  }

  private readReported(question: VehicleQuestion, reading: Reading): Pick<FoundVehicles, 'vehicles' | 'placedTrips'> {
    const claims = new Map<string, Claim>()
    const vehicles: LiveVehicle[] = []
    const placedTrips: LiveTrip[] = []
    for (const track of this.tracks.follow(question.reports, question, reading.count)) {
      const run = reading.runOf(track, this.matchTrip)
      if (run === undefined) {
        const vehicle = toVehicleOnLine(this.ground, track)
        if (vehicle === undefined) reading.count('vehicle_without_line')
        else vehicles.push(vehicle)
      } else if (run.state === INSTANCE_DELETED) reading.count('deleted_trip')
      else claim(claims, { track, run }, reading.count)
    }
    for (const { track, run } of claims.values()) {
      const vehicle = this.vehicleOnRun(track, run)
      if (vehicle === undefined) reading.count('off_shape')
      else {
        vehicles.push(vehicle)
        reading.shown.add(run.ref)
        const placed = reading.placeOf(track, run)
        if (placed !== undefined) placedTrips.push(tripOfVehicle(this.ground.timetable, placed, question.nowSeconds))
      }
    }
    for (const { id } of vehicles) reading.shownIds.add(id)
    return { vehicles, placedTrips }
  }

  /** Converts a vehicle on a run. The result is cached: it is always the same for the same report and run. */
  private vehicleOnRun(track: VehicleTrack, run: VehicleRun): LiveVehicle | undefined {
    const known = this.kept.shown.get(track.now)
    if (known?.run === run) return known.vehicle
    const vehicle = toVehicleOnRun(this.ground, track, run)
    this.kept.shown.set(track.now, { run, vehicle })
    return vehicle
  }
}

/**
 * Assigns a trip to the vehicle that reported the trip last. If two vehicles reported it at the same time, the trip is
 * assigned to the vehicle with the lower id.
 */
function claim(claims: Map<string, Claim>, one: Claim, count: (reason: string) => void): void {
  const other = claims.get(one.run.ref)
  if (other === undefined) {
    claims.set(one.run.ref, one)
    return
  }
  count('trip_claimed_twice')
  const later = one.track.now.recordedSeconds - other.track.now.recordedSeconds
  if (later > 0 || (later === 0 && one.track.id < other.track.id)) claims.set(one.run.ref, one)
}

/** The state of one call of `read`. */
class Reading {
  readonly reasons: Record<string, number> = {}
  /** Refs of the trips that already have a vehicle. */
  readonly shown = new Set<string>()
  /** Ids of the vehicles that are reported, or that are estimated from a live trip. */
  readonly shownIds = new Set<string>()
  readonly silentRuns = new Map<string, VehicleRun>()
  private readonly ground: VehicleGround
  private readonly question: VehicleQuestion
  private readonly kept: KeptRuns
  private readonly tripByKey = new Map<string, LiveTrip>()
  /** The live trips that are not in the timetable, by the feed's trip id. */
  private readonly addedById = new Map<string, LiveTrip[]>()
  private readonly tripsByVehicle = new Map<string, LiveTrip[]>()

  constructor(ground: VehicleGround, question: VehicleQuestion, kept: KeptRuns) {
    this.ground = ground
    this.question = question
    this.kept = kept
    for (const trip of question.trips) {
      this.tripByKey.set(keyOf(trip), trip)
      if (trip.instance === undefined) append(this.addedById, trip.name, trip)
      if (trip.vehicle !== '') append(this.tripsByVehicle, trip.vehicle, trip)
    }
  }

  readonly count = (reason: string): void => {
    this.reasons[reason] = (this.reasons[reason] ?? 0) + 1
  }

  /** The run of a vehicle: the run that the vehicle names, otherwise the only running trip that names the vehicle. */
  runOf(track: VehicleTrack, matchTrip: MatchTrip): VehicleRun | undefined {
    const { trip } = track.now.report
    const isNamed = trip?.tripId !== undefined || trip?.startSeconds !== undefined
    if (trip === undefined || !isNamed) {
      const named = this.tripsNaming(track)
      return named.length === 1 && named[0] !== undefined ? this.liveRun(named[0]) : undefined
    }
    const added = this.addedTrip(trip)
    if (added !== undefined) return this.liveRun(added)
    const instance = isNewTrip(trip) ? undefined : this.instanceOf(trip, matchTrip)
    if (instance === undefined) {
      this.count('vehicle_without_trip')
      return undefined
    }
    const live = this.tripByKey.get(keyOf({ instance, ref: '' }))
    return live === undefined ? this.silentRun(instance) : this.liveRun(live)
  }

  /**
   * The position of a vehicle on its trip, with the delay there. Undefined if a feed has an update for the trip, or if
   * the position does not show a delay.
   */
  placeOf({ now, progress }: VehicleTrack, run: VehicleRun): PlacedVehicle | undefined {
    const { instance } = run
    const { recordedSeconds, report, feed } = now
    if (instance === undefined || progress === undefined || progress.aside > BESIDE_WAY_METERS) return undefined
    if (this.question.nowSeconds - recordedSeconds > TRUE_PLACE_SECONDS) return undefined
    const live = this.tripByKey.get(keyOf({ instance, ref: '' }))
    if (live !== undefined && !live.isCarried) return undefined
    const delaySeconds = delayAtPlace(run, progress.along, recordedSeconds)
    const call = callAtPlace(run, progress.along)
    // If a vehicle is past the first stop although the first departure is still ahead, the vehicle is not early: it
    // waits nearby or is on its way to the first stop.
    const isWaiting = call > 0 && recordedSeconds < run.calls[0].scheduled.departure
    const vehicle = report.vehicle?.id ?? ''
    return delaySeconds === undefined || isWaiting
      ? undefined
      : { instance, call, delaySeconds, recordedSeconds, feed, vehicle }
  }

  /** Estimates the vehicles of live trips without a reported vehicle. */
  interpolateOthers(): LiveVehicle[] {
    const { nowSeconds, trips } = this.question
    const found: LiveVehicle[] = []
    for (const trip of trips.toSorted((a, b) => startOf(a) - startOf(b))) {
      if (!isUnderWay(trip, nowSeconds, 0) || this.shownIds.has(trip.vehicle)) continue
      const run = this.liveRun(trip)
      if (this.shown.has(run.ref) || !isRunning(run)) continue
      const vehicle = interpolateVehicle(this.ground.headsigns, run, nowSeconds)
      if (vehicle === undefined) continue
      this.shown.add(run.ref)
      this.shownIds.add(vehicle.id)
      found.push(vehicle)
    }
    return found
  }

  /** Estimates vehicles from the timetable, for trips without any other vehicle. */
  scheduleOthers(instances: readonly TripInstance[]): LiveVehicle[] {
    const found: LiveVehicle[] = []
    for (const instance of instances) {
      const live = this.tripByKey.get(keyOf({ instance, ref: '' }))
      const run = live === undefined ? this.silentRun(instance) : this.liveRun(live)
      if (this.shown.has(run.ref) || !isRunning(run)) continue
      if (live !== undefined && this.shownIds.has(live.vehicle)) continue
      const vehicle = scheduleVehicle(this.ground.headsigns, run, this.question.nowSeconds)
      if (vehicle !== undefined) found.push(vehicle)
    }
    return found
  }

  /**
   * The instance that a descriptor matches. If the descriptor has a date, the match is always the same, so it is
   * cached.
   */
  private instanceOf(trip: TripDescriptor, matchTrip: MatchTrip): TripInstance | undefined {
    const known = this.kept.named.get(trip)
    if (known !== undefined) return known
    const instance = matchTrip(trip, this.question.nowSeconds)
    if (instance !== undefined && trip.startDate !== undefined) this.kept.named.set(trip, instance)
    return instance
  }

  private tripsNaming({ id }: VehicleTrack): LiveTrip[] {
    const named = this.tripsByVehicle.get(id) ?? []
    return named.filter((trip) => isUnderWay(trip, this.question.nowSeconds, AROUND_TRIP_SECONDS))
  }

  /** The live trip that has this id and is not in the timetable; undefined unless there is exactly one such trip. */
  private addedTrip(descriptor: TripDescriptor): LiveTrip | undefined {
    const { tripId, startDate } = descriptor
    const named = tripId === undefined ? [] : (this.addedById.get(tripId) ?? [])
    // If the timetable also has a trip with this id, the descriptor must say that it refers to a new trip.
    const fitting = named.filter(
      ({ ref, name }) =>
        (startDate === undefined || ref.startsWith(startDate)) &&
        (isNewTrip(descriptor) || ref.length === DATE_LENGTH + 1 + name.length),
    )
    return fitting.length === 1 ? fitting[0] : undefined
  }

  private liveRun(trip: LiveTrip): VehicleRun {
    const known = this.kept.live.get(trip)
    if (known !== undefined) return known
    const run = runOfLiveTrip(this.ground.timetable, this.ground.paths, trip)
    this.kept.live.set(trip, run)
    return run
  }

  private silentRun(instance: TripInstance): VehicleRun {
    const key = keyOf({ instance, ref: '' })
    const run =
      this.silentRuns.get(key) ??
      this.kept.silent.get(key) ??
      runOfInstance(this.ground.timetable, this.ground.paths, instance)
    this.silentRuns.set(key, run)
    return run
  }
}

/** Length of the date at the start of an added trip's ref. */
const DATE_LENGTH = 8

function isUnderWay({ calls }: LiveTrip, seconds: number, aroundSeconds: number): boolean {
  const first = calls.find((call) => !call.isSkipped)
  const last = calls.findLast((call) => !call.isSkipped)
  if (first === undefined || last === undefined) return false
  return first.departure - aroundSeconds <= seconds && seconds < last.arrival + aroundSeconds
}

/**
 * The time at which a trip starts. If several trips name the same vehicle, the vehicle is shown on the trip that starts
 * first.
 */
function startOf({ calls }: LiveTrip): number {
  return calls[0]?.departure ?? 0
}

/**
 * Sets the vehicle of each trip to the vehicle that reports the trip as its own. This way, boards and vehicle lists
 * show the same vehicle.
 */
export function nameVehicles(timetable: Timetable, trips: readonly LiveTrip[], found: readonly LiveVehicle[]): void {
  const reported = new Map(
    found.filter(({ source, isNamed }) => source === 'gps' && isNamed).map(({ tripRef, id }) => [tripRef, id]),
  )
  for (const trip of trips) {
    const id = reported.get(trip.instance === undefined ? trip.ref : tripRef(timetable, trip.instance))
    if (id === undefined) delete trip.reportedBy
    else trip.reportedBy = id
  }
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  lists.getOrInsertComputed(key, () => []).push(value)
}
