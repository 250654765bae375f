// Every parameter of every route at its bounds, past them, empty, doubled, and as nonsense. The expectations are written
// from the interface's table of common parameters and its list of routes, not from the table the service is made of.
import { describe, expect, test } from 'bun:test'
import { ROUTE_LIST } from '../../../src/api/routes.ts'
import { openApi } from './api-under-test.ts'

interface Expectation {
  readonly good: readonly string[]
  readonly bad: readonly string[]
  /** Why a bad value is refused. */
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
const NETWORKS = words(['ville', 'ville,ville', '%20ville'], ['ville,', ',', '%20'])
const LIMIT = integer(1, 100)

/** From the interface: which route takes which parameter, with the bounds that hold there. */
const TAKES: Readonly<Record<string, Readonly<Record<string, Expectation>>>> = {
  '/v1/health': {},
  '/v1/status': {},
  '/v1/networks': {},
  '/v1/networks/ville': {},
  '/v1/networks/ville/lines': { modes: MODES, q: Q, limit: LIMIT },
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
  '/v1/stops/ville:stop:CA/alerts': { when: WHEN },
  '/v1/stops/ville:stop:CA/departures': {
    limit: integer(1, 50),
    line: LINE,
    direction: words(['0', '1'], ['2', '-1', '0,1', 'outbound', '00']),
    horizon: integer(5, 180),
    when: WHEN,
  },
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

/** What a route cannot be asked without. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  '/v1/stops/nearby': ['near=48.58,7.75'],
  '/v1/departures/nearby': ['near=48.58,7.75'],
  '/v1/vehicles/nearby': ['near=48.58,7.75'],
  '/v1/alerts': ['networks=ville'],
}
/** Routes that answer 404 `capability_unsupported` to every well-formed question, having no vehicles. */
const WITHOUT_VEHICLES = /vehicles/

const api = await openApi()

/** The path with what it requires, but for one parameter, and then some more. */
function question(path: string, without: string, more: string): string {
  const required = (REQUIRED[path] ?? []).filter((pair) => !pair.startsWith(`${without}=`))
  return `${path}?${[...required, more].filter((pair) => pair !== '').join('&')}`
}

test('the table speaks of every route and of every parameter the service knows', () => {
  const shapes = Object.keys(TAKES).map((path) => path.replace(/ville:(stop|line):\w+/, ':id').replace(/ville/, ':id'))
  const known = ROUTE_LIST.map((route) => route.path.replace(/:\w+/, ':id'))
  expect(shapes.sort()).toEqual(known.sort())
  for (const [path, takes] of Object.entries(TAKES)) {
    const shape = path.replace(/ville:(stop|line):\w+/, ':id').replace(/ville/, ':id')
    const route = ROUTE_LIST.find((each) => each.path.replace(/:\w+/, ':id') === shape)
    const names = Object.keys(route?.parameters ?? {}).filter((name) => name !== 'lang' && name !== 'cursor')
    expect({ path, names: names.sort() }).toEqual({ path, names: Object.keys(takes).sort() })
  }
})

for (const [path, takes] of Object.entries(TAKES)) {
  const goodStatus = WITHOUT_VEHICLES.test(path) ? 404 : 200
  describe(path, () => {
    test('answers a bare question, and ignores what it does not know', async () => {
      const known = [
        'lang=',
        'lang=fr',
        'lang=fr&lang=de',
        'nonsense=%zz',
        '__proto__=1',
        'constructor=x&toString=y',
        '&&=&',
      ]
      for (const more of ['', ...known]) {
        const answer = await api.get(question(path, '', more))
        expect({ more, status: answer.status }).toEqual({ more, status: goodStatus })
      }
    })

    for (const [name, { good, bad, reason }] of Object.entries(takes)) {
      test(`${name}: what is allowed`, async () => {
        for (const value of good) {
          const answer = await api.get(question(path, name, `${name}=${value}`))
          expect({ value, status: answer.status, detail: answer.body.detail }).toMatchObject({
            value,
            status: goodStatus,
          })
        }
      })

      test(`${name}: what is not`, async () => {
        const ways = [...bad.map((value) => `${name}=${value}`), `${name}=`, name, `${name}=%ff`, `${name}=%`]
        const [some = ''] = good
        for (const more of [...ways, `${name}=${some}&${name}=${some}`]) {
          const { status, body } = await api.get(question(path, name, more))
          expect({ more, status, reason: body.reason, param: body.param }).toEqual({
            more,
            status: 400,
            reason,
            param: name,
          })
          expect(body.detail).toStartWith(`${name} `)
        }
      })
    }

    for (const pair of REQUIRED[path] ?? []) {
      const name = pair.split('=')[0] ?? ''
      test(`${name}: cannot be left out`, async () => {
        const { status, body } = await api.get(path)
        expect({ status, reason: body.reason, param: body.param }).toEqual({
          status: 400,
          reason: 'transit_query_invalid',
          param: name,
        })
      })
    }
  })
}

test('an unknown network in a list is not found', async () => {
  for (const path of ['/v1/stops/nearby', '/v1/departures/nearby', '/v1/vehicles/nearby', '/v1/alerts']) {
    const { status, body } = await api.get(question(path, 'networks', 'networks=ville,elsewhere'))
    expect({ path, status, reason: body.reason }).toEqual({ path, status: 404, reason: 'not_found' })
  }
})

test('every bad parameter is named, the first one rules', async () => {
  const { body } = await api.get('/v1/departures/nearby?limit=0&near=x&horizon=91&radius=1500')
  expect(body.errors.map((error: { param: string; reason: string }) => [error.param, error.reason])).toEqual([
    ['near', 'invalid_location'],
    ['horizon', 'transit_query_invalid'],
    ['limit', 'transit_query_invalid'],
  ])
  expect(body).toMatchObject({ param: 'near', reason: 'invalid_location', code: 'TRNS3-2400' })
})

test('values that only fit the other order are told so', async () => {
  const swapped = await api.get('/v1/stops/nearby?near=120.5,48.5')
  expect(swapped.body.detail).toContain('lon,lat: swap')
  expect((await api.get('/v1/stops/nearby?near=120.5,148.5')).body.detail).not.toContain('swap')
  const box = await api.get('/v1/networks/ville/stops?bbox=48.5,120.5,48.6,120.6')
  expect(box.body.detail).toContain('lat,lon: swap')
})

test('a long value is not repeated whole', async () => {
  const { body } = await api.get(`/v1/stops/ville:stop:CA/departures?limit=${'7'.repeat(3000)}`)
  expect(body.detail.length).toBeLessThan(200)
})
