// The rows of the route table for trips, and for explanations of the calls at a stop.
import { ExplanationsAnswerSchema } from './explanations.schema.ts'
import { PARAMETERS } from './parameters.ts'
import { KEYED, NETWORK_REFUSALS, row, STREAM_REFUSALS, streamRow } from './route.ts'
import { TripAnswerSchema } from './trips.schema.ts'

const { trip, line, direction, when, noWhen, interval, include, lang } = PARAMETERS
const TRIP_EXTRAS = { ...include, words: ['geometry', 'alerts'] } as const

/** The routes for trips, and for explanations of the calls at a stop. */
export const TRIP_ROUTES = {
  stopExplanations: row({
    ...KEYED,
    name: 'listExplanations',
    path: '/v1/stops/:stop_id/explanations',
    summary: 'Explain departures',
    description:
      "Explains why each call of a line or trip at a stop is or is not on the stop's departure board. Covers the " +
      'calls from 15 minutes before `when` to 30 minutes after it: at most 20, soonest first. Requires `trip`, ' +
      '`line` or both.',
    caching: 'live',
    parameters: { trip, line, direction, when, lang },
    answer: ExplanationsAnswerSchema,
    refusals: NETWORK_REFUSALS,
  }),
  trip: row({
    ...KEYED,
    name: 'getTrip',
    path: '/v1/trips/:trip_id',
    summary: 'Get a trip',
    description: 'Returns a trip on one service day, with its calls, their live times, and its vehicle.',
    caching: 'live',
    parameters: { include: TRIP_EXTRAS, lang },
    answer: TripAnswerSchema,
    refusals: NETWORK_REFUSALS,
  }),
  tripStream: streamRow({
    ...KEYED,
    name: 'streamTrip',
    path: '/v1/trips/:trip_id/stream',
    summary: 'Stream a trip',
    description: 'Sends a trip immediately, then every `interval` seconds, until ten minutes after its last call.',
    caching: 'live',
    parameters: { include: TRIP_EXTRAS, interval, when: noWhen, lang },
    answer: TripAnswerSchema,
    event: 'trip',
    refusals: [...NETWORK_REFUSALS, ...STREAM_REFUSALS],
  }),
} as const
