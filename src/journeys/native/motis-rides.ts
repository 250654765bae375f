// Finds the network's rides that match MOTIS legs. Looks up the departures from the boarding stop around the minute
// that MOTIS reports. A departure matches if it has the leg's trip or line, and reaches the leg's last stop within a
// minute of the reported time.

import { stopsOfTrip } from '../../../indexes/live/live-trip.ts'
import {
  CALL_SKIPPED,
  findInstance,
  type LiveCallIndex,
  NO_POSITION,
  type Overlay,
} from '../../../indexes/live/overlay.ts'
import type { TripPaths } from '../../../indexes/live/trip-paths.ts'
import { greatCircleMeters } from '../../../indexes/spatial/great-circle.ts'
import { findWithin } from '../../../indexes/spatial/point-tree.ts'
import { stopsOfArea } from '../../../indexes/timetable/areas.ts'
import { NO_RUN } from '../../../indexes/timetable/board-cursor.ts'
import { type Departure, listDepartures } from '../../../indexes/timetable/boards.ts'
import { areaOfStop, findStop } from '../../../indexes/timetable/stops.ts'
import {
  callCount,
  type LineIndex,
  type PatternStopIndex,
  type StopIndex,
  stopTimeAt,
  type Timetable,
} from '../../../indexes/timetable/timetable.ts'
import { stopHeadsign, tripRef } from '../../../indexes/timetable/trips.ts'
import { nextIndex } from '../../../loaders/columns.ts'
import { textOf } from '../../../loaders/strings.ts'
import type { RideSection } from '../../rendering/journey.ts'
import type { MotisLeg, MotisPlace } from './motis-answer.ts'

/** MOTIS rounds times to minutes, so its times differ by less than this from the feed's times. */
const MINUTE_SECONDS = 60
/** A stop may match a MOTIS place with a different id if the two are at most this far apart. */
const SAME_STOP_METERS = 100
/** If a stop with the same id is farther away than this, it belongs to another feed. */
const OTHER_FEED_METERS = 1_000
/** Maximum number of departures that are checked for one leg. */
const MAX_DEPARTURES = 500

/** The data for finding rides. */
export interface MotisGround {
  readonly timetable: Timetable
  readonly paths: TripPaths
  /** Quai's live data; undefined if there is none. */
  readonly overlay: Overlay | undefined
  /** The prefix that MOTIS puts before ids of this network's feed; undefined if unknown. */
  readonly tag: string | undefined
  /** Seconds that a transfer takes in addition to its walk. */
  readonly changeSeconds: number
}

/** A ride: its departure, and the position of the alighting call in the trip. */
interface Ridden {
  readonly departure: Departure
  readonly alighting: number
  /** The scheduled arrival at the alighting call, in seconds after 1970. */
  readonly arrives: number
}

/** Converts a leg to a ride; undefined if the network has no such ride. */
export function toRide(ground: MotisGround, leg: MotisLeg): RideSection | undefined {
  const { timetable, paths } = ground
  const boarding = findPlace(ground, leg.from)
  const alighting = findPlace(ground, leg.to)
  const ridden = findRidden(ground, leg, { boarding: boarding.stops, alighting: new Set(alighting.stops) })
  if (ridden === undefined) return undefined
  const { trip, position, day, runStartSeconds, departureSeconds } = ridden.departure
  const { trips, patterns } = timetable
  const pattern = trips.pattern[trip]
  const calls = liveCallsOf(ground.overlay, ridden)
  const stops = calls?.calls.map((call) => calls.overlay.calls.stop[call]) ?? stopsBetween(timetable, ridden)
  // If live data moved a call, MOTIS may report a platform other than the one in the timetable. The ride gets the
  // reported stop.
  if (boarding.own !== undefined) stops[0] = boarding.own
  if (alighting.own !== undefined) stops[stops.length - 1] = alighting.own
  return {
    kind: 'ride',
    tripRef: tripRef(timetable, { trip, day, runStartSeconds }),
    line: patterns.line[pattern],
    direction: patterns.direction[pattern],
    headsign: leg.headsign === '' ? stopHeadsign(timetable, trip, position) : leg.headsign,
    stops,
    // The feed's scheduled time, which is exact to the second, plus the delay according to MOTIS.
    departs: departureSeconds + (leg.starts - leg.scheduledStart),
    arrives: ridden.arrives + (leg.ends - leg.scheduledEnd),
    isRealtime: leg.isRealtime,
    staysSeated: leg.staysSeated,
    changeSeconds: undefined,
    calls: calls ?? { kind: 'scheduled', instance: { trip, day, runStartSeconds }, from: position },
    way: () => ({ path: paths.ofTrip(trip), from: position, to: ridden.alighting }),
  }
}

/**
 * The live calls of a ride. Undefined if the trip has no live data, or if live data skips the boarding or alighting
 * call.
 */
function liveCallsOf(overlay: Overlay | undefined, { departure, alighting }: Ridden) {
  const instance = overlay && findInstance(overlay, departure)
  if (overlay === undefined || instance === undefined) return undefined
  const { calls, instances } = overlay
  const ridden: LiveCallIndex[] = []
  for (let call = instances.callOffset[instance]; call < instances.callOffset[nextIndex(instance)]; call++) {
    const position = calls.position[call]
    const isRidden = position >= departure.position && position <= alighting && position !== NO_POSITION
    if (isRidden && (calls.flags[call] & CALL_SKIPPED) === 0) ridden.push(call)
  }
  const [first, last] = [ridden[0], ridden.at(-1)]
  const isWhole = first !== undefined && calls.position[first] === departure.position
  if (!isWhole || last === undefined || calls.position[last] !== alighting) return undefined
  return { kind: 'live', overlay, calls: ridden } as const
}

/**
 * The stops that may match a MOTIS place. `own` is the stop with the place's id, if that stop is near. `stops` has
 * `own`, the other stops in its area, and all stops near the place.
 */
function findPlace({ timetable, tag }: MotisGround, place: MotisPlace) {
  const { stops, pointTrees } = timetable
  const { lat, lon } = place
  const id = place.stopId === undefined ? undefined : untagged(place.stopId, tag)
  const found = id === undefined ? undefined : findStop(timetable, id)
  const isOwn =
    found !== undefined && greatCircleMeters(lat, lon, stops.lat[found], stops.lon[found]) < OTHER_FEED_METERS
  const own = isOwn ? found : undefined
  const area = own === undefined ? undefined : areaOfStop(timetable, own)
  const beside = findWithin(pointTrees.stops, stops, { lat, lon, radiusMeters: SAME_STOP_METERS })
  const all = [
    ...(own === undefined ? [] : [own]),
    ...(area === undefined ? [] : stopsOfArea(timetable, area)),
    ...beside.map(({ index }) => index),
  ]
  return { own, stops: [...new Set(all)] }
}

/**
 * Removes the tag from a MOTIS id; undefined if the tag belongs to another feed. If the network's tag is not known, the
 * tag ends at the first `_`.
 */
function untagged(id: string, tag: string | undefined): string | undefined {
  if (tag !== undefined) return id.startsWith(`${tag}_`) ? id.slice(tag.length + 1) : undefined
  const at = id.indexOf('_')
  return at < 0 ? undefined : id.slice(at + 1)
}

const TRIP_ID = /^\d{8}_\d+:\d{2}_(.+)$/s

/**
 * Finds the departure that matches a leg: a departure of the leg's trip or, if there is none, of the leg's line. If
 * several match, returns the one nearest in time.
 */
function findRidden(
  ground: MotisGround,
  leg: MotisLeg,
  stops: { readonly boarding: readonly StopIndex[]; readonly alighting: ReadonlySet<StopIndex> },
): Ridden | undefined {
  const { timetable, tag } = ground
  const { strings, trips, patterns } = timetable
  const tagged = leg.tripId === undefined ? undefined : TRIP_ID.exec(leg.tripId)?.[1]
  const tripId = tagged === undefined ? undefined : untagged(tagged, tag)
  const departures = listDepartures(timetable, {
    stops: stops.boarding,
    fromSeconds: leg.scheduledStart - MINUTE_SECONDS + 1,
    toSeconds: leg.scheduledStart + MINUTE_SECONDS,
    limit: MAX_DEPARTURES,
  })
  let best: { readonly ridden: Ridden; readonly cost: number } | undefined
  for (const departure of departures) {
    const ridden = findAlighting(timetable, departure, { seconds: leg.scheduledEnd, stops: stops.alighting })
    if (ridden === undefined) continue
    const isTrip = tripId !== undefined && textOf(strings, trips.id[departure.trip]) === tripId
    if (!isTrip && !isLine(ground, leg, patterns.line[trips.pattern[departure.trip]])) continue
    const seconds =
      Math.abs(departure.departureSeconds - leg.scheduledStart) + Math.abs(ridden.arrives - leg.scheduledEnd)
    const cost = isTrip ? seconds - 4 * MINUTE_SECONDS : seconds
    if (best === undefined || cost < best.cost) best = { ridden, cost }
  }
  return best?.ridden
}

/** Whether a line matches the line of a leg: it has the same id or, if the leg has no line id, the same code. */
function isLine({ timetable, tag }: MotisGround, { routeId, routeShortName }: MotisLeg, line: LineIndex): boolean {
  const { strings, lines } = timetable
  if (routeId !== undefined) return untagged(routeId, tag) === textOf(strings, lines.id[line])
  const code = routeShortName?.trim() ?? ''
  return code !== '' && textOf(strings, lines.code[line]) === code
}

/**
 * Finds the call at which the trip arrives at one of `at.stops`, less than a minute before or after `at.seconds`. Only
 * calls after the departure are checked.
 */
function findAlighting(
  timetable: Timetable,
  departure: Departure,
  at: { readonly seconds: number; readonly stops: ReadonlySet<StopIndex> },
): Ridden | undefined {
  const { trips, patterns, stopTimes, serviceDays } = timetable
  const { trip, day, runStartSeconds } = departure
  const pattern = trips.pattern[trip]
  const first = patterns.stopOffset[pattern]
  const zero = serviceDays.zeroSeconds[day]
  // The times of a frequency-based trip are moved so that its first departure is the start of the run.
  const start =
    runStartSeconds === NO_RUN
      ? zero
      : zero + runStartSeconds - stopTimes.departureSeconds[stopTimeAt(timetable, trip, 0)]
  const end = callCount(timetable, pattern)
  for (let position = departure.position + 1; position < end; position++) {
    if (!at.stops.has(patterns.stopAt[(first + position) as PatternStopIndex])) continue
    const arrives = start + stopTimes.arrivalSeconds[stopTimeAt(timetable, trip, position)]
    if (Math.abs(arrives - at.seconds) < MINUTE_SECONDS) return { departure, alighting: position, arrives }
  }
  return undefined
}

function stopsBetween(timetable: Timetable, { departure, alighting }: Ridden): StopIndex[] {
  return stopsOfTrip(timetable, departure.trip).slice(departure.position, alighting + 1)
}
