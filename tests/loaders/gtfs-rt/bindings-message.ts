// The oracle for decoding. The official bindings read a message, and the functions below convert it to a
// RealtimeMessage as the GTFS-Realtime reference requires. The oracle is slow, and shares only types with the decoder.
import { transit_realtime } from 'gtfs-realtime-bindings'
import type {
  AlertReport,
  EntitySelector,
  LiveShape,
  RealtimeMessage,
  StopTimeEvent,
  StopTimeUpdate,
  TimeRange,
  Translation,
  TripDescriptor,
  TripModifications,
  TripUpdate,
  VehicleReport,
} from '../../../loaders/gtfs-rt/message.ts'

const LAST_INSTANT = 253_402_300_799n

type Part = object | null | undefined
type Counts = Record<string, number>

/** Reads a message with the bindings. Throws the same errors as the bindings. */
export function readByBindings(bytes: Uint8Array): RealtimeMessage {
  const message = transit_realtime.FeedMessage.decode(bytes)
  const dropped: Counts = {}
  const isDifferential = own(message.header, 'incrementality') === 1
  const made = {
    trips: [] as TripUpdate[],
    vehicles: [] as VehicleReport[],
    alerts: [] as AlertReport[],
    modifications: [] as TripModifications[],
    shapes: [] as LiveShape[],
    deletedIds: [] as string[],
  }
  for (const entity of message.entity) {
    const trip = entity.tripUpdate ? toTripUpdate(entity.id, entity.tripUpdate, dropped) : undefined
    const vehicle = entity.vehicle ? toVehicle(entity.id, entity.vehicle, dropped) : undefined
    const alert = entity.alert ? toAlert(entity.id, entity.alert, dropped) : undefined
    const modifications = entity.tripModifications
      ? toModifications(entity.id, entity.tripModifications, dropped)
      : undefined
    const shape = entity.shape ? toShape(entity.id, entity.shape) : undefined
    if (entity.id === '') count(dropped, 'entity_without_id')
    else if (entity.isDeleted && isDifferential) made.deletedIds.push(entity.id)
    else if (entity.isDeleted) count(dropped, 'deleted_in_full_dataset')
    else {
      if (entity.stop) count(dropped, 'unused_content')
      else if (!(trip || vehicle || alert || modifications || shape)) count(dropped, 'entity_without_content')
      if (trip) made.trips.push(trip)
      if (vehicle) made.vehicles.push(vehicle.report)
      if (vehicle?.isMisplaced) count(dropped, 'bad_position')
      if (alert) made.alerts.push(alert)
      if (modifications) made.modifications.push(modifications)
      if (shape) made.shapes.push(shape)
    }
  }
  return {
    version: message.header.gtfsRealtimeVersion,
    incrementality: isDifferential ? 'differential' : 'full_dataset',
    timestampSeconds: instant(message.header, 'timestamp', dropped),
    ...made,
    dropped,
  }
}

function count(counts: Counts, reason: string): void {
  counts[reason] = (counts[reason] ?? 0) + 1
}

/** The value of a field; undefined if the message does not contain the field, even if the field has a default. */
function own(part: Part, field: string): unknown {
  return part && Object.hasOwn(part, field) ? Reflect.get(part, field) : undefined
}

function number(part: Part, field: string): number | undefined {
  const value = own(part, field)
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function text(part: Part, field: string): string | undefined {
  const value = own(part, field)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function whole(part: Part, field: string): bigint | undefined {
  const value = own(part, field)
  return value === undefined ? undefined : BigInt(String(value))
}

function instant(part: Part, field: string, dropped: Counts): number | undefined {
  const value = whole(part, field)
  if (value === undefined || value === 0n) return undefined
  if (value > 0n && value <= LAST_INSTANT) return Number(value)
  count(dropped, 'bad_instant')
  return undefined
}

function startTime(part: Part, field: string, dropped: Counts): number | undefined {
  const value = text(part, field)
  const parts = /^(\d{1,3}):([0-5]\d):([0-5]\d)$/.exec(value ?? '')
  if (parts !== null) return Number(parts[1]) * 3600 + Number(parts[2]) * 60 + Number(parts[3])
  if (value !== undefined) count(dropped, 'bad_start_time')
  return undefined
}

/** The name of an enum's value in lower case; undefined for an absent or unknown value. */
function word(part: Part, field: string, names: object): string | undefined {
  const value = own(part, field)
  const name = Object.entries(names).find(([, each]) => each === value)?.[0]
  return value === undefined ? undefined : name?.toLowerCase()
}

/** Returns `part`, or undefined if no member other than `ignored` is set. */
function unlessEmpty<T extends object>(part: T, ignored = ''): T | undefined {
  return Object.entries(part).every(([key, value]) => value === undefined || key === ignored) ? undefined : part
}

function toModifications(
  entityId: string,
  { selectedTrips, startTimes, serviceDates, modifications }: transit_realtime.ITripModifications,
  dropped: Counts,
): TripModifications {
  return {
    entityId,
    selected: (selectedTrips ?? []).map((each) => ({
      tripIds: (each.tripIds ?? []).filter((id) => id !== ''),
      shapeId: text(each, 'shapeId'),
    })),
    startTimes: (startTimes ?? []).flatMap((time) => startTime({ time }, 'time', dropped) ?? []),
    serviceDates: (serviceDates ?? []).filter((date) => date !== ''),
    modifications: (modifications ?? []).map((each) => ({
      start: toStopSelector(each.startStopSelector),
      end: toStopSelector(each.endStopSelector),
      delaySeconds: number(each, 'propagatedModificationDelay') ?? 0,
      replacements: (each.replacementStops ?? []).map((stop) => ({
        travelSeconds: number(stop, 'travelTimeToStop'),
        stopId: text(stop, 'stopId'),
      })),
      alertId: text(each, 'serviceAlertId'),
    })),
  }
}

function toStopSelector(selector: Part) {
  return selector ? { stopSequence: number(selector, 'stopSequence'), stopId: text(selector, 'stopId') } : undefined
}

function toShape(entityId: string, shape: Part): LiveShape {
  return { entityId, shapeId: text(shape, 'shapeId'), polyline: text(shape, 'encodedPolyline') }
}

function toTrip(trip: Part, dropped: Counts): TripDescriptor {
  const names = transit_realtime.TripDescriptor.ScheduleRelationship
  const selector = own(trip, 'modifiedTrip') as Part
  const started = startTime(trip, 'startTime', dropped)
  return {
    modificationsId: text(selector, 'modificationsId'),
    tripId: text(selector, 'affectedTripId') ?? text(trip, 'tripId'),
    routeId: text(trip, 'routeId'),
    directionId: number(trip, 'directionId'),
    startSeconds: startTime(selector, 'startTime', dropped) ?? started,
    startDate: text(selector, 'startDate') ?? text(trip, 'startDate'),
    relationship: (word(trip, 'scheduleRelationship', names) ?? 'scheduled') as TripDescriptor['relationship'],
  }
}

function toTripUpdate(entityId: string, update: transit_realtime.ITripUpdate, dropped: Counts): TripUpdate {
  const properties = update.tripProperties
  const vehicle = update.vehicle
  return {
    entityId,
    trip: toTrip(update.trip, dropped),
    vehicle: vehicle ? toVehicleDescriptor(vehicle) : undefined,
    timestampSeconds: instant(update, 'timestamp', dropped),
    delaySeconds: number(update, 'delay'),
    stopTimes: (update.stopTimeUpdate ?? []).map((call) => toStopTime(call, dropped)),
    properties: properties
      ? unlessEmpty({
          tripId: text(properties, 'tripId'),
          startDate: text(properties, 'startDate'),
          startSeconds: startTime(properties, 'startTime', dropped),
          shapeId: text(properties, 'shapeId'),
          headsign: text(properties, 'tripHeadsign'),
          shortName: text(properties, 'tripShortName'),
        })
      : undefined,
  }
}

function toVehicleDescriptor(vehicle: Part) {
  return unlessEmpty({
    id: text(vehicle, 'id'),
    label: text(vehicle, 'label'),
    licensePlate: text(vehicle, 'licensePlate'),
  })
}

function toStopTime(call: transit_realtime.TripUpdate.IStopTimeUpdate, dropped: Counts): StopTimeUpdate {
  const names = transit_realtime.TripUpdate.StopTimeUpdate.ScheduleRelationship
  const properties = call.stopTimeProperties
  const use = (field: string) => [0, 1, 2, 3].find((value) => value === own(properties, field))
  return {
    stopSequence: number(call, 'stopSequence'),
    stopId: text(call, 'stopId'),
    arrival: toEvent(call.arrival, dropped),
    departure: toEvent(call.departure, dropped),
    relationship: (word(call, 'scheduleRelationship', names) ?? 'scheduled') as StopTimeUpdate['relationship'],
    assignedStopId: text(properties, 'assignedStopId'),
    headsign: text(properties, 'stopHeadsign'),
    pickupType: use('pickupType'),
    dropOffType: use('dropOffType'),
  }
}

function toEvent(event: Part, dropped: Counts): StopTimeEvent | undefined {
  const reported = {
    timeSeconds: instant(event, 'time', dropped),
    delaySeconds: number(event, 'delay'),
    scheduledSeconds: instant(event, 'scheduledTime', dropped),
  }
  return unlessEmpty(reported, 'scheduledSeconds')
}

function toVehicle(entityId: string, vehicle: transit_realtime.IVehiclePosition, dropped: Counts) {
  const { VehicleStopStatus, OccupancyStatus } = transit_realtime.VehiclePosition
  const { position } = vehicle
  const lat = number(position, 'latitude')
  const lon = number(position, 'longitude')
  const isPlace = lat !== undefined && lon !== undefined
  const status = word(vehicle, 'currentStatus', VehicleStopStatus)?.replace('_to', '')
  const occupancy = word(vehicle, 'occupancyStatus', OccupancyStatus)
  const report: VehicleReport = {
    entityId,
    trip: vehicle.trip ? unlessEmpty(toTrip(vehicle.trip, dropped), 'relationship') : undefined,
    vehicle: vehicle.vehicle ? toVehicleDescriptor(vehicle.vehicle) : undefined,
    timestampSeconds: instant(vehicle, 'timestamp', dropped),
    lat: isPlace ? lat : undefined,
    lon: isPlace ? lon : undefined,
    bearing: number(position, 'bearing'),
    speedMetersPerSecond: number(position, 'speed'),
    stopSequence: number(vehicle, 'currentStopSequence'),
    stopId: text(vehicle, 'stopId'),
    status: (status ?? 'in_transit') as VehicleReport['status'],
    occupancy: occupancy === 'no_data_available' ? undefined : occupancy,
  }
  return { report, isMisplaced: Boolean(position) && !isPlace }
}

function toAlert(entityId: string, alert: transit_realtime.IAlert, dropped: Counts): AlertReport {
  const { Cause, Effect, SeverityLevel } = transit_realtime.Alert
  const severity = word(alert, 'severityLevel', SeverityLevel)
  return {
    entityId,
    activePeriods: (alert.activePeriod ?? []).map(toTimeRange),
    communicationPeriods: (alert.communicationPeriod ?? []).map(toTimeRange),
    impactPeriods: (alert.impactPeriod ?? []).map(toTimeRange),
    selectors: (alert.informedEntity ?? []).flatMap((selector) => toSelector(selector, dropped)),
    cause: word(alert, 'cause', Cause) ?? 'unknown_cause',
    effect: word(alert, 'effect', Effect) ?? 'unknown_effect',
    severity: severity === undefined || severity === 'unknown_severity' ? 'unknown' : severity,
    header: toTranslations(alert.headerText),
    description: toTranslations(alert.descriptionText),
    url: toTranslations(alert.url),
  }
}

function toTimeRange(range: transit_realtime.ITimeRange): TimeRange {
  const start = whole(range, 'start') ?? 0n
  const end = whole(range, 'end') ?? 0n
  return {
    startSeconds: start === 0n ? undefined : Number(start > LAST_INSTANT ? LAST_INSTANT : start),
    endSeconds: end === 0n || end > LAST_INSTANT ? undefined : Number(end),
  }
}

function toSelector(selector: transit_realtime.IEntitySelector, dropped: Counts): EntitySelector[] {
  const requested = unlessEmpty({
    agencyId: text(selector, 'agencyId'),
    routeId: text(selector, 'routeId'),
    routeType: number(selector, 'routeType'),
    directionId: number(selector, 'directionId'),
    trip: selector.trip ? unlessEmpty(toTrip(selector.trip, dropped), 'relationship') : undefined,
    stopId: text(selector, 'stopId'),
  })
  if (requested === undefined) count(dropped, 'empty_selector')
  return requested === undefined ? [] : [requested]
}

function toTranslations(texts: transit_realtime.ITranslatedString | null | undefined): Translation[] {
  return (texts?.translation ?? []).flatMap((translation) => {
    const own = text(translation, 'text')
    return own === undefined ? [] : [{ text: own, language: text(translation, 'language') }]
  })
}
