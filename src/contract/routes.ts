// The table of routes: path, access, cost, parameters, response. The handlers (endpoint.ts) and the OpenAPI document are
// built from its rows. Requests to any other path are rejected, with or without a key.

import { Type } from '@sinclair/typebox'
import { AlertSchema } from './alerts.schema.ts'
import { DeparturesAnswerSchema, NearbyDeparturesSchema } from './departures.schema.ts'
import { envelope, META } from './envelope.schema.ts'
import { JourneySchema } from './journeys.schema.ts'
import { LineDetailSchema, LineSchema } from './lines.schema.ts'
import { NetworkDetailSchema, NetworkSchema } from './networks.schema.ts'
import { PARAMETERS, type ParameterRules } from './parameters.ts'
import { PlaceSchema, ReverseSchema } from './places.schema.ts'
import type { Route, StreamRoute } from './route.ts'
import { HealthSchema, StatusEntrySchema } from './status.schema.ts'
import { DirectionStopsSchema, ListedStopSchema, NearbyStopSchema, StopDetailSchema } from './stops.schema.ts'
import { UsageSchema } from './usage.schema.ts'
import { NearbyVehicleSchema, VehiclesAnswerSchema } from './vehicles.schema.ts'

function row<const Rules extends ParameterRules>(route: Route<Rules>): Route<Rules> {
  return route
}

function streamRow<const Rules extends ParameterRules>(route: StreamRoute<Rules>): StreamRoute<Rules> {
  return route
}

const {
  limit,
  cursor,
  networks,
  near,
  radius,
  bbox,
  modes,
  q,
  when,
  horizon,
  interval,
  noWhen,
  include,
  line,
  direction,
  kind,
  end,
  whenIfGiven,
  arriveBy,
  planner,
  maxWalk,
  journeysCursor,
  maxTransfers,
  network,
  severity,
  transferSeconds,
  wheelchair,
  providers,
} = PARAMETERS
const { lang } = PARAMETERS
const KEYED = { access: 'keyed', cost: 1 } as const
const NETWORK_REFUSALS = ['not_found', 'not_ready'] as const
const STREAM_REFUSALS = ['too_many_streams', 'overloaded'] as const
const NO_PARAMETERS = { lang }
/** The streets of walks are known where the network has an extract of OpenStreetMap. */
const JOURNEY_INCLUDE = {
  ...include,
  words: ['calls', 'geometry', 'alerts'],
  someWords: ['steps'],
  description: `${include.description} \`steps\` is only known where walks follow a street map.`,
} as const

/** Every route of the API. */
export const ROUTES = {
  health: row({
    name: 'getHealth',
    path: '/v1/health',
    summary: 'Check service health',
    description: 'Returns 200 while the service is running.',
    access: 'public',
    cost: 0,
    caching: 'live',
    parameters: {},
    answer: envelope(HealthSchema, META.bare),
    refusals: [],
  }),
  status: row({
    name: 'getStatus',
    path: '/v1/status',
    summary: 'Get network status',
    description: 'Health of the live feeds of each network. Cached for 30 seconds.',
    access: 'public',
    cost: 0,
    caching: 'status',
    parameters: {},
    answer: envelope(Type.Array(StatusEntrySchema), META.bare),
    refusals: [],
  }),
  networks: row({
    ...KEYED,
    name: 'listNetworks',
    path: '/v1/networks',
    summary: 'List networks',
    description: 'All networks of this service, with their capabilities.',
    caching: 'static',
    parameters: NO_PARAMETERS,
    answer: envelope(Type.Array(NetworkSchema), META.networks),
    refusals: [],
  }),
  network: row({
    ...KEYED,
    name: 'getNetwork',
    path: '/v1/networks/:network',
    summary: 'Get a network',
    description: 'One network, with its capabilities and statistics.',
    caching: 'static',
    parameters: NO_PARAMETERS,
    answer: envelope(NetworkDetailSchema, META.single),
    refusals: NETWORK_REFUSALS,
  }),
  networkLines: row({
    ...KEYED,
    name: 'listLines',
    path: '/v1/networks/:network/lines',
    summary: 'List lines',
    description: 'The lines of a network, ordered by sort order, then by code (2 before 10).',
    caching: 'static',
    parameters: { modes, q, limit, cursor, lang },
    answer: envelope(Type.Array(LineSchema), META.page),
    refusals: NETWORK_REFUSALS,
  }),
  line: row({
    ...KEYED,
    name: 'getLine',
    path: '/v1/lines/:line_id',
    summary: 'Get a line',
    description: 'One line, with the stops of each direction.',
    caching: 'static',
    parameters: { include: { ...include, words: ['geometry'] }, lang },
    answer: envelope(LineDetailSchema, META.single),
    refusals: NETWORK_REFUSALS,
  }),
  lineStops: row({
    ...KEYED,
    name: 'listLineStops',
    path: '/v1/lines/:line_id/stops',
    summary: 'List line stops',
    description: 'The stops of a line, grouped by direction, in the order of travel.',
    caching: 'static',
    parameters: NO_PARAMETERS,
    answer: envelope(Type.Array(DirectionStopsSchema), META.list),
    refusals: NETWORK_REFUSALS,
  }),
  lineVehicles: row({
    ...KEYED,
    name: 'listLineVehicles',
    path: '/v1/lines/:line_id/vehicles',
    summary: 'List line vehicles',
    description: 'The live vehicles of a line.',
    caching: 'live',
    parameters: NO_PARAMETERS,
    answer: VehiclesAnswerSchema,
    refusals: [...NETWORK_REFUSALS, 'capability_unsupported'],
  }),
  lineAlerts: row({
    ...KEYED,
    name: 'listLineAlerts',
    path: '/v1/lines/:line_id/alerts',
    summary: 'List line alerts',
    description: 'The alerts of a line that are active at the time given by `when`.',
    caching: 'live',
    parameters: { when, lang },
    answer: envelope(Type.Array(AlertSchema), META.alerts),
    refusals: NETWORK_REFUSALS,
  }),
  networkStops: row({
    ...KEYED,
    name: 'listStops',
    path: '/v1/networks/:network/stops',
    summary: 'List stops',
    description:
      'The stops and areas of a network, ordered by distance with `near`, by relevance with `q`, and by name otherwise.',
    caching: 'static',
    parameters: { q, near, radius, bbox, line, kind, limit, cursor, lang },
    answer: envelope(Type.Array(ListedStopSchema), META.page),
    refusals: NETWORK_REFUSALS,
  }),
  stop: row({
    ...KEYED,
    name: 'getStop',
    path: '/v1/stops/:stop_id',
    summary: 'Get a stop',
    description: 'One stop or area, with its lines.',
    caching: 'static',
    parameters: NO_PARAMETERS,
    answer: envelope(StopDetailSchema, META.single),
    refusals: NETWORK_REFUSALS,
  }),
  stopAlerts: row({
    ...KEYED,
    name: 'listStopAlerts',
    path: '/v1/stops/:stop_id/alerts',
    summary: 'List stop alerts',
    description: 'The alerts that affect a stop or, for an area, any of its stops.',
    caching: 'live',
    parameters: { when, include: { ...include, words: ['lines', 'agency'] }, lang },
    answer: envelope(Type.Array(AlertSchema), META.alerts),
    refusals: NETWORK_REFUSALS,
  }),
  stopDepartures: row({
    ...KEYED,
    name: 'listDepartures',
    path: '/v1/stops/:stop_id/departures',
    summary: 'List departures',
    description: 'The next departures from a stop, or from all stops of an area, soonest first.',
    caching: 'live',
    parameters: { limit: { ...limit, max: 50, default: 10 }, line, direction, horizon, when, lang },
    answer: DeparturesAnswerSchema,
    refusals: NETWORK_REFUSALS,
  }),
  departuresStream: streamRow({
    ...KEYED,
    name: 'streamDepartures',
    path: '/v1/stops/:stop_id/departures/stream',
    summary: 'Stream departures',
    description: 'Sends the next departures from a stop or area at once, then again every `interval` seconds.',
    caching: 'live',
    parameters: { limit: { ...limit, max: 50, default: 10 }, line, direction, horizon, interval, when: noWhen, lang },
    answer: DeparturesAnswerSchema,
    event: 'departures',
    refusals: [...NETWORK_REFUSALS, ...STREAM_REFUSALS],
  }),
  vehiclesStream: streamRow({
    ...KEYED,
    name: 'streamLineVehicles',
    path: '/v1/lines/:line_id/vehicles/stream',
    summary: 'Stream line vehicles',
    description: 'Sends the live vehicles of a line at once, then again every `interval` seconds.',
    caching: 'live',
    parameters: { interval, lang },
    answer: VehiclesAnswerSchema,
    event: 'vehicles',
    refusals: [...NETWORK_REFUSALS, ...STREAM_REFUSALS, 'capability_unsupported'],
  }),
  nearbyStops: row({
    ...KEYED,
    name: 'listNearbyStops',
    path: '/v1/stops/nearby',
    summary: 'List nearby stops',
    description:
      'The stops near a point, nearest first. If several stops of an area are within the radius, the area is returned in their place.',
    caching: 'static',
    parameters: { near: { ...near, isRequired: true }, radius, networks, modes, limit, lang },
    answer: envelope(Type.Array(NearbyStopSchema), META.nearby),
    refusals: NETWORK_REFUSALS,
  }),
  nearbyDepartures: row({
    ...KEYED,
    name: 'listNearbyDepartures',
    path: '/v1/departures/nearby',
    summary: 'List nearby departures',
    description:
      'The next departures from the stops near a point, up to eight per stop. Stops without departures are omitted.',
    caching: 'live',
    parameters: {
      near: { ...near, isRequired: true },
      radius: { ...radius, max: 1500 },
      networks,
      modes,
      horizon: { ...horizon, max: 90 },
      limit: { ...limit, max: 10, default: 5, description: 'Maximum number of stops to return.' },
      lang,
    },
    answer: envelope(Type.Array(NearbyDeparturesSchema), META.nearby),
    refusals: NETWORK_REFUSALS,
  }),
  nearbyVehicles: row({
    ...KEYED,
    name: 'listNearbyVehicles',
    path: '/v1/vehicles/nearby',
    summary: 'List nearby vehicles',
    description: 'The live vehicles near a point.',
    caching: 'live',
    parameters: { near: { ...near, isRequired: true }, radius, networks, modes, limit, lang },
    answer: envelope(Type.Array(NearbyVehicleSchema), META.nearby),
    refusals: [...NETWORK_REFUSALS, 'capability_unsupported'],
  }),
  journeys: row({
    ...KEYED,
    cost: 5,
    name: 'planJourneys',
    path: '/v1/journeys',
    summary: 'Plan journeys',
    description: 'Journeys between two places in the same network.',
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
    description: 'A journey of an earlier response, with the live data of now.',
    caching: 'live',
    parameters: { include: JOURNEY_INCLUDE, lang },
    answer: envelope(JourneySchema, META.single),
    refusals: [...NETWORK_REFUSALS, 'planner_timeout', 'overloaded'],
  }),
  places: row({
    ...KEYED,
    name: 'searchPlaces',
    path: '/v1/places',
    summary: 'Search places',
    description:
      'Stops, areas, addresses and towns that match a text, best match first. A town is an address with the INSEE code of its commune as id.',
    caching: 'static',
    parameters: {
      q: {
        ...q,
        isRequired: true,
        description:
          'Text to search for: words of a name, a house number, a town, a postcode, a stop code, or a point as `lat,lon`.',
      },
      near: {
        ...near,
        description:
          'A point as `lat,lon` in decimal degrees, WGS 84. Results near it are ranked higher. Results more than 100 km away come last, unless the text names their town or postcode.',
      },
      networks: {
        ...networks,
        description: `${networks.description} Addresses are then searched within 2 km of the area of their stops.`,
      },
      providers,
      limit: { ...limit, max: 20, default: 10 },
      lang,
    },
    answer: envelope(Type.Array(PlaceSchema), META.nearby),
    refusals: NETWORK_REFUSALS,
  }),
  placesReverse: row({
    ...KEYED,
    name: 'reversePlaces',
    path: '/v1/places/reverse',
    summary: 'Find nearest places',
    description: 'The nearest address and the nearest stops of a point.',
    caching: 'static',
    parameters: { near: { ...near, isRequired: true }, lang },
    answer: envelope(ReverseSchema, META.reverse),
    refusals: [],
  }),
  networkAlerts: row({
    ...KEYED,
    name: 'listNetworkAlerts',
    path: '/v1/networks/:network/alerts',
    summary: 'List network alerts',
    description: 'The alerts of a network that are active at the time given by `when`.',
    caching: 'live',
    parameters: { severity, line, when, limit, cursor, lang },
    answer: envelope(Type.Array(AlertSchema), META.alertPage),
    refusals: NETWORK_REFUSALS,
  }),
  alerts: row({
    ...KEYED,
    name: 'listAlerts',
    path: '/v1/alerts',
    summary: 'List alerts',
    description: 'The alerts of one or more networks that are active at the time given by `when`.',
    caching: 'live',
    parameters: { networks: { ...networks, isRequired: true }, severity, line, when, limit, cursor, lang },
    answer: envelope(Type.Array(AlertSchema), META.alertsOfNetworks),
    refusals: NETWORK_REFUSALS,
  }),
  usage: row({
    name: 'getUsage',
    path: '/v1/usage',
    summary: 'Get usage',
    description: "The units used by the caller's account in the current month.",
    access: 'keyed',
    cost: 0,
    caching: 'live',
    parameters: {},
    answer: envelope(UsageSchema, META.bare),
    refusals: [],
  }),
} as const

/** The rows of the table. */
export const ROUTE_LIST: readonly Route[] = Object.values(ROUTES)
