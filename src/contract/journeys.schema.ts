// What journeys look like.
import { Type } from '@sinclair/typebox'
import { localTimestamp, nullable } from './envelope.schema.ts'
import { ModeWord } from './networks.schema.ts'

const TIMES = {
  departure_at: localTimestamp('Expected where a live feed tells, else scheduled.'),
  arrival_at: localTimestamp('Expected where a live feed tells, else scheduled.'),
  duration_seconds: Type.Integer({ minimum: 0 }),
  realtime: Type.Boolean({ description: 'Whether live data went into the times.' }),
}

const POINT = { lat: Type.Number(), lon: Type.Number() }

/** Where a section begins or ends. */
export const SectionPlaceSchema = Type.Union([
  Type.Object({ kind: Type.Literal('address'), ...POINT, label: Type.String() }),
  Type.Object({
    kind: Type.String({ enum: ['area', 'stop'] }),
    ...POINT,
    stop_id: Type.String(),
    name: Type.String(),
  }),
])

/** A section on foot. */
export const WalkSchema = Type.Object({
  kind: Type.Literal('walk'),
  ...TIMES,
  distance_meters: Type.Integer({ minimum: 0, description: 'Metres walked.' }),
  from_place: SectionPlaceSchema,
  to_place: SectionPlaceSchema,
})

/** A section in one vehicle. */
export const RideSchema = Type.Object({
  kind: Type.Literal('transit'),
  ...TIMES,
  line: Type.Object({
    id: Type.String(),
    code: Type.String(),
    name: Type.String(),
    mode: ModeWord,
    color: Type.String(),
    text_color: Type.String(),
  }),
  headsign: Type.String({ description: 'What is read where one boards.' }),
  direction_id: Type.String(),
  stop_ids: Type.Array(Type.String(), {
    minItems: 2,
    description: 'Every call from boarding to alighting, both included.',
  }),
  trip_id: Type.String(),
  from_place: SectionPlaceSchema,
  to_place: SectionPlaceSchema,
  stay_seated: Type.Optional(
    Type.Boolean({ description: 'The vehicle of the section before goes on as this trip: one stays in it.' }),
  ),
})

/** A section of a journey. */
export const SectionSchema = Type.Union([WalkSchema, RideSchema])

/** A journey. */
export const JourneySchema = Type.Object({
  id: Type.String({ description: 'The same for the same trips between the same places.' }),
  departure_at: TIMES.departure_at,
  arrival_at: TIMES.arrival_at,
  duration_seconds: TIMES.duration_seconds,
  transfers: Type.Integer({ minimum: 0, description: 'Changes of vehicle; staying seated is none.' }),
  slack_seconds: nullable(
    Type.Integer({
      description:
        'The least time left at a change beyond the walk and the time every change is given; null without a change.',
    }),
  ),
  at_risk: Type.Boolean({ description: 'Whether live times leave so little of it that the change may fail.' }),
  walking_seconds: Type.Integer({ minimum: 0 }),
  walking_meters: Type.Integer({ minimum: 0 }),
  fare: nullable(
    Type.Object(
      {
        amount: Type.Integer({ minimum: 0, description: "In the currency's smallest unit." }),
        currency: Type.String({ description: 'ISO 4217', examples: ['EUR'] }),
        text: Type.String({ examples: ['2,10 €'] }),
      },
      { description: 'The cheapest for an adult.' },
    ),
  ),
  co2_grams: Type.Number({ minimum: 0, description: 'CO2 equivalent, by mode and distance.' }),
  source: Type.String({ description: 'The network.' }),
  realtime: Type.Boolean({ description: 'Whether live data went into it.' }),
  sections: Type.Array(SectionSchema, { minItems: 1 }),
})
