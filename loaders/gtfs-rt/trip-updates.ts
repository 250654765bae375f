// Decodes TripUpdate, and the descriptors that it shares with other entities. A field that the format does not declare
// as `repeated` may still occur more than once in the bytes. As protocol buffers require, the last value then counts,
// and nested messages are merged. Unknown enum numbers count as absent.
import { parseServiceTime } from '../gtfs/service-time.ts'
import type {
  StopTimeEvent,
  StopTimeUpdate,
  TripDescriptor,
  TripProperties,
  TripRelationship,
  TripUpdate,
  VehicleDescriptor,
} from './message.ts'
import { bytesTag, varintTag, type WireReader } from './wire-reader.ts'

/** The type of a message that is still being decoded, so its members can be written. */
export type Unfinished<T> = { -readonly [Key in keyof T]: T[Key] }

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
/**
 * Highest valid pickup_type and drop_off_type. The values are 0 regular, 1 none, 2 phone the agency, 3 arrange with the
 * driver.
 */
const MAX_USE = 3

/** A partly decoded TripUpdate. */
export type TripUpdateParts = Unfinished<Omit<TripUpdate, 'trip' | 'stopTimes' | 'entityId'>> & {
  trip: TripDescriptor | undefined
  stopTimes: StopTimeUpdate[]
}

/** A TripUpdate in which no field is set. */
export function emptyTripUpdate(): TripUpdateParts {
  return {
    trip: undefined,
    vehicle: undefined,
    timestampSeconds: undefined,
    delaySeconds: undefined,
    stopTimes: [],
    properties: undefined,
  }
}

/** Reads a TripUpdate into `update` and returns it. */
export function readTripUpdate(reader: WireReader, update: TripUpdateParts): TripUpdateParts {
  const outerEnd = reader.enter()
  while (reader.at < reader.end) {
    const tag = reader.tag()
    switch (tag) {
      case bytesTag(1):
        update.trip = readTripDescriptor(reader, update.trip)
        break
      case bytesTag(2):
        update.stopTimes.push(readStopTime(reader))
        break
      case bytesTag(3):
        update.vehicle = readVehicleDescriptor(reader, update.vehicle)
        break
      case varintTag(4):
        update.timestampSeconds = reader.instant()
        break
      case varintTag(5):
        update.delaySeconds = reader.int32()
        break
      case bytesTag(6):
        update.properties = readTripProperties(reader, update.properties)
        break
      default:
        reader.skip(tag)
    }
  }
  reader.leave(outerEnd)
  return update
}

/** Creates a TripUpdate from its decoded parts. */
export function toTripUpdate(entityId: string, trip: TripDescriptor, parts: TripUpdateParts): TripUpdate {
  const { vehicle, timestampSeconds, delaySeconds, stopTimes, properties } = parts
  return { entityId, trip, vehicle, timestampSeconds, delaySeconds, stopTimes, properties }
}

function readStopTime(reader: WireReader): StopTimeUpdate {
  const call: Unfinished<StopTimeUpdate> = {
    stopSequence: undefined,
    stopId: undefined,
    arrival: undefined,
    departure: undefined,
    relationship: 'scheduled',
    assignedStopId: undefined,
    headsign: undefined,
    pickupType: undefined,
    dropOffType: undefined,
  }
  const outerEnd = reader.enter()
  while (reader.at < reader.end) {
    const tag = reader.tag()
    switch (tag) {
      case varintTag(1):
        call.stopSequence = reader.uint32()
        break
      case bytesTag(2):
        call.arrival = readEvent(reader, call.arrival)
        break
      case bytesTag(3):
        call.departure = readEvent(reader, call.departure)
        break
      case bytesTag(4):
        call.stopId = reader.text()
        break
      case varintTag(5):
        call.relationship = CALL_RELATIONSHIPS[reader.int32()] ?? call.relationship
        break
      case bytesTag(6):
        readStopTimeProperties(reader, call)
        break
      default:
        reader.skip(tag)
    }
  }
  reader.leave(outerEnd)
  call.arrival = definedEvent(call.arrival)
  call.departure = definedEvent(call.departure)
  return call
}

/** Returns the event, or undefined if the event has neither a time nor a delay. */
function definedEvent(event: StopTimeEvent | undefined): StopTimeEvent | undefined {
  return event?.timeSeconds === undefined && event?.delaySeconds === undefined ? undefined : event
}

function readEvent(reader: WireReader, known: StopTimeEvent | undefined): StopTimeEvent {
  let timeSeconds = known?.timeSeconds
  let delaySeconds = known?.delaySeconds
  let scheduledSeconds = known?.scheduledSeconds
  const outerEnd = reader.enter()
  while (reader.at < reader.end) {
    const tag = reader.tag()
    switch (tag) {
      case varintTag(1):
        delaySeconds = reader.int32()
        break
      case varintTag(2):
        timeSeconds = reader.instant()
        break
      case varintTag(4):
        scheduledSeconds = reader.instant()
        break
      default:
        reader.skip(tag)
    }
  }
  reader.leave(outerEnd)
  return { timeSeconds, delaySeconds, scheduledSeconds }
}

function readStopTimeProperties(reader: WireReader, call: Unfinished<StopTimeUpdate>): void {
  const outerEnd = reader.enter()
  while (reader.at < reader.end) {
    const tag = reader.tag()
    switch (tag) {
      case bytesTag(1):
        call.assignedStopId = reader.text()
        break
      case bytesTag(2):
        call.headsign = reader.text()
        break
      case varintTag(3):
        call.pickupType = readUse(reader) ?? call.pickupType
        break
      case varintTag(4):
        call.dropOffType = readUse(reader) ?? call.dropOffType
        break
      default:
        reader.skip(tag)
    }
  }
  reader.leave(outerEnd)
}

function readUse(reader: WireReader): number | undefined {
  const use = reader.uint32()
  return use <= MAX_USE ? use : undefined
}

/**
 * Reads a TripDescriptor. If the field has occurred before, `known` is the earlier descriptor, and the new one is
 * merged into it.
 */
export function readTripDescriptor(reader: WireReader, known: TripDescriptor | undefined): TripDescriptor {
  const trip: Unfinished<TripDescriptor> = known ?? {
    tripId: undefined,
    routeId: undefined,
    directionId: undefined,
    startSeconds: undefined,
    startDate: undefined,
    relationship: 'scheduled',
    modificationsId: undefined,
  }
  const outerEnd = reader.enter()
  while (reader.at < reader.end) {
    const tag = reader.tag()
    switch (tag) {
      case bytesTag(1):
        trip.tripId = reader.text()
        break
      case bytesTag(2):
        trip.startSeconds = readStartTime(reader)
        break
      case bytesTag(3):
        trip.startDate = reader.text()
        break
      case varintTag(4):
        trip.relationship = TRIP_RELATIONSHIPS[reader.int32()] ?? trip.relationship
        break
      case bytesTag(5):
        trip.routeId = reader.text()
        break
      case varintTag(6):
        trip.directionId = reader.uint32()
        break
      case bytesTag(7):
        readModifiedTrip(reader, trip)
        break
      default:
        reader.skip(tag)
    }
  }
  reader.leave(outerEnd)
  return trip
}

/**
 * Reads a ModifiedTripSelector into `trip`. A descriptor with a selector identifies the trip only by that selector; the
 * descriptor's own fields are empty.
 */
function readModifiedTrip(reader: WireReader, trip: Unfinished<TripDescriptor>): void {
  const outerEnd = reader.enter()
  while (reader.at < reader.end) {
    const tag = reader.tag()
    if (tag === bytesTag(1)) trip.modificationsId = reader.text()
    else if (tag === bytesTag(2)) trip.tripId = reader.text() ?? trip.tripId
    else if (tag === bytesTag(3)) trip.startSeconds = readStartTime(reader) ?? trip.startSeconds
    else if (tag === bytesTag(4)) trip.startDate = reader.text() ?? trip.startDate
    else reader.skip(tag)
  }
  reader.leave(outerEnd)
}

/** Reads a start_time; undefined if it is empty or invalid. */
export function readStartTime(reader: WireReader): number | undefined {
  return reader.slice((bytes, start, end) => {
    const seconds = parseServiceTime(bytes, start, end)
    if (seconds >= 0) return seconds
    if (start < end) reader.leaveOut('bad_start_time')
    return undefined
  })
}

function readTripProperties(reader: WireReader, known: TripProperties | undefined): TripProperties | undefined {
  const properties: Unfinished<TripProperties> = known ?? {
    tripId: undefined,
    startDate: undefined,
    startSeconds: undefined,
    shapeId: undefined,
    headsign: undefined,
    shortName: undefined,
  }
  const outerEnd = reader.enter()
  while (reader.at < reader.end) {
    const tag = reader.tag()
    switch (tag) {
      case bytesTag(1):
        properties.tripId = reader.text()
        break
      case bytesTag(2):
        properties.startDate = reader.text()
        break
      case bytesTag(3):
        properties.startSeconds = readStartTime(reader)
        break
      case bytesTag(4):
        properties.shapeId = reader.text()
        break
      case bytesTag(5):
        properties.headsign = reader.text()
        break
      case bytesTag(6):
        properties.shortName = reader.text()
        break
      default:
        reader.skip(tag)
    }
  }
  reader.leave(outerEnd)
  return hasAnyField(properties) ? properties : undefined
}

/** Reads a VehicleDescriptor; undefined if it is empty. */
export function readVehicleDescriptor(
  reader: WireReader,
  known: VehicleDescriptor | undefined,
): VehicleDescriptor | undefined {
  let id = known?.id
  let label = known?.label
  let licensePlate = known?.licensePlate
  const outerEnd = reader.enter()
  while (reader.at < reader.end) {
    const tag = reader.tag()
    switch (tag) {
      case bytesTag(1):
        id = reader.text()
        break
      case bytesTag(2):
        label = reader.text()
        break
      case bytesTag(3):
        licensePlate = reader.text()
        break
      default:
        reader.skip(tag)
    }
  }
  reader.leave(outerEnd)
  const isNamed = id !== undefined || label !== undefined || licensePlate !== undefined
  return isNamed ? { id, label, licensePlate } : undefined
}

/** Whether any field of a decoded message is defined. */
export function hasAnyField(part: object): boolean {
  return Object.values(part).some((value) => value !== undefined)
}
