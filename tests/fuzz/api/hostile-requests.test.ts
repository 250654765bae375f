// Generates requests from the API's routes and parameters, and sends them to the whole server, most of them within this
// process and one in twenty over HTTP. Fails if the service accepts a value that an independent oracle refuses, or the
// reverse; if the service has an uncaught error; if a response does not match the OpenAPI document; or if the reported
// units differ from the metered units.
import { afterAll, expect, test } from 'bun:test'
import { ROUTE_LIST } from '../../../src/contract/routes.ts'
import { seededRandom } from '../../../src/demo/seeded-random.ts'
import { bySize, SEED, SIZE } from '../../size.ts'
import { answerFaults, type ReceivedAnswer, readAnswer, SchemaChecker } from './answer-checks.ts'
import { LATE, ODD_IDS, openFuzzedService } from './fuzzed-service.ts'
import { AnswerOracle, type ExpectedAnswer, type GeneratedRequest } from './generated-request.ts'
import { type Remembered, RequestGenerator } from './request-generator.ts'
import { type ExpectedRoute, expectRoutes, type KnownIds } from './route-expectations.ts'

const REQUESTS = bySize({ quick: 1_000, ci: 6_000, full: 200_000 })
/**
 * Maximum number of requests. After REQUESTS requests, the test continues only until each parameter has been accepted
 * and refused at least once.
 */
const MOST_REQUESTS = bySize({ quick: 1_000, ci: 30_000, full: 1_000_000 })
/** One in OVER_HTTP requests is sent over HTTP. */
const OVER_HTTP = 20
/**
 * Maximum length of a request sent over HTTP, URL and headers together, in characters. This is well below 16 kB, above
 * which the server refuses a request head.
 */
const MOST_HTTP_HEAD = 7_000
/** One in REQUESTED_AGAIN requests is sent twice, the second time possibly as HEAD. */
const REQUESTED_AGAIN = 7
/** The meter is read once per METER_EVERY requests. */
const METER_EVERY = 250
/** After SHOWN defects, the test ends and prints them. */
const SHOWN = 20
const MOST_REMEMBERED = 500

const service = await openFuzzedService()
afterAll(() => service.close())

/** The sum of the units reported in response bodies. A 304 has no body, so the cost of its route is added instead. */
let reportedUnits = 0

/**
 * Whether a request can be sent over HTTP. fetch must not change the URL (it replaces two leading slashes with one),
 * and the request head must be short enough for the server.
 */
function fitsHttp(address: string, headers: Readonly<Record<string, string>>): boolean {
  return !address.startsWith('//') && address.length + JSON.stringify(headers).length < MOST_HTTP_HEAD
}

async function send({ method, address, headers }: GeneratedRequest, overHttp: boolean): Promise<ReceivedAnswer> {
  if (overHttp && fitsHttp(address, headers))
    return readAnswer(await fetch(`${service.origin}${address}`, { method, headers, redirect: 'manual' }))
  return readAnswer(
    await unpack(await service.app.handle(new Request(`http://localhost${address}`, { method, headers }))),
  )
}

/** Decompresses a response as fetch does. */
async function unpack(response: Response): Promise<Response> {
  const coding = response.headers.get('content-encoding')
  if (coding === null) return response
  const bytes = new Uint8Array(await response.arrayBuffer())
  const plain = coding === 'zstd' ? Bun.zstdDecompressSync(bytes) : Bun.gunzipSync(bytes)
  return new Response(new Uint8Array(plain), { status: response.status, headers: response.headers })
}

/**
 * Sends a request again, to check that data cached for the first response does not change the second. If `byHead` is
 * set and the request can be sent over HTTP, sends it over HTTP as HEAD.
 */
function askAgain(request: GeneratedRequest, byHead: boolean): Promise<ReceivedAnswer> {
  const isHead = byHead && fitsHttp(request.address, request.headers)
  return send(isHead ? { ...request, method: 'HEAD' } : request, isHead)
}

const REPEATED_HEADERS = ['content-type', 'etag', 'cache-control', 'vary', 'link', 'www-authenticate', 'retry-after']

/**
 * The differences between two responses to the same request. Only the request ids may differ, because the clock is
 * stopped. The body of `/v1/usage` is not compared, because the first request may change the reported usage.
 */
function againFaults(first: ReceivedAnswer, again: ReceivedAnswer): string[] {
  if (again.status !== first.status) return [`${again.status} when requested again, ${first.status} before`]
  const headers = REPEATED_HEADERS.filter((name) => again.headers.get(name) !== first.headers.get(name))
  const plain = ({ text, headers: of }: ReceivedAnswer) => text.replaceAll(of.get('x-request-id') ?? '\0', '')
  const isChanged = again.text !== '' && first.body?.data?.keys === undefined && plain(again) !== plain(first)
  return [
    ...headers.map((name) => `${name} differs when requested again`),
    ...(isChanged ? ['the body differs when requested again'] : []),
  ]
}

async function ask(address: string): Promise<ReceivedAnswer> {
  const headers = { authorization: `Bearer ${service.keys.good}` }
  const answer = await readAnswer(await service.app.handle(new Request(`http://localhost${address}`, { headers })))
  expect(answer.status).toBe(200)
  reportedUnits += answer.body.meta.units
  return answer
}

/** All ids in a list, read page by page. */
async function listIds(list: string): Promise<string[]> {
  const ids: string[] = []
  const given = new Set<string>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    if (given.has(cursor)) throw new Error(`the pages of ${list} never end`)
    given.add(cursor)
    const { body }: ReceivedAnswer = await ask(`${list}?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`)
    ids.push(...body.data.map(({ id }: { id: string }) => id))
    cursor = body.meta.next_cursor
  }
  return ids
}

/** The trips on the departure boards of some of the stops. */
async function learnTrips(stops: readonly string[]): Promise<Set<string>> {
  const trips = new Set<string>()
  for (const stop of [...stops.slice(0, 20), ...stops.slice(-ODD_IDS.length)]) {
    const { body } = await ask(`/v1/stops/${encodeURIComponent(stop)}/departures?horizon=180`)
    for (const { trip_id } of body.data) trips.add(trip_id)
  }
  return trips
}

async function learnIds(): Promise<KnownIds> {
  const networks = ['ville', 'odd']
  const [lines, stops]: [string[], string[]] = [[], []]
  for (const network of networks) {
    lines.push(...(await listIds(`/v1/networks/${network}/lines`)))
    stops.push(...(await listIds(`/v1/networks/${network}/stops`)))
  }
  const { lat, lon } = (await ask('/v1/networks/ville/stops?limit=1')).body.data[0]
  const walk = await ask(`/v1/journeys?from=${lat},${lon}&to=${lat + 0.001},${lon}&limit=1`)
  // A journey that is only a walk between two points exists in every network. Its ids in the networks differ only in
  // the network's slug.
  const journeys = walk.body.data.flatMap(({ id }: { id: string }) =>
    networks.map((network) => id.replace(/^[^:]+/, network)),
  )
  return {
    networks,
    lateNetworks: [LATE],
    lines: new Set(lines),
    stops: new Set(stops),
    journeys: new Set<string>(journeys),
    trips: await learnTrips(stops),
  }
}

const ids = await learnIds()
const routes = expectRoutes(ids)
const oracle = new AnswerOracle(routes, ids)

test('every route and parameter of the service has an expectation', () => {
  const shapes = ROUTE_LIST.map(({ path, parameters }) => [path.replace(/:\w+/, ':id'), Object.keys(parameters).sort()])
  const known = routes.map(({ path, parameters, isPublic }) => {
    const names = Object.keys(parameters).filter((name) => name !== 'lang')
    return [path, [...names, ...(isPublic || path === '/v1/usage' ? [] : ['lang'])].sort()]
  })
  expect(known.sort()).toEqual(shapes.sort())
})

test('ids are used exactly as the feeds write them', () => {
  for (const id of ODD_IDS) {
    expect(ids.stops.has(`odd:stop:${id}`)).toBe(true)
    expect(ids.lines.has(`odd:line:${id}`)).toBe(true)
  }
})

/** Stores values from a response, such as cursors, that later requests send back. */
function remember(remembered: Remembered, request: GeneratedRequest, answer: ReceivedAnswer): void {
  const tag = answer.headers.get('etag')
  if (tag !== null && remembered.tags.size < MOST_REMEMBERED) remembered.tags.set(request.address, tag)
  const cursor: unknown = answer.body?.meta?.next_cursor
  if (typeof cursor !== 'string') return
  const path = request.address.split('?', 1)[0] ?? ''
  const filters = request.pairs.filter(({ name }) => name !== 'limit' && name !== 'cursor')
  if (remembered.cursors.length >= MOST_REMEMBERED) remembered.cursors.shift()
  remembered.cursors.push({ path, filters, cursor })
}

/**
 * Records which parameters of which routes have been accepted, and which have been refused. If a parameter was never
 * accepted, or never refused, the test has checked little about it.
 */
class Coverage {
  readonly accepted = new Set<string>()
  readonly refused = new Set<string>()
  readonly statuses: Record<string, number> = {}

  add(request: GeneratedRequest, expected: ExpectedAnswer, { status, body }: ReceivedAnswer): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1
    const { route } = expected
    if (route === undefined) return
    if (status === 200) for (const { name } of request.pairs) this.accepted.add(`${route.path} ${name}`)
    for (const { param } of status === 400 ? body.errors : []) this.refused.add(`${route.path} ${param}`)
  }

  /** Parameters that can be accepted but never were, and parameters that can be refused but never were. */
  gaps(all: readonly ExpectedRoute[]): string[] {
    return all.flatMap(({ path, parameters, needsVehicles }) =>
      Object.entries(parameters).flatMap(([name, { kind, isForbidden }]) => {
        const key = `${path} ${name}`
        const mayBeTaken = !needsVehicles && isForbidden !== true
        return [
          ...(mayBeTaken && !this.accepted.has(key) ? [`${key} was never accepted`] : []),
          ...(kind.of !== 'lang' && !this.refused.has(key) ? [`${key} was never refused`] : []),
        ]
      }),
    )
  }
}

test(`${REQUESTS} generated requests`, async () => {
  console.log(`api fuzz: seed ${SEED}`)
  const schemas = new SchemaChecker(
    (await readAnswer(await service.app.handle(new Request('http://localhost/openapi.json')))).body,
  )
  const remembered: Remembered = { cursors: [], tags: new Map() }
  const generator = new RequestGenerator({ routes, ids, keys: service.keys, remembered })
  const coverage = new Coverage()
  const defects: string[] = []
  const isShort = () => SIZE !== 'quick' && coverage.gaps(routes).length > 0
  const isNeeded = (number: number) => number < REQUESTS || (number < MOST_REQUESTS && isShort())
  for (let number = 0; isNeeded(number) && defects.length < SHOWN; number++) {
    const request = generator.make(seededRandom(SEED, `request ${number}`), number)
    const expected = oracle.expect(request)
    const answer = await send(request, number % OVER_HTTP === 0)
    const faults = answerFaults(request, expected, { answer, schemas })
    if (answer.status === 200) reportedUnits += answer.body?.meta?.units ?? 0
    if (answer.status === 304) reportedUnits += expected.route?.units ?? 0
    if (answer.status === 200) remember(remembered, request, answer)
    if (answer.status === 200 && expected.route?.path === '/v1/usage' && answer.body.data.units !== reportedUnits) {
      faults.push(`usage of ${answer.body.data.units} units, but ${reportedUnits} were reported`)
    }
    if (number % METER_EVERY === 0 && service.meteredUnits() !== reportedUnits) {
      faults.push(`${service.meteredUnits()} units metered, ${reportedUnits} reported`)
      reportedUnits = service.meteredUnits()
    }
    if (number % REQUESTED_AGAIN === 0 && request.method === 'GET') {
      const again = await askAgain(request, number % 2 === 0)
      reportedUnits += again.status === 200 || again.status === 304 ? (expected.route?.units ?? 0) : 0
      faults.push(...againFaults(answer, again))
    }
    coverage.add(request, expected, answer)
    if (faults.length > 0) defects.push(`#${number} ${describe(request)}: ${faults.join('; ')}`)
  }
  console.log(`api fuzz: ${JSON.stringify(coverage.statuses)}, ${reportedUnits} units`)
  expect(defects).toEqual([])
  expect(service.bugs).toEqual([])
  expect(service.meteredUnits()).toBe(reportedUnits)
  expect(Object.keys(Object.prototype)).toEqual([])
  if (SIZE !== 'quick') expect(coverage.gaps(routes)).toEqual([])
}, 1_200_000)

function describe({ method, address, headers }: GeneratedRequest): string {
  const { authorization: _, ...others } = headers
  return `${method} ${address.slice(0, 300)} ${JSON.stringify(others).slice(0, 200)}`
}
