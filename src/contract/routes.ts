// The one table of routes: path, access, cost, parameters, answer. Handlers are made from its rows (endpoint.ts), and so
// is the document. What is not in it is refused without a key.
import { type TSchema, Type } from '@sinclair/typebox'
import type { Reason } from '../http/problem.ts'
import type { StreamEvent } from '../streams/frames.ts'
import { AlertSchema } from './alerts.schema.ts'
import { DeparturesAnswerSchema, NearbyDeparturesSchema } from './departures.schema.ts'
import { envelope, META } from './envelope.schema.ts'
import { JourneySchema } from './journeys.schema.ts'
import { LineDetailSchema, LineSchema } from './lines.schema.ts'
import { NetworkDetailSchema, NetworkSchema } from './networks.schema.ts'
import { PARAMETERS, type ParameterRules } from './parameters.ts'
import { PlaceSchema, ReverseSchema } from './places.schema.ts'
import { HealthSchema, StatusEntrySchema } from './status.schema.ts'
import { DirectionStopsSchema, ListedStopSchema, NearbyStopSchema, StopDetailSchema } from './stops.schema.ts'
import { UsageSchema } from './usage.schema.ts'
import { NearbyVehicleSchema, VehiclesAnswerSchema } from './vehicles.schema.ts'

/** One row of the table. */
export interface Route<Rules extends ParameterRules = ParameterRules> {
  /** Name of the operation in the document, and of the route in cursors. */
  readonly name: string
  /** With at most one part that starts with a colon: the id in the path, percent-encoded by clients. */
  readonly path: string
  readonly summary: string
  readonly access: 'keyed' | 'public'
  /** Units charged for an answer of 2xx or 304. */
  readonly cost: number
  /** `static` answers have an ETag; `live` ones are never stored; `status` is kept 30 s by anyone. */
  readonly caching: 'static' | 'live' | 'status'
  readonly parameters: Rules
  /** The whole answer: `data` and `meta`. */
  readonly answer: TSchema
  /** The answer is a stream of such answers, in server-sent events of this name. */
  readonly event?: StreamEvent
  /** Refusals of this route, beside those every route has; see `refusalsOf`. */
  readonly refusals: readonly Reason[]
}

function row<const Rules extends ParameterRules>(route: Route<Rules>): Route<Rules> {
  return route
}

/** A row whose answers are sent as events. */
export interface StreamRoute<Rules extends ParameterRules = ParameterRules> extends Route<Rules> {
  readonly event: StreamEvent
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
  maxTransfers,
  network,
  severity,
  providers,
} = PARAMETERS
const { lang } = PARAMETERS
const KEYED = { access: 'keyed', cost: 1 } as const
const NETWORK_REFUSALS = ['not_found', 'not_ready'] as const
const STREAM_REFUSALS = ['too_many_streams', 'overloaded'] as const
const NO_PARAMETERS = { lang }

/** Every route of the API. */
export const ROUTES = {
  health: row({
    name: 'getHealth',
    path: '/v1/health',
    summary: 'Whether the service is alive',
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
    summary: 'How each network fares; cached for 30 seconds',
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
    summary: 'The networks and their capabilities',
    caching: 'static',
    parameters: NO_PARAMETERS,
    answer: envelope(Type.Array(NetworkSchema), META.networks),
    refusals: [],
  }),
  network: row({
    ...KEYED,
    name: 'getNetwork',
    path: '/v1/networks/:network',
    summary: 'One network, with its statistics',
    caching: 'static',
    parameters: NO_PARAMETERS,
    answer: envelope(NetworkDetailSchema, META.single),
    refusals: NETWORK_REFUSALS,
  }),
  networkLines: row({
    ...KEYED,
    name: 'listLines',
    path: '/v1/networks/:network/lines',
    summary: 'The lines of a network, by sort order, then natural order of code',
    caching: 'static',
    parameters: { modes, q, limit, cursor, lang },
    answer: envelope(Type.Array(LineSchema), META.page),
    refusals: NETWORK_REFUSALS,
  }),
  line: row({
    ...KEYED,
    name: 'getLine',
    path: '/v1/lines/:line_id',
    summary: 'One line, with the stops of its directions',
    caching: 'static',
    parameters: { include: { ...include, words: ['geometry'] }, lang },
    answer: envelope(LineDetailSchema, META.single),
    refusals: NETWORK_REFUSALS,
  }),
  lineStops: row({
    ...KEYED,
    name: 'listLineStops',
    path: '/v1/lines/:line_id/stops',
    summary: 'The stops of a line, by direction, in the order of travel',
    caching: 'static',
    parameters: NO_PARAMETERS,
    answer: envelope(Type.Array(DirectionStopsSchema), META.list),
    refusals: NETWORK_REFUSALS,
  }),
  lineVehicles: row({
    ...KEYED,
    name: 'listLineVehicles',
    path: '/v1/lines/:line_id/vehicles',
    summary: 'The live vehicles of a line',
    caching: 'live',
    parameters: NO_PARAMETERS,
    answer: VehiclesAnswerSchema,
    refusals: [...NETWORK_REFUSALS, 'capability_unsupported'],
  }),
  lineAlerts: row({
    ...KEYED,
    name: 'listLineAlerts',
    path: '/v1/lines/:line_id/alerts',
    summary: 'The alerts of a line that are active now, or at a moment',
    caching: 'live',
    parameters: { when, lang },
    answer: envelope(Type.Array(AlertSchema), META.alerts),
    refusals: NETWORK_REFUSALS,
  }),
  networkStops: row({
    ...KEYED,
    name: 'listStops',
    path: '/v1/networks/:network/stops',
    summary: 'The stops and areas of a network: by distance with `near`, by relevance with `q`, else by name',
    caching: 'static',
    parameters: { q, near, radius, bbox, line, kind, limit, cursor, lang },
    answer: envelope(Type.Array(ListedStopSchema), META.page),
    refusals: NETWORK_REFUSALS,
  }),
  stop: row({
    ...KEYED,
    name: 'getStop',
    path: '/v1/stops/:stop_id',
    summary: 'One stop or area, with its lines',
    caching: 'static',
    parameters: NO_PARAMETERS,
    answer: envelope(StopDetailSchema, META.single),
    refusals: NETWORK_REFUSALS,
  }),
  stopAlerts: row({
    ...KEYED,
    name: 'listStopAlerts',
    path: '/v1/stops/:stop_id/alerts',
    summary: 'The alerts touching a stop, or any child of an area',
    caching: 'live',
    parameters: { when, include: { ...include, words: ['lines', 'agency'] }, lang },
    answer: envelope(Type.Array(AlertSchema), META.alerts),
    refusals: NETWORK_REFUSALS,
  }),
  stopDepartures: row({
    ...KEYED,
    name: 'listDepartures',
    path: '/v1/stops/:stop_id/departures',
    summary: 'The next departures of a stop, or of all stops of an area, soonest first',
    caching: 'live',
    parameters: { limit: { ...limit, max: 50, default: 10 }, line, direction, horizon, when, lang },
    answer: DeparturesAnswerSchema,
    refusals: NETWORK_REFUSALS,
  }),
  departuresStream: streamRow({
    ...KEYED,
    name: 'streamDepartures',
    path: '/v1/stops/:stop_id/departures/stream',
    summary: 'The next departures of a stop, sent anew every `interval` seconds',
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
    summary: 'The live vehicles of a line, sent anew every `interval` seconds',
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
    summary: 'The stops near a place, nearest first; an area stands for its stops where it holds several in reach',
    caching: 'static',
    parameters: { near: { ...near, isRequired: true }, radius, networks, modes, limit, lang },
    answer: envelope(Type.Array(NearbyStopSchema), META.nearby),
    refusals: NETWORK_REFUSALS,
  }),
  nearbyDepartures: row({
    ...KEYED,
    name: 'listNearbyDepartures',
    path: '/v1/departures/nearby',
    summary: 'The next departures of the stops near a place: up to eight for each stop that has any',
    caching: 'live',
    parameters: {
      near: { ...near, isRequired: true },
      radius: { ...radius, max: 1500 },
      networks,
      modes,
      horizon: { ...horizon, max: 90 },
      limit: { ...limit, max: 10, default: 5, description: 'How many stops the answer holds at most.' },
      lang,
    },
    answer: envelope(Type.Array(NearbyDeparturesSchema), META.nearby),
    refusals: NETWORK_REFUSALS,
  }),
  nearbyVehicles: row({
    ...KEYED,
    name: 'listNearbyVehicles',
    path: '/v1/vehicles/nearby',
    summary: 'The live vehicles near a place',
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
    summary: 'Journeys between two points of one network',
    caching: 'live',
    parameters: {
      from: { ...end, description: `Where one starts. ${end.description}` },
      to: { ...end, description: `Where one goes. ${end.description}` },
      when: whenIfGiven,
      arrive_by: arriveBy,
      modes: { ...modes, description: 'Modes that may be taken, separated by commas; one may walk in any case.' },
      planner,
      max_walk: maxWalk,
      max_transfers: maxTransfers,
      network,
      limit: { ...limit, max: 6, default: 3 },
      lang,
    },
    answer: envelope(Type.Array(JourneySchema), META.journeys),
    refusals: [...NETWORK_REFUSALS, 'capability_unsupported', 'planner_timeout', 'overloaded'],
  }),
  places: row({
    ...KEYED,
    name: 'searchPlaces',
    path: '/v1/places',
    summary: 'Stops, areas and addresses by words, best first',
    caching: 'static',
    parameters: {
      q: {
        ...q,
        isRequired: true,
        description:
          'What someone types: words of a name, a house number, a town, a postcode, a stop code, or a point.',
      },
      near: { ...near, description: 'A place near which results come first, as `lat,lon` in decimal degrees, WGS 84.' },
      networks,
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
    summary: 'The nearest address and the nearest stops',
    caching: 'static',
    parameters: { near: { ...near, isRequired: true }, lang },
    answer: envelope(ReverseSchema, META.reverse),
    refusals: [],
  }),
  networkAlerts: row({
    ...KEYED,
    name: 'listNetworkAlerts',
    path: '/v1/networks/:network/alerts',
    summary: 'The active alerts of a network',
    caching: 'live',
    parameters: { severity, line, when, limit, cursor, lang },
    answer: envelope(Type.Array(AlertSchema), META.alertPage),
    refusals: NETWORK_REFUSALS,
  }),
  alerts: row({
    ...KEYED,
    name: 'listAlerts',
    path: '/v1/alerts',
    summary: 'The active alerts of several networks',
    caching: 'live',
    parameters: { networks: { ...networks, isRequired: true }, severity, line, when, limit, cursor, lang },
    answer: envelope(Type.Array(AlertSchema), META.alertsOfNetworks),
    refusals: NETWORK_REFUSALS,
  }),
  usage: row({
    name: 'getUsage',
    path: '/v1/usage',
    summary: "The units the caller's account has used in this period",
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
