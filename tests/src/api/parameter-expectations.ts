// The expected response for every parameter of every route: at its bounds, beyond them, empty, repeated, and with
// nonsense. These expectations are written from the API's table of common parameters and its list of routes, not from
// the table that the service uses. parameters.test.ts tests them in process, and tests/service tests them on the
// running service, from source and compiled.

export interface Expectation {
  readonly good: readonly string[]
  readonly bad: readonly string[]
  /** The reason with which an invalid value is refused. */
  readonly reason: 'transit_query_invalid' | 'invalid_location'
}

const integer = (min: number, max: number): Expectation => ({
  good: [String(min), String(max)],
  bad: [
    String(min - 1),
    String(max + 1),
    '-1',
    '1e1',
    '%2B20',
    '+20',
    '20.0',
    '0x20',
    'abc',
    'NaN',
    'Infinity',
    '9'.repeat(30),
  ],
  reason: 'transit_query_invalid',
})

const POINT: Expectation = {
  good: ['48.58,7.75', '90,180', '-90,-180', '48.58,+7.75', '0,0'],
  bad: [
    '48.58',
    '48.58,7.75,1',
    '90.0001,7',
    '48,180.01',
    'a,b',
    'NaN,7',
    '48.58;7.75',
    ',',
    '1e1,7',
    '120.5,48.5',
    '48.58,',
  ],
  reason: 'invalid_location',
}
const BOX: Expectation = {
  good: ['7.5,48.3,8.0,48.8', '7.7,48.5,7.7,48.5', '-0.2,-0.2,0.2,0.2'],
  bad: [
    '7.5,48.3,8.01,48.8',
    '7.5,48.3,8.0,48.81',
    '8.0,48.3,7.5,48.8',
    '7.5,48.8,8.0,48.3',
    '7.5,48.3,8.0',
    '7,91,7.1,92',
    '179.9,1,-179.9,1.1',
    'a,b,c,d',
  ],
  reason: 'invalid_location',
}
const WHEN: Expectation = {
  good: [
    'now',
    '2026-06-10T08:00:00Z',
    '2026-06-10T08:00:00%2B02:00',
    '2026-06-10T08:00:00+02:00',
    '2026-06-10T08:00:00.5-05:00',
    '2024-02-29T00:00:00Z',
  ],
  bad: [
    '2026-06-10',
    '2026-06-10T08:00:00',
    '08:00',
    '2026-02-29T00:00:00Z',
    '2026-06-31T00:00:00Z',
    '2026-06-10T24:00:00Z',
    '2026-06-10T08:60:00Z',
    'tomorrow',
    '1781078400',
    'NOW',
    '2026-06-10T08:00:00%2B25:00',
  ],
  reason: 'transit_query_invalid',
}
const words = (good: readonly string[], bad: readonly string[]): Expectation => ({
  good,
  bad,
  reason: 'transit_query_invalid',
})
const MODES = words(
  ['tram', 'tram,bus', 'bus,%20tram', 'tram,tram', 'other'],
  ['plane', 'tram,', ',', 'tram,plane', 'TRAM', 'tram;bus'],
)
const Q = words(
  ['a', 'x'.repeat(120), 'gare%20de', '%C3%A9'.repeat(120), '%F0%9F%9A%8B'.repeat(120)],
  ['x'.repeat(121), '%20', '+'],
)
const LINE = words(
  ['ville:line:A', 'ville:line:7'],
  ['A', 'ville:line:nope', 'ville:stop:CA', 'elsewhere:line:A', 'ville:line:', ':line:A'],
)
const NETWORK = words(['ville', '%20ville%20'], ['%20', 'x'.repeat(65)])
const END: Expectation = {
  good: [
    'ville:stop:G',
    'ville%3Aarea%3AS',
    '48.585,7.735',
    '48.585,%20+7.735',
    'gare',
    'port%20du',
    'Stade%20%C3%89lan',
    'ville:stop:G%20',
  ],
  bad: [
    'ville:stop:nope',
    'ville:area:G',
    'ville:stop:',
    'elsewhere:stop:G',
    'ban:67482_1234',
    '90.0001,7',
    '48,180.01',
    '120.5,48.5',
    '1.2.3,7',
    '0,0',
    'zzzz',
    '%20',
    'x'.repeat(201),
  ],
  reason: 'invalid_location',
}
const ARRIVE_BY = words(
  ['true', 'false', ...WHEN.good.filter((value) => value !== 'now')],
  ['now', 'TRUE', '1', 'yes', ...WHEN.bad],
)
const TRIP = words(
  ['ville:trip:20260610:a1'],
  [
    'a1',
    'ville:trip:a1',
    'ville:trip:20260610:nope',
    'ville:trip:20200610:a1',
    'ville:line:A',
    'elsewhere:trip:20260610:a1',
  ],
)
const TRIP_EXTRAS = words(
  ['geometry', 'alerts', 'alerts,geometry', 'alerts,alerts'],
  ['calls', 'alerts,', ',', 'ALERTS'],
)
const NETWORKS = words(['ville', 'ville,ville', '%20ville'], ['ville,', ',', '%20'])
const LIMIT = integer(1, 100)
const JOURNEY_EXTRAS = words(
  ['calls', 'geometry', 'alerts', 'alerts,calls,geometry', 'calls,calls'],
  ['stops', 'calls,', ',', 'CALLS', 'calls;alerts'],
)

/** Route → its parameters with their bounds, from the API's documentation. */
export const TAKES: Readonly<Record<string, Readonly<Record<string, Expectation>>>> = {
  '/v1/health': {},
  '/v1/status': {},
  '/v1/networks': {},
  '/v1/networks/ville': {},
  '/v1/networks/ville/lines': {
    modes: MODES,
    q: Q,
    limit: LIMIT,
    include: words(['geometry'], ['shapes', 'geometry,']),
  },
  '/v1/lines/ville:line:A': { include: words(['geometry', 'geometry,geometry'], ['stops', 'geometry,', 'geometry,x']) },
  '/v1/lines/ville:line:A/stops': {},
  '/v1/lines/ville:line:A/vehicles': {},
  '/v1/lines/ville:line:A/alerts': { when: WHEN },
  '/v1/networks/ville/stops': {
    q: Q,
    near: POINT,
    radius: integer(50, 5000),
    bbox: BOX,
    line: LINE,
    kind: words(['stop', 'area'], ['stops', 'stop,area', 'Stop']),
    limit: LIMIT,
  },
  '/v1/stops/ville:stop:CA': {},
  '/v1/stops/ville:stop:CA/alerts': {
    when: WHEN,
    include: words(['lines', 'agency', 'lines,agency'], ['line', 'lines,']),
  },
  '/v1/stops/ville:stop:CA/departures': {
    limit: integer(1, 50),
    line: LINE,
    direction: words(['0', '1'], ['2', '-1', '0,1', 'outbound', '00']),
    horizon: integer(5, 180),
    when: WHEN,
  },
  '/v1/stops/ville:stop:CA/departures/stream': {
    limit: integer(1, 50),
    line: LINE,
    direction: words(['0', '1'], ['2', '-1', '0,1', 'outbound', '00']),
    horizon: integer(5, 180),
    interval: integer(5, 60),
    when: words([], ['now', '2026-06-10T08:00:00Z', 'tomorrow']),
  },
  '/v1/stops/ville:stop:CA/explanations': {
    trip: TRIP,
    line: LINE,
    direction: words(['0', '1'], ['2', '-1', '0,1', 'outbound', '00']),
    when: WHEN,
  },
  '/v1/trips/ville:trip:20260610:a1': { include: TRIP_EXTRAS },
  '/v1/trips/ville:trip:20260610:a1/stream': {
    include: TRIP_EXTRAS,
    interval: integer(5, 60),
    when: words([], ['now', '2026-06-10T08:00:00Z', 'tomorrow']),
  },
  '/v1/lines/ville:line:A/vehicles/stream': { interval: integer(5, 60) },
  '/v1/stops/nearby': { near: POINT, radius: integer(50, 5000), networks: NETWORKS, modes: MODES, limit: LIMIT },
  '/v1/departures/nearby': {
    near: POINT,
    radius: integer(50, 1500),
    networks: NETWORKS,
    modes: MODES,
    horizon: integer(5, 90),
    limit: integer(1, 10),
  },
  '/v1/vehicles/nearby': { near: POINT, radius: integer(50, 5000), networks: NETWORKS, modes: MODES, limit: LIMIT },
  '/v1/places': {
    q: Q,
    near: POINT,
    networks: NETWORKS,
    providers: words(['stops', 'addresses', 'stops,addresses'], ['stop', 'stops,', 'ban', 'STOPS']),
    limit: integer(1, 20),
  },
  '/v1/places/reverse': { near: POINT },
  '/v1/journeys': {
    from: END,
    to: END,
    when: WHEN,
    arrive_by: ARRIVE_BY,
    modes: MODES,
    planner: words(['auto', 'service'], ['AUTO', 'auto,service', 'motis', 'none']),
    max_walk: integer(0, 2500),
    max_transfers: integer(0, 6),
    transfer_seconds: integer(0, 1800),
    wheelchair: words(['true', 'false'], ['', 'TRUE', '1', 'yes', 'true,false']),
    network: NETWORK,
    include: JOURNEY_EXTRAS,
    limit: integer(1, 6),
  },
  // The id is that of a journey on foot, which exists on every day.
  '/v1/journeys/ville:journey:BwAAAAFHYAAC0OSqLoCrsAcAAGAA': { include: JOURNEY_EXTRAS },
  '/v1/networks/ville/alerts': {
    severity: words(['warning', 'unknown,info,critical'], ['severe', 'warning,', 'WARNING']),
    line: LINE,
    when: WHEN,
    limit: LIMIT,
  },
  '/v1/alerts': {
    networks: NETWORKS,
    severity: words(['warning', 'unknown,info,critical'], ['severe', 'warning,', 'WARNING']),
    line: LINE,
    when: WHEN,
    limit: LIMIT,
  },
  '/v1/usage': {},
}

/** The required parameters of a route. */
export const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  // A line would be enough instead of the trip.
  '/v1/stops/ville:stop:CA/explanations': ['trip=ville:trip:20260610:a1'],
  '/v1/stops/nearby': ['near=48.58,7.75'],
  '/v1/departures/nearby': ['near=48.58,7.75'],
  '/v1/vehicles/nearby': ['near=48.58,7.75'],
  '/v1/places': ['q=centre'],
  '/v1/places/reverse': ['near=48.58,7.75'],
  '/v1/journeys': ['from=ville:stop:G', 'to=ville:stop:P'],
  '/v1/alerts': ['networks=ville'],
}
/** Routes that return 404 `capability_unsupported` for every valid query, because there are no vehicles. */
export const WITHOUT_VEHICLES = /lines.*vehicles/

/** The status for a valid query. A query for vehicles is refused if the only requested network has none. */
export function statusOf(path: string, pair: string): number {
  const isAlone = path === '/v1/vehicles/nearby' && /^networks=(%20)*ville(,ville)*(%20)*$/.test(pair)
  return isAlone || WITHOUT_VEHICLES.test(path) ? 404 : 200
}

/**
 * The URL of a route with its required parameters, but without the one named `without`, and with the query string
 * `more`.
 */
export function question(path: string, without: string, more: string): string {
  const required = (REQUIRED[path] ?? []).filter((pair) => !pair.startsWith(`${without}=`))
  const pairs = [...required, more].filter((pair) => pair !== '')
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

/** One query and its expected response. */
export interface ParameterCase {
  readonly address: string
  readonly status: number
  /** The reason for a refusal. */
  readonly reason?: string
  readonly param?: string
}

/** Query strings with unknown parameters, which every route ignores. */
export const IGNORED = [
  'lang=',
  'lang=fr',
  'lang=fr&lang=de',
  'nonsense=%zz',
  '__proto__=1',
  'constructor=x&toString=y',
  '&&=&',
]

/** Query strings with an invalid value for a parameter, including values that are invalid for every parameter. */
export function badWays(name: string, { good, bad }: Expectation): string[] {
  const [some = ''] = good
  return [
    ...bad.map((value) => `${name}=${value}`),
    `${name}=`,
    name,
    `${name}=%ff`,
    `${name}=%`,
    `${name}=${some}&${name}=${some}`,
  ]
}

/** Returns every case for every route. */
export function listParameterCases(): ParameterCase[] {
  const cases: ParameterCase[] = []
  for (const [path, takes] of Object.entries(TAKES)) {
    const status = WITHOUT_VEHICLES.test(path) ? 404 : 200
    for (const more of ['', ...IGNORED]) cases.push({ address: question(path, '', more), status })
    for (const [name, expectation] of Object.entries(takes)) {
      const { good, reason } = expectation
      for (const value of good) {
        const pair = `${name}=${value}`
        cases.push({ address: question(path, name, pair), status: statusOf(path, pair) })
      }
      for (const more of badWays(name, expectation)) {
        cases.push({ address: question(path, name, more), status: 400, reason, param: name })
      }
    }
    for (const pair of REQUIRED[path] ?? []) {
      const [name = ''] = pair.split('=')
      cases.push({ address: question(path, name, ''), status: 400, reason: 'transit_query_invalid', param: name })
    }
  }
  return cases
}
