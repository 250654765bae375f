// Bytes of a GTFS-Realtime feed → RealtimeMessage. All or nothing: what cannot be read to its end gives an error, and no
// part of it is used. The wire format is read by gtfs-realtime-bindings; this file gives each field its one meaning.
import GtfsRealtime from 'gtfs-realtime-bindings'
import type {
  AlertReport,
  EntitySelector,
  RealtimeMessage,
  StopTimeEvent,
  StopTimeUpdate,
  TimeRange,
  Translation,
  TripDescriptor,
  TripProperties,
  TripRelationship,
  TripUpdate,
  VehicleDescriptor,
  VehicleReport,
} from './message.ts'

const { transit_realtime: wire } = GtfsRealtime
type Wire = typeof GtfsRealtime.transit_realtime

/** The bytes are no message that can be read. */
export class RealtimeUnreadable extends Error {
  override readonly name = 'RealtimeUnreadable'
}

/** Reads a message. Throws RealtimeUnreadable. */
export function decodeMessage(bytes: Uint8Array): RealtimeMessage {
  const message = decodeWire(bytes)
  const dropped: Record<string, number> = {}
  const count = (reason: string) => {
    dropped[reason] = (dropped[reason] ?? 0) + 1
  }
  const trips = new Map<string, TripUpdate>()
  const vehicles = new Map<string, VehicleReport>()
  const alerts = new Map<string, AlertReport>()
  const deletedIds: string[] = []
  const keep = <Entity>(kept: Map<string, Entity>, id: string, entity: Entity) => {
    if (kept.has(id)) count('duplicate_entity_id')
    kept.set(id, entity) // the later one was written last
  }
  for (const { id, isDeleted, tripUpdate, vehicle, alert } of message.entity) {
    if (id === '') count('entity_without_id')
    if (isDeleted === true) deletedIds.push(id)
    else if (!tripUpdate && !vehicle && !alert) count('entity_without_content')
    else {
      if (tripUpdate) keep(trips, id, toTripUpdate(id, tripUpdate))
      if (vehicle) keep(vehicles, id, toVehicleReport(id, vehicle))
      if (alert) keep(alerts, id, toAlertReport(id, alert))
    }
  }
  const { header } = message
  return {
    version: header.gtfsRealtimeVersion,
    incrementality: header.incrementality === 1 ? 'differential' : 'full_dataset',
    timestampSeconds: toInstant(own(header, 'timestamp')),
    trips: [...trips.values()],
    vehicles: [...vehicles.values()],
    alerts: [...alerts.values()],
    deletedIds,
    dropped,
  }
}

function decodeWire(bytes: Uint8Array) {
  try {
    return wire.FeedMessage.decode(bytes)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new RealtimeUnreadable(bytes.length === 0 ? 'it is empty' : `it is no GTFS-Realtime message: ${why}`)
  }
}

/** A field that is set on the wire; the bindings put defaults on the prototype. */
function own<Of extends object, Key extends keyof Of>(of: Of, key: Key): Of[Key] | undefined {
  return Object.hasOwn(of, key) ? of[key] : undefined
}

function toText(text: string | null | undefined): string | undefined {
  return text === null || text === undefined || text === '' ? undefined : text
}

/** Whole numbers of 64 bits come as objects. */
function toNumber(value: unknown): number | undefined {
  if (value === null || value === undefined) return undefined
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}

/** An instant; 0 is how many producers say "none". */
function toInstant(value: unknown): number | undefined {
  const seconds = toNumber(value)
  return seconds === undefined || seconds <= 0 ? undefined : seconds
}

const TRIP_RELATIONSHIPS: Readonly<Record<number, TripRelationship>> = {
  0: 'scheduled',
  1: 'added',
  2: 'unscheduled',
  3: 'canceled',
  5: 'replacement',
  6: 'duplicated',
  7: 'deleted',
  8: 'new',
}
const CALL_RELATIONSHIPS = ['scheduled', 'skipped', 'no_data', 'unscheduled'] as const
const CLOCK = /^(\d{1,3}):(\d{2}):(\d{2})$/

function toTripDescriptor(trip: InstanceType<Wire['TripDescriptor']>): TripDescriptor {
  return {
    tripId: toText(trip.tripId),
    routeId: toText(trip.routeId),
    directionId: toNumber(own(trip, 'directionId')),
    startSeconds: toSeconds(trip.startTime),
    startDate: toText(trip.startDate),
    relationship: TRIP_RELATIONSHIPS[trip.scheduleRelationship] ?? 'scheduled',
  }
}

/** `H:MM:SS` as seconds after the service day's zero. */
function toSeconds(clock: string | null | undefined): number | undefined {
  const [, hours, minutes, seconds] = CLOCK.exec(clock ?? '') ?? []
  return hours === undefined ? undefined : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

function toVehicleDescriptor(
  vehicle: InstanceType<Wire['VehicleDescriptor']> | null | undefined,
): VehicleDescriptor | undefined {
  if (!vehicle) return undefined
  return { id: toText(vehicle.id), label: toText(vehicle.label), licensePlate: toText(vehicle.licensePlate) }
}

function toTripUpdate(entityId: string, update: object): TripUpdate {
  const { trip, vehicle, stopTimeUpdate, ...rest } = update as InstanceType<Wire['TripUpdate']>
  const all = update as InstanceType<Wire['TripUpdate']>
  return {
    entityId,
    trip: toTripDescriptor(trip as InstanceType<Wire['TripDescriptor']>),
    vehicle: toVehicleDescriptor(vehicle as InstanceType<Wire['VehicleDescriptor']> | null | undefined),
    timestampSeconds: toInstant(own(all, 'timestamp')),
    delaySeconds: toNumber(own(all, 'delay')),
    stopTimes: (stopTimeUpdate ?? []).map((each) =>
      toStopTimeUpdate(each as InstanceType<Wire['TripUpdate']['StopTimeUpdate']>),
    ),
    properties: toProperties(rest.tripProperties),
  }
}

function toProperties(
  properties: InstanceType<Wire['TripUpdate']>['tripProperties'] | undefined,
): TripProperties | undefined {
  if (!properties) return undefined
  return {
    tripId: toText(properties.tripId),
    startDate: toText(properties.startDate),
    startSeconds: toSeconds(properties.startTime),
    shapeId: toText(properties.shapeId),
    headsign: toText(properties.tripHeadsign),
    shortName: toText(properties.tripShortName),
  }
}

function toStopTimeUpdate(update: InstanceType<Wire['TripUpdate']['StopTimeUpdate']>): StopTimeUpdate {
  const properties = update.stopTimeProperties
  return {
    stopSequence: toNumber(own(update, 'stopSequence')),
    stopId: toText(update.stopId),
    arrival: toEvent(update.arrival),
    departure: toEvent(update.departure),
    relationship: CALL_RELATIONSHIPS[update.scheduleRelationship] ?? 'scheduled',
    assignedStopId: toText(properties?.assignedStopId),
    headsign: toText(properties?.stopHeadsign),
    pickupType: properties ? toNumber(own(properties, 'pickupType')) : undefined,
    dropOffType: properties ? toNumber(own(properties, 'dropOffType')) : undefined,
  }
}

/** An event that gives neither time nor delay says nothing. */
function toEvent(
  event: InstanceType<Wire['TripUpdate']['StopTimeUpdate']>['arrival'] | undefined,
): StopTimeEvent | undefined {
  if (!event) return undefined
  const timeSeconds = toInstant(own(event, 'time'))
  const delaySeconds = toNumber(own(event, 'delay'))
  if (timeSeconds === undefined && delaySeconds === undefined) return undefined
  return { timeSeconds, delaySeconds, scheduledSeconds: toInstant(own(event, 'scheduledTime')) }
}

const STOP_STATUSES = ['incoming_at', 'stopped_at', 'in_transit'] as const
const NO_OCCUPANCY = 'NO_DATA_AVAILABLE'

function toVehicleReport(entityId: string, report: object): VehicleReport {
  const all = report as InstanceType<Wire['VehiclePosition']>
  const { position, trip } = all
  const occupancy = wire.VehiclePosition.OccupancyStatus[own(all, 'occupancyStatus') ?? -1]
  return {
    entityId,
    trip: trip ? toTripDescriptor(trip as InstanceType<Wire['TripDescriptor']>) : undefined,
    vehicle: toVehicleDescriptor(all.vehicle as InstanceType<Wire['VehicleDescriptor']> | null | undefined),
    timestampSeconds: toInstant(own(all, 'timestamp')),
    lat: position ? toNumber(position.latitude) : undefined,
    lon: position ? toNumber(position.longitude) : undefined,
    bearing: position ? toNumber(own(position, 'bearing')) : undefined,
    speedMetersPerSecond: position ? toNumber(own(position, 'speed')) : undefined,
    stopSequence: toNumber(own(all, 'currentStopSequence')),
    stopId: toText(all.stopId),
    status: STOP_STATUSES[all.currentStatus] ?? 'in_transit',
    occupancy: occupancy === undefined || occupancy === NO_OCCUPANCY ? undefined : occupancy.toLowerCase(),
  }
}

function toAlertReport(entityId: string, alert: object): AlertReport {
  const all = alert as InstanceType<Wire['Alert']>
  const { SeverityLevel, Cause, Effect } = wire.Alert
  return {
    entityId,
    activePeriods: toRanges(all.activePeriod),
    communicationPeriods: toRanges((all as { communicationPeriod?: unknown }).communicationPeriod),
    impactPeriods: toRanges((all as { impactPeriod?: unknown }).impactPeriod),
    selectors: (all.informedEntity ?? []).map(toSelector),
    cause: (Cause[all.cause] ?? 'UNKNOWN_CAUSE').toLowerCase(),
    effect: (Effect[all.effect] ?? 'UNKNOWN_EFFECT').toLowerCase(),
    severity: severityOf(SeverityLevel[own(all, 'severityLevel') ?? -1]),
    header: toTranslations(all.headerText),
    description: toTranslations(all.descriptionText),
    url: toTranslations(all.url),
  }
}

function severityOf(level: string | undefined): string {
  return level === undefined || level === 'UNKNOWN_SEVERITY' ? 'unknown' : level.toLowerCase()
}

function toRanges(ranges: unknown): TimeRange[] {
  if (!Array.isArray(ranges)) return []
  return ranges.map((range) => ({
    startSeconds: toInstant(own(range, 'start')),
    endSeconds: toInstant(own(range, 'end')),
  }))
}

function toSelector(selector: object): EntitySelector {
  const all = selector as InstanceType<Wire['EntitySelector']>
  return {
    agencyId: toText(all.agencyId),
    routeId: toText(all.routeId),
    routeType: toNumber(own(all, 'routeType')),
    directionId: toNumber(own(all, 'directionId')),
    trip: all.trip ? toTripDescriptor(all.trip as InstanceType<Wire['TripDescriptor']>) : undefined,
    stopId: toText(all.stopId),
  }
}

function toTranslations(text: InstanceType<Wire['Alert']>['headerText'] | undefined): Translation[] {
  return (text?.translation ?? []).map(({ text: each, language }) => ({ text: each, language: toText(language) }))
}
