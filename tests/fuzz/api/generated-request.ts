// A generated request, and the responses that are correct for it. If a request has several faults, the response may
// report any of them, except that a fault in the credentials is always reported first.
import type { ExpectedRoute, KnownIds } from './route-expectations.ts'
import { mayBeTrip, type Verdict } from './value-judges.ts'

/** One `name=value` pair in a query string. */
export interface Pair {
  readonly name: string
  /** The decoded value; undefined if it cannot be decoded. */
  readonly text: string | undefined
  /** The pair as it is written in the query string. */
  readonly raw: string
  /** The verdict on the value, if the generator of the value already knows it. Otherwise, a judge decides. */
  readonly verdict?: Verdict
}

/**
 * The expected outcome of a header: `none` if the header must be accepted, `open` if it may be accepted or refused,
 * otherwise the required refusal.
 */
export type Fault = 'none' | 'open' | Refusal

/** A refusal as stated in the response. */
export interface Refusal {
  readonly status: number
  readonly reason: string
}

export interface GeneratedRequest {
  readonly method: string
  /** Path and query. */
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  readonly pairs: readonly Pair[]
  readonly credential: Fault
  readonly accept: Fault
  /** The expected outcome of the Accept header if the route is a stream. */
  readonly acceptOfEvents: Fault
}

/** The responses that are correct for a request. */
export interface ExpectedAnswer {
  /** The route that the request reaches; undefined if there is no such route. */
  readonly route: ExpectedRoute | undefined
  /** Whether status 200 or 304 is correct. */
  readonly maySucceed: boolean
  readonly refusals: readonly Refusal[]
  /** Parameters that the refusal must name if it is about parameters. */
  readonly refusedParameters: readonly string[]
  /** Parameters that the refusal may also name. */
  readonly doubtedParameters: readonly string[]
}

const NOT_FOUND: Refusal = { status: 404, reason: 'not_found' }
const NOT_READY: Refusal = { status: 503, reason: 'not_ready' }
const WITHOUT_CAPABILITY: Refusal = { status: 404, reason: 'capability_unsupported' }
const TOO_LONG: Refusal = { status: 414, reason: 'uri_too_long' }
const DOUBTED_CREDENTIAL: readonly Refusal[] = [
  { status: 401, reason: 'invalid_token' },
  { status: 401, reason: 'authentication_required' },
]
/** Maximum length of path and query together, in characters. */
const ADDRESS_LIMIT = 4096

/** Determines which responses to a request are correct. */
export class AnswerOracle {
  private readonly routes: readonly ExpectedRoute[]
  private readonly ids: KnownIds

  constructor(routes: readonly ExpectedRoute[], ids: KnownIds) {
    this.routes = routes
    this.ids = ids
  }

  expect(request: GeneratedRequest): ExpectedAnswer {
    // The URL as every client sends it: with dot segments resolved and forbidden characters encoded.
    const url = new URL(`http://localhost${request.address}`)
    const { route, id } = this.findRoute(url.pathname)
    const isKeyed = route?.isPublic !== true
    if (isKeyed && typeof request.credential === 'object') return onlyRefusal(route, request.credential)
    const answer = this.expectAccepted(request, { route, id, length: url.pathname.length + url.search.length })
    const isDoubted = isKeyed && request.credential === 'open'
    return isDoubted ? { ...answer, refusals: [...answer.refusals, ...DOUBTED_CREDENTIAL] } : answer
  }

  private expectAccepted(
    request: GeneratedRequest,
    { route, id, length }: { route: ExpectedRoute | undefined; id: string; length: number },
  ): ExpectedAnswer {
    const isTooLong = length > ADDRESS_LIMIT
    if (route === undefined) return onlyRefusal(undefined, isTooLong ? TOO_LONG : NOT_FOUND)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      // If the URL is also too long, either fault may be reported.
      const answer = onlyRefusal(route, { status: 405, reason: 'method_not_allowed' })
      return isTooLong ? { ...answer, refusals: [...answer.refusals, TOO_LONG] } : answer
    }
    if (isTooLong) return onlyRefusal(route, TOO_LONG)
    const answer = this.weigh(request, route, this.judgePathId(route, id))
    // A string in the form of a trip id may be the id of a trip that is not in `ids.trips`.
    const isOpen = route.pathKind === 'trip' && mayBeTrip(decoded(id) ?? '', this.ids.networks)
    return isOpen ? { ...answer, refusals: [...answer.refusals, NOT_FOUND] } : answer
  }

  private weigh(request: GeneratedRequest, route: ExpectedRoute, ofPath: readonly Refusal[]): ExpectedAnswer {
    const refusals: Refusal[] = [...ofPath]
    const open: Refusal[] = []
    const accept = route.isStream ? request.acceptOfEvents : request.accept
    if (typeof accept === 'object') refusals.push(accept)
    else if (accept === 'open') open.push({ status: 406, reason: 'not_acceptable' })
    const refusedParameters: string[] = []
    const doubtedParameters: string[] = []
    for (const [name, { verdict, reason }] of this.judgeParameters(route, request.pairs)) {
      const refusal = { status: 400, reason }
      if (verdict === 'refused') {
        refusals.push(refusal)
        refusedParameters.push(name)
      } else if (verdict === 'open') {
        open.push(refusal)
        doubtedParameters.push(name)
        if (name === 'networks' || name === 'network') open.push(NOT_FOUND, NOT_READY)
      } else if (verdict === 'unknown') {
        refusals.push(NOT_FOUND)
        open.push(NOT_READY)
        doubtedParameters.push(name)
      } else if (verdict === 'late') refusals.push(NOT_READY)
    }
    if (route.needsVehicles) refusals.push(WITHOUT_CAPABILITY)
    const joint = route.judgeTogether?.(textsOf(request.pairs))
    if (joint !== undefined) {
      refusals.push(...joint.refused.map(toRefusal))
      open.push(...joint.open.map(toRefusal))
      doubtedParameters.push(...joint.doubted)
    }
    return {
      route,
      maySucceed: refusals.length === 0,
      refusals: [...refusals, ...open],
      refusedParameters,
      doubtedParameters,
    }
  }

  private judgeParameters(
    route: ExpectedRoute,
    pairs: readonly Pair[],
  ): [name: string, judged: { verdict: Verdict; reason: string }][] {
    return Object.entries(route.parameters)
      .filter(([, { kind }]) => kind.of !== 'lang')
      .map(([name, { judge, reason, isRequired }]) => {
        const given = pairs.filter((pair) => pair.name === name)
        const [only] = given
        if (only === undefined) {
          const verdict: Verdict = isRequired ? 'refused' : 'allowed'
          return [name, { verdict, reason: 'transit_query_invalid' }]
        }
        if (given.length > 1 || only.text === undefined || only.text === '')
          return [name, { verdict: 'refused', reason }]
        return [name, { verdict: only.verdict ?? judge(only.text), reason }]
      })
  }

  /** The route that a path matches, and the id in the path. */
  private findRoute(pathname: string): { route: ExpectedRoute | undefined; id: string } {
    const segments = pathname.split('/')
    const fits = (route: ExpectedRoute): boolean => {
      const shape = route.path.split('/')
      return (
        shape.length === segments.length &&
        shape.every((part, at) => (part === ':id' ? segments[at] !== '' : part === segments[at]))
      )
    }
    // A literal path takes precedence over one with an id.
    const route = this.routes.find((each) => each.pathKind === 'nothing' && fits(each)) ?? this.routes.find(fits)
    const at = route?.path.split('/').indexOf(':id') ?? -1
    return { route, id: segments[at] ?? '' }
  }

  private judgePathId(route: ExpectedRoute, raw: string): readonly Refusal[] {
    if (route.pathKind === 'nothing') return []
    const id = decoded(raw)
    if (id === undefined) return [NOT_FOUND]
    const { networks, lines, stops, journeys, trips, lateNetworks } = this.ids
    const known = { network: new Set(networks), line: lines, stop: stops, journey: journeys, trip: trips }
    if (known[route.pathKind].has(id)) return []
    if (route.pathKind === 'trip' && mayBeTrip(id, networks)) return []
    // For an id in a network without data, the service may answer "not ready" or "not found".
    return lateNetworks.some((slug) => id === slug || id.startsWith(`${slug}:`)) ? [NOT_READY, NOT_FOUND] : [NOT_FOUND]
  }
}

/** The decoded path segment; undefined if it cannot be decoded. */
function decoded(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw)
  } catch {
    return undefined
  }
}

function onlyRefusal(route: ExpectedRoute | undefined, refusal: Refusal): ExpectedAnswer {
  return { route, maySucceed: false, refusals: [refusal], refusedParameters: [], doubtedParameters: [] }
}

const STATUSES = { capability_unsupported: 404, not_ready: 503, invalid_location: 400, transit_query_invalid: 400 }

function toRefusal(reason: keyof typeof STATUSES): Refusal {
  return { status: STATUSES[reason], reason }
}

/** The decoded values in a query, by parameter name. Leaves out empty values and those that cannot be decoded. */
function textsOf(pairs: readonly Pair[]): ReadonlyMap<string, string> {
  return new Map(pairs.flatMap(({ name, text }) => (text === undefined || text === '' ? [] : [[name, text]])))
}
