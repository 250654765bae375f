// Lists the vehicles to show: those that report a plausible position, and estimated ones. A trip without a reported
// vehicle has an estimated vehicle if the trip is under way and has a prediction for a later call. Part of the realtime
// oracle; shares no code with indexes/live.
import { eachRow, type FeedText } from './feed-text.ts'
import type { ReportedVehicle } from './realtime-bytes.ts'
import { TextMatcher } from './realtime-matching.ts'
import type { RealtimeReading } from './realtime-reading.ts'
import type { FeedMessage, LiveCall, LiveTrip } from './realtime-trips.ts'
import type { TextBoards } from './text-boards.ts'

const EARTH_METERS = 6_371_008.8
/**
 * Maximum distance of a vehicle from its trip's shape. A vehicle farther away is not on the trip, or its position is
 * wrong.
 */
const OFF_SHAPE_METERS = 2000
/** Maximum distance of a vehicle from the bounding box of all stops. A position farther away is wrong. */
const OUTSIDE_METERS = 10_000
/** Maximum distance between a shape and a vehicle on it, including rounding. */
const ON_SHAPE_METERS = 2

/** A position, in degrees. */
export interface Place {
  readonly lat: number
  readonly lon: number
}

/** A vehicle to show. Ids are public. */
export interface ExpectedVehicle {
  readonly id: string
  readonly line_id: string
  readonly trip_id: string | null
  readonly position_source: 'gps' | 'interpolated'
  /** The time of the report, in seconds after 1970. */
  readonly recorded: number
  /** Undefined if the oracle does not compute the next stop. */
  readonly next_stop_id: string | null | undefined
  /** Whether a position is the expected one. */
  readonly isAt: (place: Place) => boolean
}

/** The vehicles to show, the number of reports, and how many of these are not shown, by reason. */
export interface VehicleReading {
  readonly vehicles: readonly ExpectedVehicle[]
  readonly reports: number
  readonly left: Readonly<Record<string, number>>
}

/** The positions of stops, and the shape of each trip. */
export interface TextPlaces {
  readonly stops: ReadonlyMap<string, Place>
  readonly shapeOfTrip: ReadonlyMap<string, readonly Place[]>
}

/** Reads stops.txt, shapes.txt, and the shape of each trip. */
export async function readPlaces(feed: FeedText): Promise<TextPlaces> {
  const stops = new Map<string, Place>()
  await eachRow(feed, 'stops.txt', ['stop_id', 'stop_lat', 'stop_lon'], ([id = '', lat, lon]) => {
    if (!stops.has(id)) stops.set(id, { lat: Number(lat), lon: Number(lon) })
  })
  const shapes = new Map<string, (Place & { readonly order: number })[]>()
  const columns = ['shape_id', 'shape_pt_lat', 'shape_pt_lon', 'shape_pt_sequence']
  await eachRow(feed, 'shapes.txt', columns, ([id = '', lat, lon, order]) => {
    const shape = shapes.get(id) ?? []
    shapes.set(id, shape)
    shape.push({ lat: Number(lat), lon: Number(lon), order: Number(order) })
  })
  for (const shape of shapes.values()) shape.sort((a, b) => a.order - b.order)
  const shapeOfTrip = new Map<string, readonly Place[]>()
  await eachRow(feed, 'trips.txt', ['trip_id', 'shape_id'], ([trip = '', shape = '']) => {
    const points = shapes.get(shape)
    if (points !== undefined) shapeOfTrip.set(trip, points)
  })
  return { stops, shapeOfTrip }
}

/** The inputs for reading vehicles. */
export interface VehicleContext {
  readonly boards: TextBoards
  readonly places: TextPlaces
  readonly reading: RealtimeReading
  readonly network: string
  readonly nowSeconds: number
  readonly maxAgeSeconds: number
}

/** Lists the vehicles to show: those reported in the messages, and the estimated ones. */
export function readVehicles(messages: readonly FeedMessage[], context: VehicleContext): VehicleReading {
  const left: Record<string, number> = {}
  const newest = new Map<string, ReportedVehicle & { readonly recorded: number }>()
  let reports = 0
  for (const { message } of messages) {
    for (const report of message.vehicles) {
      reports++
      const recorded = Math.min(report.seconds ?? message.seconds, context.nowSeconds)
      const reason = whyNot(context, report.place, context.nowSeconds - recorded)
      if (reason === undefined && recorded >= (newest.get(report.id)?.recorded ?? 0))
        newest.set(report.id, { ...report, recorded })
      else left[reason ?? 'an older report'] = (left[reason ?? 'an older report'] ?? 0) + 1
    }
  }
  const vehicles: ExpectedVehicle[] = []
  for (const report of newest.values()) {
    const vehicle = toReported(context, report)
    if (typeof vehicle === 'string') left[vehicle] = (left[vehicle] ?? 0) + 1
    else vehicles.push(vehicle)
  }
  const onTrips = vehicles.flatMap(({ trip_id }) => trip_id ?? [])
  const shown = new Set<string | null>(onTrips)
  const shownIds = new Set(vehicles.map(({ id }) => id))
  if (shown.size < onTrips.length) throw new Error('the oracle does not read two vehicles of one trip')
  for (const liveTrip of [...context.reading.trips.values()].sort((a, b) => startOf(a) - startOf(b))) {
    if (shownIds.has(`${context.network}:vehicle:${liveTrip.vehicleId}`)) continue
    const vehicle = toInterpolated(context, liveTrip)
    if (vehicle === undefined || shown.has(vehicle.trip_id)) continue
    vehicles.push(vehicle)
    shownIds.add(vehicle.id)
  }
  return { vehicles, reports, left }
}

/** The start time of a trip. If two trips have the same vehicle, the vehicle is shown on the trip that starts first. */
function startOf({ calls: [first] }: LiveTrip): number {
  return first.departure ?? first.scheduledDeparture
}

function whyNot({ boards, places, maxAgeSeconds }: VehicleContext, place: Place | undefined, age: number) {
  if (place === undefined) return 'no position'
  if (place.lat === 0 && place.lon === 0) return 'position 0, 0'
  if (age > maxAgeSeconds) return 'too old'
  const all = boards.stopIds.flatMap((stop) => places.stops.get(stop) ?? [])
  const [lats, lons] = [all.map(({ lat }) => lat), all.map(({ lon }) => lon)]
  const nearest = {
    lat: Math.min(Math.max(place.lat, Math.min(...lats)), Math.max(...lats)),
    lon: Math.min(Math.max(place.lon, Math.min(...lons)), Math.max(...lons)),
  }
  return metersBetween(place, nearest) > OUTSIDE_METERS ? 'outside the network' : undefined
}

function toReported(
  { boards, places, network, nowSeconds }: VehicleContext,
  report: ReportedVehicle & { readonly recorded: number },
): ExpectedVehicle | string {
  const { id, trip, place, recorded } = report
  const found = trip === undefined ? 'no trip' : new TextMatcher(boards).find(trip, { nowSeconds })
  const isOnTrip = typeof found !== 'string'
  const routeId = isOnTrip ? found.trip.route.id : (trip?.routeId ?? '')
  if (!boards.routes.has(routeId)) return routeId === '' ? 'no trip and no route' : 'unknown route'
  const shape = isOnTrip ? places.shapeOfTrip.get(found.trip.id) : undefined
  if (place !== undefined && shape !== undefined && metersFromShape(place, shape) > OFF_SHAPE_METERS)
    return 'far from its shape'
  return {
    id: `${network}:vehicle:${id}`,
    line_id: `${network}:line:${routeId}`,
    trip_id: isOnTrip ? `${network}:trip:${found.date}:${found.trip.id}` : null,
    position_source: 'gps',
    recorded,
    next_stop_id: undefined,
    isAt: ({ lat, lon }) => place !== undefined && Math.abs(lat - place.lat) < 1e-6 && Math.abs(lon - place.lon) < 1e-6,
  }
}

/**
 * The estimated vehicle of a trip that has started, has not ended, and has a prediction for a later call. Undefined for
 * other trips.
 */
function toInterpolated(context: VehicleContext, liveTrip: LiveTrip): ExpectedVehicle | undefined {
  const { places, network, nowSeconds } = context
  if (liveTrip.state !== 'runs') return undefined
  const kept = liveTrip.calls.filter(({ isSkipped }) => !isSkipped)
  const timed = asEarly(kept.map((call, at) => ({ call, ...timesOf(kept, at) })))
  const next = timed.findIndex(({ arrival }) => arrival > nowSeconds)
  if (next < 1) return undefined
  const [before, ahead] = [timed[next - 1], timed[next]]
  if (next === 1 && nowSeconds < before.departure) return undefined
  if (!timed.slice(next).some(({ call }) => call.departure !== undefined)) return undefined
  // If the vehicle is late and its departure from the previous stop has no prediction, the ride from there to the next
  // stop is assumed to take as long as scheduled.
  const isKnown = before.call.departure !== undefined || ahead.call.arrival === undefined
  const leftLast = isKnown ? 0 : ahead.arrival - ahead.call.scheduledArrival + before.call.scheduledDeparture
  const leaves = Math.max(before.departure, Math.min(leftLast, ahead.arrival))
  const isStanding = nowSeconds < leaves
  const isNamed = liveTrip.vehicleId !== '' && !liveTrip.isCarried
  const [from, to] = [before, ahead].map(({ call }) => places.stops.get(call.stopId))
  const way = wayOf(places, liveTrip)
  const part = isStanding ? 0 : (nowSeconds - leaves) / (ahead.arrival - leaves)
  return {
    id: `${network}:vehicle:${isNamed ? liveTrip.vehicleId : `est-${liveTrip.date}:${liveTrip.trip.id}`}`,
    line_id: `${network}:line:${liveTrip.trip.route.id}`,
    trip_id: `${network}:trip:${liveTrip.date}:${liveTrip.trip.id}`,
    position_source: 'interpolated',
    recorded: nowSeconds,
    next_stop_id: `${network}:stop:${ahead.call.stopId}`,
    isAt: (place) => {
      if (from === undefined || to === undefined) return false
      if (way !== undefined && metersFromShape(place, way) > ON_SHAPE_METERS) return false
      if (way === undefined && metersFromLeg(place, from, to) > ON_SHAPE_METERS) return false
      const aside = way === undefined ? 0 : metersFromShape(from, way) + metersFromShape(to, way)
      return isBetween(place, { from, to, part, aside })
    },
  }
}

/**
 * A trip's shape, extended by straight lines to the stops before its start and after its end. Undefined if the trip has
 * no shape, or if the shape passes too far from a stop in between.
 */
function wayOf({ stops, shapeOfTrip }: TextPlaces, { trip }: LiveTrip): readonly Place[] | undefined {
  const shape = shapeOfTrip.get(trip.id)
  if (shape === undefined) return undefined
  const places = trip.stopIds.map((stop) => stops.get(stop) ?? { lat: 0, lon: 0 })
  const isFar = places.map((place) => metersFromShape(place, shape) > OFF_SHAPE_METERS)
  const [first, last] = [isFar.indexOf(false), isFar.lastIndexOf(false)]
  if (first < 0 || isFar.slice(first, last).includes(true)) return undefined
  return [...places.slice(0, first), ...shape, ...places.slice(last + 1)]
}

interface TimedStop {
  readonly call: LiveCall
  readonly arrival: number
  readonly departure: number
}

/**
 * Corrects the times before the first prediction. If that prediction is early, the vehicle is assumed to have been at
 * least as early at all previous stops.
 */
function asEarly(timed: readonly TimedStop[]): readonly TimedStop[] {
  const known = timed.findIndex(({ call }) => call.arrival !== undefined)
  const first = timed[known]
  const early = first === undefined ? 0 : Math.min(0, first.arrival - first.call.scheduledArrival)
  return timed.map((stop, at) => {
    if (at >= known) return stop
    const { call, arrival, departure } = stop
    return {
      call,
      arrival: Math.min(arrival, call.scheduledArrival + early),
      departure: Math.min(departure, call.scheduledDeparture + early),
    }
  })
}

/**
 * The vehicle's times at a call: the predicted ones, or else the scheduled ones, moved to fit between the predictions
 * for the calls before and after.
 */
function timesOf(kept: readonly LiveCall[], at: number): { arrival: number; departure: number } {
  const { arrival, departure, scheduledArrival, scheduledDeparture } = kept[at]
  if (arrival !== undefined && departure !== undefined) return { arrival, departure }
  const later = Math.min(Number.POSITIVE_INFINITY, ...kept.slice(at + 1).flatMap((call) => call.arrival ?? []))
  const before = Math.max(0, ...kept.slice(0, at).flatMap((call) => call.departure ?? []))
  const over = Math.min(...kept.slice(at).map((call) => call.overSeconds))
  const leaves = Math.max(before, Math.min(scheduledDeparture, later, over))
  return { arrival: Math.max(before, Math.min(scheduledArrival, leaves)), departure: leaves }
}

/** Maximum ratio of a path's length to the straight-line distance between its two stops. */
const WINDING = 2
const STOP_ASIDE_METERS = 500

/**
 * Whether a vehicle can be at a position between two stops, even if the path is winding. `part` is the share of the
 * travel time that has passed. That time must be enough to reach the position, and the rest must be enough to reach the
 * next stop. `aside` is the sum of both stops' distances from the path, in meters.
 */
function isBetween(
  place: Place,
  leg: { readonly from: Place; readonly to: Place; readonly part: number; readonly aside: number },
): boolean {
  const { from, to, part, aside } = leg
  const way = (metersBetween(from, to) + aside) * WINDING
  const slack = STOP_ASIDE_METERS + aside
  return metersBetween(place, from) <= way * part + slack && metersBetween(place, to) <= way * (1 - part) + slack
}

function metersFromShape(place: Place, shape: readonly Place[]): number {
  let nearest = Number.POSITIVE_INFINITY
  for (const [at, point] of shape.entries())
    nearest = Math.min(nearest, metersFromLeg(place, shape[at - 1] ?? point, point))
  return nearest
}

/**
 * The distance of a place from a straight line, in meters. It is measured on a plane around the place, because the
 * lines are so short that the earth's curvature is negligible.
 */
function metersFromLeg(place: Place, from: Place, to: Place): number {
  const meters = (Math.PI / 180) * EARTH_METERS
  const shrink = Math.cos((place.lat * Math.PI) / 180)
  const x = (point: Place) => (point.lon - place.lon) * shrink * meters
  const y = (point: Place) => (point.lat - place.lat) * meters
  const [dx, dy] = [x(to) - x(from), y(to) - y(from)]
  const length = dx * dx + dy * dy
  const part = length === 0 ? 0 : Math.min(1, Math.max(0, -(x(from) * dx + y(from) * dy) / length))
  return Math.hypot(x(from) + part * dx, y(from) + part * dy)
}

/** The great-circle distance in meters, by the haversine formula. */
function metersBetween(one: Place, other: Place): number {
  const radians = Math.PI / 180
  const lat = Math.sin(((other.lat - one.lat) * radians) / 2)
  const lon = Math.sin(((other.lon - one.lon) * radians) / 2)
  const chord = lat * lat + Math.cos(one.lat * radians) * Math.cos(other.lat * radians) * lon * lon
  return 2 * EARTH_METERS * Math.asin(Math.min(1, Math.sqrt(chord)))
}
