// What live vehicles look like: on their line, and reduced near a place.
import { Type } from '@sinclair/typebox'
import { envelope, localTimestamp, META, nullable } from './envelope.schema.ts'

const IDENTITY = {
  id: Type.String({ description: '`<network>:vehicle:<local id>`' }),
  network: Type.String(),
  line_id: Type.String(),
  direction_id: Type.String(),
  headsign: Type.String(),
  lat: Type.Number(),
  lon: Type.Number(),
  bearing: Type.Number({ minimum: 0, maximum: 360, description: 'Degrees clockwise from north.' }),
  speed_kmh: Type.Number({ minimum: 0 }),
}
const STATUS = {
  status: Type.String({ enum: ['incoming_at', 'stopped_at', 'in_transit'] }),
}
const POSITION = {
  off_route_meters: nullable(
    Type.Integer({ minimum: 0, description: 'How far it is from the shape of its trip; null without a shape.' }),
  ),
  position_source: Type.String({ enum: ['gps', 'interpolated', 'scheduled'] }),
  recorded_at: localTimestamp('When the position was taken.'),
}

/** A vehicle near a place. */
export const NearbyVehicleSchema = Type.Object({
  ...IDENTITY,
  ...STATUS,
  ...POSITION,
  distance_meters: Type.Integer({ minimum: 0 }),
})

/** A vehicle on its line. */
export const VehicleSchema = Type.Object({
  ...IDENTITY,
  delay_seconds: nullable(Type.Integer()),
  ...STATUS,
  current_stop_id: nullable(Type.String()),
  next_stop_id: nullable(Type.String()),
  trip_id: nullable(Type.String()),
  ...POSITION,
  occupancy: nullable(Type.String()),
})

/** What the vehicles of a line answer, polled or as an event. */
export const VehiclesAnswerSchema = envelope(Type.Array(VehicleSchema), META.list)
