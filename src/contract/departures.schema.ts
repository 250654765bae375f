// Schemas of departures on a stop's board, and of a shorter form for nearby stops.
import { Type } from '@sinclair/typebox'
import { envelope, localTimestamp, META, nullable } from './envelope.schema.ts'
import { Color } from './lines.schema.ts'
import { ModeWord } from './networks.schema.ts'
import { StopSchema } from './stops.schema.ts'

/** The status of a departure, or of a call. */
export const DepartureStatusWord = Type.String({
  enum: ['on_time', 'delayed', 'early', 'canceled', 'skipped', 'added', 'unscheduled', 'unknown'],
  description: '`unknown` if there is no live data. More values may be added.',
})

const EXPECTED = {
  scheduled_at: localTimestamp('Scheduled departure.'),
  expected_at: nullable(localTimestamp('Predicted departure; null without a live prediction.')),
  delay_seconds: nullable(
    Type.Integer({ description: 'Delay in seconds, negative if early; null without a live prediction.' }),
  ),
  realtime: Type.Boolean({ description: 'Whether a current live prediction covers this departure.' }),
  status: DepartureStatusWord,
}

/** A departure on a stop's board. */
export const DepartureSchema = Type.Object({
  stop_id: Type.String(),
  line_id: Type.String(),
  line_code: Type.String(),
  line_name: Type.String(),
  mode: ModeWord,
  color: Color,
  text_color: Color,
  direction_id: Type.String(),
  headsign: Type.String(),
  ...EXPECTED,
  trip_id: Type.String({
    description: '`<network>:trip:<yyyymmdd>:<local id>`, followed by `@HH:MM:SS` for frequency-based trips.',
  }),
  vehicle_id: nullable(Type.String()),
  platform: Type.String({ description: 'Empty if unknown.' }),
  source: Type.String({ description: 'Id of the feed; `gtfs` for scheduled data.' }),
})

/** The response with a departure board, and the event of the board's stream. */
export const DeparturesAnswerSchema = envelope(Type.Array(DepartureSchema), META.departures)

/** A departure from a nearby stop. */
export const NearbyDepartureSchema = Type.Object({
  stop_id: Type.String(),
  line_id: Type.String(),
  line_code: Type.String(),
  mode: ModeWord,
  headsign: Type.String(),
  ...EXPECTED,
  source: Type.String(),
})

/** The next departures from one stop or area near a point. */
export const NearbyDeparturesSchema = Type.Object({
  stop: StopSchema,
  distance_meters: Type.Integer({ minimum: 0 }),
  departures: Type.Array(NearbyDepartureSchema, { minItems: 1, maxItems: 8 }),
})
