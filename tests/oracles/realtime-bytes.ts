// Reads the content of a GTFS-Realtime message with the official bindings. Absent numbers are undefined, and absent
// strings are ''. Nothing is validated. Part of the realtime oracle; shares no code with loaders/gtfs-rt.
import { transit_realtime as wire } from 'gtfs-realtime-bindings'

/** One message. Instants are seconds after 1970. */
export interface ReportedMessage {
  readonly seconds: number
  readonly trips: readonly ReportedTrip[]
  readonly vehicles: readonly ReportedVehicle[]
  readonly alerts: readonly ReportedAlert[]
}

/** An Alert, without its active periods. */
export interface ReportedAlert {
  readonly id: string
  /** The first translation of the alert's header. */
  readonly title: string
  /** Cause and effect, as the API names them. */
  readonly cause: string
  readonly effect: string
  /**
   * What the alert is about: whole agencies, or nothing at all. `other` for all other alerts, and for alerts with
   * active periods.
   */
  readonly reach: 'agency' | 'nothing' | 'other'
}

/** A trip as a feed describes it; '' for missing members. */
export interface ReportedDescriptor {
  readonly tripId: string
  readonly routeId: string
  /** As the feed writes it, HH:MM:SS. */
  readonly startTime: string
  /** yyyymmdd. */
  readonly startDate: string
  readonly directionId: number | undefined
  /** The name of the TripDescriptor.ScheduleRelationship. */
  readonly relationship: string
}

/** A TripUpdate. */
export interface ReportedTrip {
  readonly trip: ReportedDescriptor
  readonly vehicleId: string
  readonly seconds: number | undefined
  readonly delay: number | undefined
  readonly calls: readonly ReportedCall[]
}

/** A StopTimeUpdate. */
export interface ReportedCall {
  readonly sequence: number | undefined
  readonly stopId: string
  readonly arrival: ReportedMoment | undefined
  readonly departure: ReportedMoment | undefined
  /** The name of the StopTimeUpdate.ScheduleRelationship. */
  readonly relationship: string
}

/** A StopTimeEvent with a time or delay. */
export interface ReportedMoment {
  readonly time: number | undefined
  readonly delay: number | undefined
}

/** A VehiclePosition. */
export interface ReportedVehicle {
  /** The id of the vehicle; if the feed does not have one, the id of the entity. */
  readonly id: string
  /** Whether `id` is the id of the vehicle, not of the entity. */
  readonly isNamed: boolean
  readonly trip: ReportedDescriptor | undefined
  readonly seconds: number | undefined
  readonly place: { readonly lat: number; readonly lon: number } | undefined
  /** stop_sequence of the call at which the vehicle is, or to which it is going. */
  readonly sequence: number | undefined
  readonly stopId: string
}

/** Reads a full message. Throws if the message is differential. */
export function readBytes(bytes: Uint8Array): ReportedMessage {
  const message = wire.FeedMessage.decode(bytes)
  if (message.header.incrementality === wire.FeedHeader.Incrementality.DIFFERENTIAL)
    throw new Error('the oracle only reads full messages')
  return {
    seconds: given(message.header, 'timestamp') ?? Number.NaN,
    trips: wholeTrips(message.entity),
    vehicles: message.entity.flatMap(({ id, vehicle }) => (vehicle ? [toVehicle(id, vehicle)] : [])),
    alerts: message.entity.flatMap(({ id, alert }) => (alert ? [toAlert(id, alert)] : [])),
  }
}

/** The trip updates. Joins entities with the same id if they report different calls of the same trip. */
function wholeTrips(entities: readonly wire.IFeedEntity[]): ReportedTrip[] {
  const trips: { readonly name: string; readonly trip: ReportedTrip }[] = []
  const isOf = ({ calls }: ReportedTrip, { sequence, stopId }: ReportedCall) =>
    calls.some((call) => (call.sequence ?? call.stopId) === (sequence ?? stopId))
  for (const { id, tripUpdate } of entities) {
    if (!tripUpdate) continue
    const trip = toTrip(tripUpdate)
    const name = JSON.stringify([id, trip.trip])
    const at = trips.findIndex((other) => other.name === name)
    const known = trips[at]?.trip
    const isPart = known && known.seconds === trip.seconds && known.calls.length > 0 && trip.calls.length > 0
    if (known !== undefined && isPart && !trip.calls.some((call) => isOf(known, call))) {
      const calls = [...known.calls, ...trip.calls].sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0))
      trips[at] = { name, trip: { ...trip, calls } }
    } else trips.push({ name, trip })
  }
  return trips.map(({ trip }) => trip)
}

function toTrip(update: wire.ITripUpdate): ReportedTrip {
  return {
    trip: toDescriptor(update.trip),
    vehicleId: update.vehicle?.id ?? '',
    seconds: given(update, 'timestamp'),
    delay: given(update, 'delay'),
    calls: (update.stopTimeUpdate ?? []).map((call) => ({
      sequence: given(call, 'stopSequence'),
      stopId: call.stopId ?? '',
      arrival: toMoment(call.arrival),
      departure: toMoment(call.departure),
      relationship: wire.TripUpdate.StopTimeUpdate.ScheduleRelationship[call.scheduleRelationship ?? 0] ?? '',
    })),
  }
}

function toMoment(event: wire.TripUpdate.IStopTimeEvent | null | undefined): ReportedMoment | undefined {
  if (!event) return undefined
  const [time, delay] = [given(event, 'time'), given(event, 'delay')]
  return time === undefined && delay === undefined ? undefined : { time, delay }
}

function toDescriptor(trip: wire.ITripDescriptor): ReportedDescriptor {
  return {
    tripId: trip.tripId ?? '',
    routeId: trip.routeId ?? '',
    startTime: trip.startTime ?? '',
    startDate: trip.startDate ?? '',
    directionId: given(trip, 'directionId'),
    relationship: wire.TripDescriptor.ScheduleRelationship[trip.scheduleRelationship ?? 0] ?? '',
  }
}

function toVehicle(entityId: string, report: wire.IVehiclePosition): ReportedVehicle {
  const { position, trip, vehicle } = report
  return {
    id: vehicle?.id || entityId,
    isNamed: Boolean(vehicle?.id),
    sequence: given(report, 'currentStopSequence'),
    stopId: report.stopId ?? '',
    trip: trip ? toDescriptor(trip) : undefined,
    seconds: given(report, 'timestamp'),
    place: position ? { lat: position.latitude, lon: position.longitude } : undefined,
  }
}

function toAlert(id: string, alert: wire.IAlert): ReportedAlert {
  const selectors = (alert.informedEntity ?? []).map((selector) => Object.keys(selector).join())
  const isOther = (alert.activePeriod ?? []).length > 0 || selectors.some((keys) => keys !== 'agencyId')
  return {
    id,
    title: alert.headerText?.translation?.[0]?.text ?? '',
    cause: (wire.Alert.Cause[alert.cause ?? wire.Alert.Cause.UNKNOWN_CAUSE] ?? '').toLowerCase(),
    effect: (wire.Alert.Effect[alert.effect ?? wire.Alert.Effect.UNKNOWN_EFFECT] ?? '').toLowerCase(),
    reach: isOther ? 'other' : selectors.length > 0 ? 'agency' : 'nothing',
  }
}

/**
 * The value of a numeric field; undefined if the message does not contain the field. The bindings would return a
 * default.
 */
function given(part: object, name: string): number | undefined {
  const value: unknown = Object.hasOwn(part, name) ? Object.entries(part).find(([key]) => key === name)?.[1] : undefined
  return value === undefined || value === null ? undefined : Number(String(value))
}
