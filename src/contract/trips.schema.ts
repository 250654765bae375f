// Schemas of trips.
import { Type } from '@sinclair/typebox'
import { envelope, META, nullable } from './envelope.schema.ts'
import { RideCallSchema, RideLineSchema, TripGeometrySchema } from './journeys.schema.ts'
import { VehicleSchema } from './vehicles.schema.ts'

/** A trip on one service day. */
export const TripSchema = Type.Object({
  id: Type.String({
    description: '`<network>:trip:<yyyymmdd>:<local id>`, followed by `@HH:MM:SS` for frequency-based trips.',
  }),
  network: Type.String(),
  line: RideLineSchema,
  direction_id: Type.String(),
  headsign: Type.String({ description: 'Headsign at the first stop.' }),
  service_date: Type.String({
    format: 'date',
    description: 'The service day. Departures after midnight can belong to the previous service day.',
  }),
  status: Type.String({
    enum: ['scheduled', 'canceled', 'added', 'replaced'],
    description:
      '`added` if only a live feed has the trip, `replaced` if a live feed reports stops that differ from the ' +
      'timetable. More values may be added.',
  }),
  realtime: Type.Boolean({ description: 'Whether live data covers this trip.' }),
  delay_seconds: nullable(
    Type.Integer({
      description: 'Delay in seconds at the next stop, negative if early; null without a live prediction.',
    }),
  ),
  source: Type.String({ description: 'Id of the feed; `gtfs` for scheduled data.' }),
  vehicle: nullable(VehicleSchema),
  calls: Type.Array(RideCallSchema, {
    minItems: 2,
    description:
      'All stops on the trip, in order, including skipped ones. `arrival` is null at the first stop, and `departure` ' +
      'at the last.',
  }),
  geometry: Type.Optional(TripGeometrySchema),
  geometry_source: Type.Optional(
    Type.String({
      enum: ['shape', 'stops'],
      description: "`shape` if `geometry` follows the trip's shape, `stops` if it joins the stops with straight lines.",
    }),
  ),
  alert_ids: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Ids of the alerts that affect the trip, its line or its stops while it runs. Only present with `include=alerts`.',
    }),
  ),
})

/** The response for a trip. It is also the event of the trip's stream. */
export const TripAnswerSchema = envelope(TripSchema, META.trip)
