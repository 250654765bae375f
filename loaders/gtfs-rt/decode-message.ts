// Decodes the bytes of a GTFS-Realtime feed into a RealtimeMessage. If the bytes violate the format, the whole message
// is rejected. If an entity lacks a required field, only the entity is left out. The official bindings are not used,
// for two reasons. They reject a whole message if one entity lacks a required field. They also accept a message whose
// parts overlap.
import { type AlertParts, emptyAlert, readAlert } from './alerts.ts'
import type { FeedEntities, RealtimeMessage } from './message.ts'
import {
  emptyShape,
  emptyTripModifications,
  readShape,
  readTripModifications,
  type ShapeParts,
  type TripModificationsParts,
} from './trip-modifications.ts'
import { emptyTripUpdate, readTripUpdate, type TripUpdateParts, toTripUpdate } from './trip-updates.ts'
import { RealtimeUnreadable } from './unreadable.ts'
import { emptyVehicle, readVehicle, toVehicleReport, type VehicleParts } from './vehicle-positions.ts'
import { bytesTag, varintTag, WireReader } from './wire-reader.ts'

export { RealtimeUnreadable } from './unreadable.ts'

interface Header {
  version: string | undefined
  isDifferential: boolean
  timestampSeconds: number | undefined
}

interface Entity {
  id: string | undefined
  isDeleted: boolean
  trip: TripUpdateParts | undefined
  vehicle: VehicleParts | undefined
  alert: AlertParts | undefined
  modifications: TripModificationsParts | undefined
  shape: ShapeParts | undefined
  /** Whether the entity has a Stop message, which is not read. */
  hasStop: boolean
}

type Contents = { readonly [Kind in keyof FeedEntities]: FeedEntities[Kind][number][] } & {
  readonly deletedIds: string[]
}

/**
 * Decodes a FeedMessage.
 * @throws RealtimeUnreadable if the bytes are not a valid message
 */
export function decodeMessage(bytes: Uint8Array): RealtimeMessage {
  const reader = new WireReader(bytes)
  const header: Header = { version: undefined, isDifferential: false, timestampSeconds: undefined }
  const contents: Contents = { trips: [], vehicles: [], alerts: [], modifications: [], shapes: [], deletedIds: [] }
  let hasHeader = false
  while (reader.at < reader.end) {
    const tag = reader.tag()
    if (tag === bytesTag(1)) {
      readHeader(reader, header)
      hasHeader = true
    } else if (tag === bytesTag(2)) addEntity(reader, readEntity(reader), contents)
    else reader.skip(tag)
  }
  if (!hasHeader) throw new RealtimeUnreadable('missing_header', 'the message has no header')
  const { version, isDifferential, timestampSeconds } = header
  if (version === undefined) throw new RealtimeUnreadable('missing_header', 'the header has no version')
  if (!isDifferential) for (const _ of contents.deletedIds.splice(0)) reader.leaveOut('deleted_in_full_dataset')
  const incrementality = isDifferential ? 'differential' : 'full_dataset'
  return { version, incrementality, timestampSeconds, ...contents, dropped: reader.leftOut }
}

function readHeader(reader: WireReader, header: Header): void {
  const outerEnd = reader.enter()
  while (reader.at < reader.end) {
    const tag = reader.tag()
    switch (tag) {
      case bytesTag(1):
        header.version = reader.text() ?? ''
        break
      case varintTag(2): {
        const incrementality = reader.uint32()
        if (incrementality <= 1) header.isDifferential = incrementality === 1
        break
      }
      case varintTag(3):
        header.timestampSeconds = reader.instant()
        break
      default:
        reader.skip(tag)
    }
  }
  reader.leave(outerEnd)
}

function readEntity(reader: WireReader): Entity {
  const entity: Entity = {
    id: undefined,
    isDeleted: false,
    trip: undefined,
    vehicle: undefined,
    alert: undefined,
    modifications: undefined,
    shape: undefined,
    hasStop: false,
  }
  const outerEnd = reader.enter()
  while (reader.at < reader.end) {
    const tag = reader.tag()
    switch (tag) {
      case bytesTag(1):
        entity.id = reader.text()
        break
      case varintTag(2):
        entity.isDeleted = reader.unsigned() !== 0
        break
      case bytesTag(3):
        entity.trip = readTripUpdate(reader, entity.trip ?? emptyTripUpdate())
        break
      case bytesTag(4):
        entity.vehicle = readVehicle(reader, entity.vehicle ?? emptyVehicle())
        break
      case bytesTag(5):
        entity.alert = readAlert(reader, entity.alert ?? emptyAlert())
        break
      case bytesTag(6):
        entity.shape = readShape(reader, entity.shape ?? emptyShape())
        break
      case bytesTag(8):
        entity.modifications = readTripModifications(reader, entity.modifications ?? emptyTripModifications())
        break
      case bytesTag(7):
        entity.hasStop = true
        reader.skip(tag)
        break
      default:
        reader.skip(tag)
    }
  }
  reader.leave(outerEnd)
  return entity
}

function addEntity(reader: WireReader, entity: Entity, contents: Contents): void {
  const { trips, vehicles, alerts, deletedIds } = contents
  const { id, trip, vehicle, alert, modifications, shape } = entity
  if (id === undefined) return reader.leaveOut('entity_without_id')
  if (entity.isDeleted) {
    deletedIds.push(id)
    return
  }
  if (entity.hasStop) reader.leaveOut('unused_content')
  else if ([trip, vehicle, alert, modifications, shape].every((part) => part === undefined))
    reader.leaveOut('entity_without_content')
  if (trip !== undefined) {
    if (trip.trip === undefined) reader.leaveOut('trip_update_without_trip')
    else trips.push(toTripUpdate(id, trip.trip, trip))
  }
  if (vehicle !== undefined) vehicles.push(toVehicleReport(reader, id, vehicle))
  if (alert !== undefined) alerts.push({ entityId: id, ...alert })
  if (modifications !== undefined) contents.modifications.push({ entityId: id, ...modifications })
  if (shape !== undefined) contents.shapes.push({ entityId: id, ...shape })
}
