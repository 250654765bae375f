// Rejects implausible vehicle reports, and remembers the previous position of each vehicle. The previous position is
// used to prevent backward jumps and to compute speeds.
import type { VehicleReport } from '../../loaders/gtfs-rt/message.ts'
import { greatCircleMeters } from '../spatial/great-circle.ts'
import { bearingBetween, type Place } from '../spatial/ground-path.ts'
import { STOP_HAS_CALLS, type StopIndex, type Timetable } from '../timetable/timetable.ts'

/** The reasons why reports are ignored or repaired. */
export type ReportFlaw =
  | 'no_position'
  | 'bad_position'
  | 'outside_network'
  | 'old_position'
  | 'older_report'
  | 'repeated_vehicle'
  | 'future_report'

/** The reports of one feed. */
export interface FeedReports {
  readonly feed: number
  readonly timestampSeconds: number
  readonly vehicles: readonly VehicleReport[]
}

/** A vehicle at one time, as a feed reported it. */
export interface Sighting extends Place {
  readonly report: VehicleReport
  readonly feed: number
  /** Time of the position in seconds after 1970, never later than the current time of the service. */
  readonly recordedSeconds: number
  /** The time of the position according to the feed. */
  readonly timestampSeconds: number
}

/**
 * The last positions of one vehicle. The vehicle is identified by its vehicle id or, if the feed has none, by the
 * entity id.
 */
export interface VehicleTrack {
  readonly id: string
  now: Sighting
  /** The last sighting whose time is earlier than that of `now`. */
  before: Sighting | undefined
  /** Bearing of the last move in degrees clockwise from north; undefined before the first move. */
  moveBearing: number | undefined
  /** Position of the vehicle at the time of `now`, in meters along the run that `key` identifies. */
  progress: { readonly key: string; readonly along: number; readonly aside: number; readonly at: Sighting } | undefined
  /** The same as `progress`, but at the time of `before`. */
  progressBefore: VehicleTrack['progress']
}

/** Maximum distance of a vehicle from the box around its network's stops. */
const OUTSIDE_METERS = 10_000
/** Positions this close to 0,0 are invalid: receivers that do not have a position send 0,0. */
const NO_FIX_DEGREES = 0.001
/** Maximum time by which a report may be ahead of the service's clock. */
const AHEAD_SECONDS = 60
/** Minimum distance between two positions from which a bearing is computed, in meters. */
const MOVE_METERS = 15
/** A vehicle that has not reported for this long is forgotten. */
const FORGET_SECONDS = 1800

/** The tracks of a network's vehicles. They are kept from one build of the live vehicles to the next. */
export class VehicleTracks {
  private readonly bounds: { readonly center: Place; readonly box: Box }
  private readonly tracks: Map<string, VehicleTrack>

  /**
   * @param before tracks from an earlier process for the same timetable; they are changed here, so nothing else may use
   * them
   */
  constructor(timetable: Timetable, before: ReadonlyMap<string, VehicleTrack> = new Map()) {
    this.bounds = boundsOf(timetable)
    this.tracks = new Map(before)
  }

  /** All current tracks. The caller must copy them, because they change later. */
  get known(): ReadonlyMap<string, VehicleTrack> {
    return this.tracks
  }

  /**
   * The vehicles that feeds report now. Each vehicle is listed once, at its newest plausible position.
   * @param maxAgeSeconds maximum age of a position
   */
  follow(
    feeds: readonly FeedReports[],
    at: { readonly nowSeconds: number; readonly maxAgeSeconds: number },
    count: (flaw: ReportFlaw) => void,
  ): VehicleTrack[] {
    const newest = new Map<string, Sighting>()
    for (const feed of feeds) {
      for (const report of feed.vehicles) {
        const sighting = this.check(report, { feed: feed.feed, feedSeconds: feed.timestampSeconds, ...at }, count)
        if (sighting === undefined) continue
        const id = report.vehicle?.id ?? report.entityId
        const known = newest.get(id)
        if (known !== undefined) count('repeated_vehicle')
        if (known === undefined || known.recordedSeconds < sighting.recordedSeconds) newest.set(id, sighting)
      }
    }
    const current: VehicleTrack[] = []
    for (const [id, sighting] of newest) {
      const track = this.advance(id, sighting, count)
      if (at.nowSeconds - track.now.recordedSeconds > at.maxAgeSeconds) count('old_position')
      else current.push(track)
    }
    this.forget(at.nowSeconds)
    return current
  }

  private check(
    report: VehicleReport,
    at: { readonly feed: number; readonly feedSeconds: number; readonly nowSeconds: number },
    count: (flaw: ReportFlaw) => void,
  ): Sighting | undefined {
    const { lat, lon } = report
    const flaw = lat === undefined || lon === undefined ? 'no_position' : this.flawOfPlace({ lat, lon })
    if (lat === undefined || lon === undefined || flaw !== undefined) {
      count(flaw ?? 'no_position')
      return undefined
    }
    const timestampSeconds = report.timestampSeconds ?? at.feedSeconds
    if (timestampSeconds > at.nowSeconds + AHEAD_SECONDS) count('future_report')
    return {
      lat,
      lon,
      report,
      feed: at.feed,
      timestampSeconds,
      recordedSeconds: Math.min(timestampSeconds, at.nowSeconds),
    }
  }

  private flawOfPlace(place: Place): ReportFlaw | undefined {
    const { lat, lon } = place
    if (!(Math.abs(lat) <= 90 && Math.abs(lon) <= 180)) return 'bad_position'
    if (Math.abs(lat) < NO_FIX_DEGREES && Math.abs(lon) < NO_FIX_DEGREES) return 'bad_position'
    return metersOutside(this.bounds, place) > OUTSIDE_METERS ? 'outside_network' : undefined
  }

  /** Returns the track of a vehicle, and adds the sighting to it unless the sighting is older than the last one. */
  private advance(id: string, sighting: Sighting, count: (flaw: ReportFlaw) => void): VehicleTrack {
    const track = this.tracks.get(id)
    if (track === undefined) {
      const fresh: VehicleTrack = {
        id,
        now: sighting,
        before: undefined,
        moveBearing: undefined,
        progress: undefined,
        progressBefore: undefined,
      }
      this.tracks.set(id, fresh)
      return fresh
    }
    const { now } = track
    if (sighting.timestampSeconds === now.timestampSeconds && sighting.lat === now.lat && sighting.lon === now.lon) {
      // A report with the same time and position may have changed in other fields. `recordedSeconds` keeps its first
      // value, because the report's time may be ahead of the clock.
      if (sighting.report !== now.report) track.now = { ...sighting, recordedSeconds: now.recordedSeconds }
      if (track.progress?.at === now) track.progress = { ...track.progress, at: track.now }
      return track
    }
    if (sighting.recordedSeconds < now.recordedSeconds) {
      count('older_report')
      return track
    }
    if (sighting.recordedSeconds > now.recordedSeconds) {
      track.before = now
      track.progressBefore = track.progress
      if (greatCircleMeters(now.lat, now.lon, sighting.lat, sighting.lon) >= MOVE_METERS) {
        track.moveBearing = bearingBetween(now, sighting)
      }
    }
    track.now = sighting
    track.progress = undefined
    return track
  }

  private forget(nowSeconds: number): void {
    for (const [id, track] of this.tracks) {
      if (nowSeconds - track.now.recordedSeconds > FORGET_SECONDS) this.tracks.delete(id)
    }
  }
}

/** A box in degrees. Its longitudes are relative to the longitude of a center point. */
interface Box {
  readonly south: number
  readonly north: number
  readonly west: number
  readonly east: number
}

/**
 * A box around all served stops. Longitudes are relative to one of these stops, so that the box can cross the
 * antimeridian.
 */
function boundsOf({ stops }: Timetable): { center: Place; box: Box } {
  const box = { south: Infinity, north: -Infinity, west: Infinity, east: -Infinity }
  let center: Place | undefined
  for (let stop = 0 as StopIndex; stop < stops.id.length; stop++) {
    if ((stops.callKinds[stop] & STOP_HAS_CALLS) === 0) continue
    const place = { lat: stops.lat[stop], lon: stops.lon[stop] }
    // Leave out stops without coordinates.
    if (Math.abs(place.lat) < NO_FIX_DEGREES && Math.abs(place.lon) < NO_FIX_DEGREES) continue
    center ??= place
    const lon = lonFrom(center, place)
    box.south = Math.min(box.south, place.lat)
    box.north = Math.max(box.north, place.lat)
    box.west = Math.min(box.west, lon)
    box.east = Math.max(box.east, lon)
  }
  return { center: center ?? { lat: 0, lon: 0 }, box }
}

function lonFrom(center: Place, { lon }: Place): number {
  const step = lon - center.lon
  return step - 360 * Math.round(step / 360)
}

/** Distance in meters from a position to a box; 0 if the position is inside. */
function metersOutside({ center, box }: { center: Place; box: Box }, place: Place): number {
  const lon = lonFrom(center, place)
  const nearestLat = Math.min(Math.max(place.lat, box.south), box.north)
  const nearestLon = Math.min(Math.max(lon, box.west), box.east)
  return greatCircleMeters(place.lat, lon, nearestLat, nearestLon)
}
