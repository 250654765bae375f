// The API's routes: the parameters of each route with their bounds, and the route's cost in units. Written from the
// tables in the API's documentation, not from the service's code. A test compares the routes in this file with the
// service's route table.
import {
  type JointVerdict,
  judgeArrival,
  judgeEnd,
  judgeJourney,
  judgeNetwork,
  type QuestionTexts,
} from './journey-judges.ts'
import {
  type Judge,
  judgeBox,
  judgeInteger,
  judgeLine,
  judgeMoment,
  judgePoint,
  judgeSlugs,
  judgeText,
  judgeTrip,
  judgeWord,
  judgeWords,
} from './value-judges.ts'

/** The kind of values that a parameter accepts. */
export type ValueKind =
  | { readonly of: 'integer'; readonly min: number; readonly max: number }
  | { readonly of: 'words'; readonly words: readonly string[]; readonly isList: boolean }
  | { readonly of: 'networks' | 'network' | 'text' | 'point' | 'box' | 'end' }
  | { readonly of: 'moment' | 'arrival' | 'line' | 'trip' | 'cursor' | 'lang' }

/** A parameter of a route. */
export interface ExpectedParameter {
  readonly kind: ValueKind
  /** Judges decoded, non-empty values. For cursors, the generator sets the verdict instead. */
  readonly judge: Judge
  readonly reason: 'transit_query_invalid' | 'invalid_location'
  readonly isRequired: boolean
  /** Whether every value is refused. */
  readonly isForbidden?: boolean
}

/** The kind of id in a route's path; `nothing` if the path contains no id. */
export type PathKind = 'network' | 'line' | 'stop' | 'journey' | 'trip' | 'nothing'

/** A route of the API. */
export interface ExpectedRoute {
  /** The route's path, in which `:id` stands for an id. */
  readonly path: string
  readonly pathKind: PathKind
  readonly isPublic: boolean
  readonly units: number
  readonly parameters: Readonly<Record<string, ExpectedParameter>>
  /** Whether the route needs vehicle positions, which no network in the test has. */
  readonly needsVehicles: boolean
  /** Whether the response is an event stream. */
  readonly isStream: boolean
  /** Judges the combination of parameters that are each valid. */
  readonly judgeTogether?: (texts: QuestionTexts) => JointVerdict
}

/** The ids that exist in the test's networks. */
export interface KnownIds {
  readonly networks: readonly string[]
  readonly lateNetworks: readonly string[]
  readonly lines: ReadonlySet<string>
  /** Ids of stops and areas. */
  readonly stops: ReadonlySet<string>
  /** Ids of journeys that are only a walk. These journeys exist on every day. */
  readonly journeys: ReadonlySet<string>
  /** The ids of some trips. */
  readonly trips: ReadonlySet<string>
}

const MODES = [
  'tram',
  'metro',
  'rail',
  'bus',
  'ferry',
  'cable_tram',
  'aerial_lift',
  'funicular',
  'trolleybus',
  'monorail',
  'coach',
  'air',
  'taxi',
  'other',
]
const SEVERITIES = ['unknown', 'info', 'warning', 'critical']

function parameter(kind: ValueKind, judge: Judge, isRequired = false): ExpectedParameter {
  const isLocation = kind.of === 'point' || kind.of === 'box' || kind.of === 'end'
  const reason = isLocation ? 'invalid_location' : 'transit_query_invalid'
  return { kind, judge, reason, isRequired }
}

const integer = (min: number, max: number) => parameter({ of: 'integer', min, max }, judgeInteger(min, max))
const words = (list: readonly string[]) => parameter({ of: 'words', words: list, isList: true }, judgeWords(list))
const word = (list: readonly string[]) => parameter({ of: 'words', words: list, isList: false }, judgeWord(list))

/** Every route of the API. */
export function expectRoutes(ids: KnownIds): ExpectedRoute[] {
  const lang = parameter({ of: 'lang' }, () => 'allowed')
  const cursor = parameter({ of: 'cursor' }, () => 'open')
  const limit = integer(1, 100)
  const q = parameter({ of: 'text' }, judgeText)
  const near = parameter({ of: 'point' }, judgePoint)
  const hereNear = parameter({ of: 'point' }, judgePoint, true)
  const radius = integer(50, 5000)
  const bbox = parameter({ of: 'box' }, judgeBox)
  const modes = words(MODES)
  const when = parameter({ of: 'moment' }, judgeMoment)
  const line = parameter({ of: 'line' }, judgeLine(ids.lines, ids.lateNetworks))
  const trip = parameter({ of: 'trip' }, judgeTrip(ids))
  const severity = words(SEVERITIES)
  const networks = parameter({ of: 'networks' }, judgeSlugs(ids.networks, ids.lateNetworks))
  const forbidden = { ...parameter({ of: 'moment' }, () => 'refused'), isForbidden: true }
  const board = { limit: integer(1, 50), line, direction: word(['0', '1']), horizon: integer(5, 180) }
  const interval = integer(5, 60)
  const alerts = { severity, line, when, limit, cursor }
  const tripExtras = words(['geometry', 'alerts'])
  const journeyExtras = words(['calls', 'geometry', 'alerts'])
  const route = (
    path: string,
    pathKind: PathKind,
    parameters: ExpectedRoute['parameters'] = {},
    more: Partial<ExpectedRoute> = {},
  ): ExpectedRoute => ({
    path: `/v1${path}`,
    pathKind,
    isPublic: false,
    units: 1,
    parameters: { ...parameters, lang },
    needsVehicles: false,
    isStream: false,
    ...more,
  })
  return [
    route('/health', 'nothing', {}, { isPublic: true, units: 0 }),
    route('/status', 'nothing', {}, { isPublic: true, units: 0 }),
    route('/networks', 'nothing'),
    route('/networks/:id', 'network'),
    route('/networks/:id/lines', 'network', { modes, q, limit, cursor, include: words(['geometry']) }),
    route('/lines/:id', 'line', { include: words(['geometry']) }),
    route('/lines/:id/stops', 'line'),
    route('/lines/:id/vehicles', 'line', {}, { needsVehicles: true }),
    route('/lines/:id/alerts', 'line', { when }),
    route('/networks/:id/stops', 'network', {
      q,
      near,
      radius,
      bbox,
      line,
      kind: word(['stop', 'area']),
      limit,
      cursor,
    }),
    route('/stops/:id', 'stop'),
    route('/stops/:id/alerts', 'stop', { when, include: words(['lines', 'agency']) }),
    route('/stops/:id/departures', 'stop', { ...board, when }),
    route('/stops/:id/departures/stream', 'stop', { ...board, interval, when: forbidden }, { isStream: true }),
    route(
      '/stops/:id/explanations',
      'stop',
      { trip, line, direction: board.direction, when },
      { judgeTogether: judgeExplained },
    ),
    route('/trips/:id', 'trip', { include: tripExtras }),
    route('/trips/:id/stream', 'trip', { include: tripExtras, interval, when: forbidden }, { isStream: true }),
    route('/lines/:id/vehicles/stream', 'line', { interval }, { needsVehicles: true, isStream: true }),
    route('/stops/nearby', 'nothing', { near: hereNear, radius, networks, modes, limit }),
    route('/departures/nearby', 'nothing', {
      near: hereNear,
      radius: integer(50, 1500),
      networks,
      modes,
      horizon: integer(5, 90),
      limit: integer(1, 10),
    }),
    route(
      '/vehicles/nearby',
      'nothing',
      { near: hereNear, radius, networks, modes, limit },
      {
        // If `networks` names a single network without vehicles, the request is refused. If `networks` names several,
        // the request is accepted. This judge allows either outcome.
        judgeTogether: () => ({ refused: [], open: ['capability_unsupported'], doubted: [] }),
      },
    ),
    route('/places', 'nothing', {
      q: { ...q, isRequired: true },
      near,
      networks,
      providers: words(['stops', 'addresses']),
      limit: integer(1, 20),
    }),
    route('/places/reverse', 'nothing', { near: hereNear }),
    journeysRoute(ids, { modes, when, lang, cursor, include: journeyExtras }),
    route('/journeys/:id', 'journey', { include: journeyExtras }),
    route('/networks/:id/alerts', 'network', alerts),
    route('/alerts', 'nothing', { networks: { ...networks, isRequired: true }, ...alerts }),
    route('/usage', 'nothing', {}, { units: 0 }),
  ]
}

/** Judges the parameters of `/stops/:id/explanations`, which requires a trip or a line. */
function judgeExplained(texts: QuestionTexts): JointVerdict {
  const isNamed = texts.has('trip') || texts.has('line')
  return { refused: isNamed ? [] : ['transit_query_invalid'], open: [], doubted: isNamed ? [] : ['trip'] }
}

/** The route `/v1/journeys`, whose parameters depend on each other. */
function journeysRoute(ids: KnownIds, common: ExpectedRoute['parameters']): ExpectedRoute {
  const end = parameter({ of: 'end' }, judgeEnd(ids), true)
  return {
    path: '/v1/journeys',
    pathKind: 'nothing',
    isPublic: false,
    units: 5,
    parameters: {
      from: end,
      to: end,
      ...common,
      arrive_by: parameter({ of: 'arrival' }, judgeArrival),
      planner: word(['auto', 'native', 'service']),
      max_walk: integer(0, 2500),
      max_transfers: integer(0, 6),
      transfer_seconds: integer(0, 1800),
      wheelchair: word(['true', 'false']),
      network: parameter({ of: 'network' }, judgeNetwork(ids.networks, ids.lateNetworks)),
      limit: integer(1, 6),
    },
    needsVehicles: false,
    isStream: false,
    judgeTogether: judgeJourney(ids),
  }
}
