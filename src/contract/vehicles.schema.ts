// Schemas of live vehicles: one for the vehicles on a line, and a shorter one for vehicles near a point.
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
    Type.Integer({
      minimum: 0,
      description: "Distance from the trip's shape, in meters; null if the trip has no shape.",
    }),
  ),
  position_source: Type.String({
    enum: ['gps', 'interpolated', 'scheduled'],
    description:
      '`gps` if the vehicle measured the position, `interpolated` if it was computed from predictions, `scheduled` if ' +
      'it was computed from the timetable.',
  }),
  recorded_at: localTimestamp('When the position was measured or computed.'),
}

/** A vehicle near a point. */
export const NearbyVehicleSchema = Type.Object({
  ...IDENTITY,
  ...STATUS,
  ...POSITION,
  distance_meters: Type.Integer({ minimum: 0 }),
})

/** A vehicle in the response for a line. */
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

/** The response for the vehicles on a line. It is also the event of the line's stream. */
export const VehiclesAnswerSchema = envelope(Type.Array(VehicleSchema), META.list)
