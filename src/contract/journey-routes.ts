// The journey rows of the route table (routes.ts).
import { Type } from '@sinclair/typebox'
import { envelope, META } from './envelope.schema.ts'
import { JourneySchema } from './journeys.schema.ts'
import { PARAMETERS } from './parameters.ts'
import { KEYED, NETWORK_REFUSALS, row } from './route.ts'

const { limit, modes, include, end, whenIfGiven, arriveBy, planner, maxWalk, journeysCursor } = PARAMETERS
const { maxTransfers, network, transferSeconds, wheelchair, lang } = PARAMETERS
/**
 * The `include` parameter for journeys. Its word `steps` is only supported if walks follow an extract from
 * OpenStreetMap.
 */
const JOURNEY_INCLUDE = {
  ...include,
  words: ['calls', 'geometry', 'alerts'],
  someWords: ['steps'],
  description: `${include.description} \`steps\` is only available if walks follow a street map.`,
} as const

/** The routes that plan journeys between two places, and that return a journey by its id. */
export const JOURNEY_ROUTES = {
  journeys: row({
    ...KEYED,
    cost: 5,
    name: 'planJourneys',
    path: '/v1/journeys',
    summary: 'Plan journeys',
    description: 'Plans journeys between two places in the same network.',
    caching: 'live',
    parameters: {
      from: { ...end, description: `Start of the journey. ${end.description}` },
      to: { ...end, description: `Destination of the journey. ${end.description}` },
      when: whenIfGiven,
      arrive_by: arriveBy,
      modes: { ...modes, description: 'Modes to use, separated by commas. Walking is always allowed.' },
      planner,
      max_walk: maxWalk,
      max_transfers: maxTransfers,
      transfer_seconds: transferSeconds,
      wheelchair,
      network,
      include: JOURNEY_INCLUDE,
      limit: { ...limit, max: 6, default: 3 },
      cursor: journeysCursor,
      lang,
    },
    answer: envelope(Type.Array(JourneySchema), META.journeys),
    refusals: [...NETWORK_REFUSALS, 'capability_unsupported', 'planner_timeout', 'overloaded'],
  }),
  journey: row({
    ...KEYED,
    name: 'getJourney',
    path: '/v1/journeys/:journey_id',
    summary: 'Get a journey',
    description: 'Returns a journey from an earlier response, updated with current live data.',
    caching: 'live',
    parameters: { include: JOURNEY_INCLUDE, lang },
    answer: envelope(JourneySchema, META.single),
    refusals: [...NETWORK_REFUSALS, 'planner_timeout', 'overloaded'],
  }),
} as const
