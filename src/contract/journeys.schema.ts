// Schemas of journeys.
import { Type } from '@sinclair/typebox'
import { DepartureStatusWord } from './departures.schema.ts'
import { localTimestamp, nullable } from './envelope.schema.ts'
import { PositionSchema } from './lines.schema.ts'
import { ModeWord } from './networks.schema.ts'

const TIMES = {
  departure_at: localTimestamp('Departure: predicted if live data is available, scheduled otherwise.'),
  arrival_at: localTimestamp('Arrival: predicted if live data is available, scheduled otherwise.'),
  duration_seconds: Type.Integer({ minimum: 0 }),
  realtime: Type.Boolean({ description: 'Whether the times use live data.' }),
}

const POINT = { lat: Type.Number(), lon: Type.Number() }

/** The place where a section of a journey starts or ends. */
export const SectionPlaceSchema = Type.Union([
  Type.Object({ kind: Type.Literal('address'), ...POINT, label: Type.String() }),
  Type.Object({
    kind: Type.String({ enum: ['area', 'stop'] }),
    ...POINT,
    stop_id: Type.String(),
    name: Type.String(),
  }),
])

const LINE_STRING = {
  type: Type.Literal('LineString'),
  coordinates: Type.Array(PositionSchema, { minItems: 2 }),
}

/** The geometry of a trip. */
export const TripGeometrySchema = Type.Object(LINE_STRING, {
  description: 'GeoJSON. Only present with `include=geometry`.',
})

const SectionGeometry = Type.Object(LINE_STRING, {
  description:
    'GeoJSON. A walk follows the streets if its `walk_source` is `streets`, and is a straight line otherwise. Only ' +
    'present with `include=geometry`.',
})

/** When a vehicle arrives at a stop or leaves it. */
export const CallTimeSchema = Type.Object({
  scheduled_at: localTimestamp('Scheduled time.'),
  expected_at: nullable(localTimestamp('Predicted time; null without a live prediction.')),
  delay_seconds: nullable(
    Type.Integer({ description: 'Delay in seconds, negative if early; null without a live prediction.' }),
  ),
})

/** A stop that a ride calls at. */
export const RideCallSchema = Type.Object({
  stop_id: Type.String(),
  name: Type.String(),
  ...POINT,
  platform: Type.String({ description: 'Empty if unknown.' }),
  status: DepartureStatusWord,
  arrival: nullable(CallTimeSchema),
  departure: nullable(CallTimeSchema),
})

/** The part of a walk that follows one street. */
export const WalkStepSchema = Type.Object({
  name: nullable(Type.String({ description: 'Name of the street; null if it has none.' })),
  distance_meters: Type.Integer({
    minimum: 0,
    description: "Length of the step, in meters. The lengths of all steps add up to the walk's distance.",
  }),
  kind: Type.String({
    enum: ['street', 'steps', 'elevator', 'crossing'],
    description: '`steps` means stairs. More values may be added.',
  }),
})

/** A section of a journey on foot. */
export const WalkSchema = Type.Object({
  kind: Type.Literal('walk'),
  ...TIMES,
  distance_meters: Type.Integer({ minimum: 0, description: 'Walking distance, in meters.' }),
  from_place: SectionPlaceSchema,
  to_place: SectionPlaceSchema,
  geometry: Type.Optional(SectionGeometry),
  walk_source: Type.Optional(
    Type.String({
      enum: ['streets', 'straight', 'pathways'],
      description:
        'How the walk is measured: along streets, in a straight line, or along pathways in a station. Only present ' +
        'if the network has a street map. More values may be added.',
    }),
  ),
  steps: Type.Optional(
    Type.Array(WalkStepSchema, {
      minItems: 1,
      description:
        'The streets along the walk, in order. Only present with `include=steps`, and if `walk_source` is `streets`.',
    }),
  ),
  wheelchair: Type.Optional(
    Type.String({
      enum: ['yes', 'unknown'],
      description:
        '`yes` if the whole walk is marked as wheelchair-accessible on the street map, `unknown` otherwise. Only ' +
        'present with `wheelchair=true`, and if the network has a street map.',
    }),
  ),
})

/** The line of a ride or a trip. */
export const RideLineSchema = Type.Object({
  id: Type.String(),
  code: Type.String(),
  name: Type.String(),
  mode: ModeWord,
  color: Type.String(),
  text_color: Type.String(),
})

/** A section of a journey in one vehicle. */
export const RideSchema = Type.Object({
  kind: Type.Literal('transit'),
  ...TIMES,
  line: RideLineSchema,
  headsign: Type.String({ description: 'Headsign at the boarding stop.' }),
  direction_id: Type.String(),
  stop_ids: Type.Array(Type.String(), {
    minItems: 2,
    description: 'Ids of all stops from the boarding stop to the alighting stop, both included.',
  }),
  trip_id: Type.String(),
  from_place: SectionPlaceSchema,
  to_place: SectionPlaceSchema,
  scheduled_departure_at: localTimestamp('Scheduled departure.'),
  scheduled_arrival_at: localTimestamp('Scheduled arrival.'),
  delay_seconds: nullable(
    Type.Integer({ description: 'Delay in seconds at the boarding stop, negative if early; null if unknown.' }),
  ),
  status: DepartureStatusWord,
  platform: Type.String({ description: 'Where to board. Empty if unknown.' }),
  vehicle_id: nullable(Type.String()),
  calls: Type.Optional(
    Type.Array(RideCallSchema, {
      description:
        "The stops in `stop_ids`, in the same order. `arrival` is null at the trip's first stop, and `departure` at " +
        'its last. Only present with `include=calls`.',
    }),
  ),
  geometry: Type.Optional(SectionGeometry),
  geometry_source: Type.Optional(
    Type.String({
      enum: ['shape', 'stops'],
      description: "`shape` if `geometry` follows the trip's shape, `stops` if it joins the stops with straight lines.",
    }),
  ),
  alert_ids: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Ids of the alerts that affect the trip, its line, or the boarding or alighting stop at the time of the ' +
        'ride. Only present with `include=alerts`.',
    }),
  ),
  wheelchair: Type.Optional(
    Type.String({
      enum: ['yes', 'unknown'],
      description:
        '`yes` if the trip and the boarding and alighting stops are marked as wheelchair-accessible, `unknown` ' +
        'otherwise. Only present with `wheelchair=true`.',
    }),
  ),
  stay_seated: Type.Optional(
    Type.Boolean({
      description: 'True for an in-seat transfer: the vehicle from the previous section continues as this trip.',
    }),
  ),
})

/** A section of a journey. */
export const SectionSchema = Type.Union([WalkSchema, RideSchema])

/** A journey. */
export const JourneySchema = Type.Object({
  id: Type.String({
    description:
      'Id of the journey. The same trips between the same places always have the same id. Use it with ' +
      '`/v1/journeys/{journey_id}` to get the journey again with current live data.',
  }),
  departure_at: TIMES.departure_at,
  arrival_at: TIMES.arrival_at,
  duration_seconds: TIMES.duration_seconds,
  transfers: Type.Integer({
    minimum: 0,
    description: 'Number of transfers between vehicles; in-seat transfers do not count.',
  }),
  slack_seconds: nullable(
    Type.Integer({
      description:
        'Spare time at the tightest transfer, after the walk and the minimum transfer time; null without transfers.',
    }),
  ),
  at_risk: Type.Boolean({ description: 'Whether live times make a transfer so tight that it may be missed.' }),
  walking_seconds: Type.Integer({ minimum: 0 }),
  walking_meters: Type.Integer({ minimum: 0 }),
  fare: nullable(
    Type.Object(
      {
        amount: Type.Integer({ minimum: 0, description: "Amount in the currency's smallest unit." }),
        currency: Type.String({ description: 'ISO 4217 code.', examples: ['EUR'] }),
        text: Type.String({ examples: ['2,10 €'] }),
      },
      { description: 'The cheapest adult fare.' },
    ),
  ),
  co2_grams: Type.Number({ minimum: 0, description: 'CO2 equivalent in grams, estimated from mode and distance.' }),
  source: Type.String({ description: 'Id of the network.' }),
  realtime: Type.Boolean({ description: 'Whether the journey uses live data.' }),
  sections: Type.Array(SectionSchema, { minItems: 1 }),
})
