// What departures look like: on a stop's board, and reduced in the groups of nearby stops.
import { Type } from '@sinclair/typebox'
import { envelope, localTimestamp, META, nullable } from './envelope.schema.ts'
import { Color } from './lines.schema.ts'
import { ModeWord } from './networks.schema.ts'
import { StopSchema } from './stops.schema.ts'

const EXPECTED = {
  scheduled_at: localTimestamp('Departure by the timetable.'),
  expected_at: nullable(localTimestamp('Departure by the live forecast; null without one.')),
  delay_seconds: nullable(Type.Integer({ description: 'Negative when early; null without a live forecast.' })),
  realtime: Type.Boolean({ description: 'Whether a fresh forecast speaks of this call.' }),
  status: Type.String({
    enum: ['on_time', 'delayed', 'early', 'canceled', 'skipped', 'added', 'unscheduled', 'unknown'],
    description: '`unknown` where there is no live data. More values may be added.',
  }),
}

/** A departure on the board of a stop. */
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
    description: '`<network>:trip:<yyyymmdd>:<local id>`, with `@HH:MM:SS` for a frequency run.',
  }),
  vehicle_id: nullable(Type.String()),
  platform: Type.String({ description: 'Empty where it is not known.' }),
  source: Type.String({ description: 'Feed identifier; `gtfs` for scheduled data.' }),
})

/** What a board answers, polled or as an event. */
export const DeparturesAnswerSchema = envelope(Type.Array(DepartureSchema), META.departures)

/** A departure in the groups of nearby stops. */
export const NearbyDepartureSchema = Type.Object({
  stop_id: Type.String(),
  line_id: Type.String(),
  line_code: Type.String(),
  mode: ModeWord,
  headsign: Type.String(),
  ...EXPECTED,
  source: Type.String(),
})

/** The next departures of one stop or area near a place. */
export const NearbyDeparturesSchema = Type.Object({
  stop: StopSchema,
  distance_meters: Type.Integer({ minimum: 0 }),
  departures: Type.Array(NearbyDepartureSchema, { minItems: 1, maxItems: 8 }),
})
