// The steps of a request to each API, in order. Each step passes the request on or ends it, usually with an error.
//
// Data API: steps and their errors
//   connection    429 rate_limited, if the address has too many connections
//   framing       400 malformed_request · 413 content_too_large
//   early         responds without a key: OPTIONS, CONNECT
//   access        keyed: 401 · 403, or 429 rate_limited for an address with too many invalid keys
//                 public: 429 rate_limited for an address with too many requests
//   units         429 rate_limited, quota_exhausted, spend_cap_reached · 503 metering_unavailable
//   kept          sends the cached answer to an earlier request with the same URL
//   target        414 uri_too_long
//   accept        406 not_acceptable
//   parameters    400 transit_query_invalid, invalid_location
//   path id       404 not_found
//   handler       errors of the route: 404, 503 …
//   charge        429 · 503 if the month or the day ended in the meantime
//
// Account API: steps and their errors
//   connection    429 rate_limited, as above
//   message       400 malformed_request · 413 content_too_large · 414 uri_too_long
//   address rate  429 rate_limited
//   origin        403 csrf_failed, for changes requested by another site
//   session       401 session_required, on routes that need a session
//   CSRF token    403 csrf_failed, for changes with a session
//   body          415 unsupported_media_type · 400 invalid_request · 413 content_too_large
//   handler       errors of the route
//
// The data API awaits in two places. It awaits the result of an asynchronous handler, and holds the reserved units
// during this time. In a cluster, it also awaits more units for an account that has used up its share on this replica
// (`LimitRefusal.later`).
import type { AddressLimits } from '../access/address-limits.ts'
import type { Caller, Gate, KeyGate, LimitFields, LimitRefusal, Reservation } from '../access/gate.ts'
import type { QueryParser } from '../contract/parameter-parser.ts'
import type { ParameterRules, Values } from '../contract/parameters.ts'
import type { Route } from '../contract/route.ts'
import { PROBLEMS, Problem } from '../http/problem.ts'
import {
  acceptsMedia,
  BODY_LIMIT_BYTES,
  type FramingRules,
  findBodyFault,
  findHostFault,
  headersBeside,
  type MediaType,
  NO_HEADERS,
  pathStart,
  queryMark,
  type RequestHeaders,
  TARGET_LENGTH_LIMIT,
  targetEnd,
} from '../http/request-head.ts'
import { classOfStatus, countedRoute } from '../metrics/thread-counts.ts'
import { bugResponse } from './refusals.ts'
import type { Connections, Context, Endpoint, RoutedEndpoint, Service } from './service.ts'

/**
 * How a request to the data API is authorized. `keyed` requires an API key. The others require no key, but are subject
 * to the rate limit for the client's address: `watched` is for health and status, and `page` is for pages and
 * documents.
 */
export type Access = 'keyed' | 'watched' | 'page'

/** The result of a request. */
export type Outcome = Response | Problem

/** One route's functions and settings for the steps of the data API. */
export interface Steps<Rules extends ParameterRules> {
  readonly access: Access
  /** The route's row in the route table; undefined for requests that match no route, which are free. */
  readonly route: Pick<Route, 'path' | 'cost'> | undefined
  /** Responds before the access check, or returns undefined to continue with the next step. */
  early?(passage: Passage): Outcome | undefined
  /** Returns a cached answer to the request, if there is one. */
  kept?(passage: Passage): Response | undefined
  /** The media type of the response, which the client must accept. If undefined, this is not checked. */
  readonly accepts?: { readonly type: MediaType; readonly refusal?: string }
  readonly parser: QueryParser<Rules>
  /** Returns the decoded id in a path; undefined if it is malformed. */
  pathIdIn(path: string): string | undefined
  /** @param values the parsed parameters */
  handle(values: Values<Rules>, passage: Passage): Outcome | Promise<Outcome>
  /** Converts an error to a response. */
  refuse(problem: Problem, passage: Passage): Response
}

const DATA_FRAMING: FramingRules = {
  bodyLimitBytes: BODY_LIMIT_BYTES,
  unknownLength: 'Request bodies are not accepted. Send the request without a body and without Transfer-Encoding.',
}

/** Makes the handler of a data API route. The handler runs all steps. */
export function dataPipeline<Rules extends ParameterRules>(service: Service, steps: Steps<Rules>): Endpoint {
  const { gate, clock } = service
  const noted = noteAnswers(service, steps.route?.path)
  const refuse = (problem: Problem, passage: Passage): Response => {
    noted.refused(passage, problem)
    return steps.refuse(problem, passage)
  }
  const enter = enterSteps(service, steps)
  const answer = (passage: Passage): Outcome | Promise<Outcome> => {
    passage.nowMillis = clock.nowMillis()
    return steps.kept?.(passage) ?? handleSteps(steps, passage)
  }
  const leave = (passage: Passage, outcome: Outcome): Response => {
    if (outcome instanceof Problem) {
      passage.release(gate)
      return refuse(outcome, passage)
    }
    const refusal = passage.charge(service)
    if (refusal !== undefined) return refuse(refusal, passage)
    noted.answered(passage)
    return outcome
  }
  const leaveLater = async (passage: Passage, later: Promise<Outcome>): Promise<Response> => {
    passage.hold(gate)
    let outcome: Outcome
    try {
      outcome = await later
    } catch (error) {
      passage.settle(gate)
      passage.release(gate)
      noted.failed(passage)
      throw error
    }
    passage.settle(gate)
    return leave(passage, outcome)
  }
  const go = (passage: Passage): Response | Promise<Response> => {
    let outcome: Outcome | Promise<Outcome>
    try {
      outcome = answer(passage)
    } catch (error) {
      passage.release(gate)
      noted.failed(passage)
      throw error
    }
    return outcome instanceof Promise ? leaveLater(passage, outcome) : leave(passage, outcome)
  }
  const goLater = async (passage: Passage, entering: Promise<Problem | undefined>): Promise<Response> => {
    passage.keepHeaders()
    const ended = await entering
    return ended === undefined ? go(passage) : refuse(ended, passage)
  }
  return (request, server) => {
    const passage = new Passage(request, server)
    const ended = enter(passage)
    if (ended === undefined) return go(passage)
    if (ended instanceof Promise) return goLater(passage, ended)
    return ended instanceof Problem ? refuse(ended, passage) : ended
  }
}

/** Returns the function that runs the steps up to the reservation of units. */
function enterSteps<Rules extends ParameterRules>(service: Service, steps: Steps<Rules>) {
  return (passage: Passage): Outcome | Promise<Problem | undefined> | undefined =>
    crowdRefusal(service.addressLimits, passage) ??
    findHostFault(passage.host) ??
    findBodyFault(passage.beside, DATA_FRAMING) ??
    steps.early?.(passage) ??
    (steps.access === 'keyed'
      ? enterByKey(service, passage, steps.route?.cost ?? 0)
      : checkAddress(service, passage, steps.access))
}

/**
 * Wraps a route's handler for the app and for Bun's router. Counts the handler's responses, and logs them if logging is
 * enabled. The returned function destructures its context, because otherwise Elysia would parse headers and cookies
 * (src/docs/decisions, requests).
 * @param route undefined for requests that match no route
 */
export function observed(service: Service, route: Route | undefined, respond: Endpoint): RoutedEndpoint {
  const { counts, requestLog } = service
  const counted = counts?.measured(route?.path, respond) ?? respond
  const logged = requestLog?.logged(route, counted)
  const answer: Endpoint = (request, server) =>
    logged === undefined || requestLog?.kind === 'off' ? counted(request, server) : logged(request, server)
  const direct: RoutedEndpoint['direct'] = (request, server) => {
    const failed = (error: unknown) => bugResponse(service, { error, code: 'UNKNOWN', request })
    try {
      const response = answer(request, server)
      return response instanceof Promise ? response.catch(failed) : response
    } catch (error) {
      return failed(error)
    }
  }
  return Object.assign(({ request, server }: Context) => answer(request, server), { direct })
}

/** Runs the steps from the target to the handler. */
function handleSteps<Rules extends ParameterRules>(steps: Steps<Rules>, passage: Passage): Outcome | Promise<Outcome> {
  const { accepts, parser } = steps
  const { url, beside } = passage
  const start = pathStart(url)
  const end = targetEnd(url, start)
  if (end - start > TARGET_LENGTH_LIMIT) return new Problem('uri_too_long')
  if (accepts !== undefined && !acceptsMedia(beside.get('accept'), accepts.type)) {
    return new Problem('not_acceptable', accepts.refusal)
  }
  const pathEnd = queryMark(url, start, end)
  const values = parser.parse(url.slice(pathEnd + 1, end))
  if (values instanceof Problem) return values
  const pathId = steps.pathIdIn(url.slice(start, pathEnd))
  if (pathId === undefined) return new Problem('not_found')
  passage.pathId = pathId
  passage.isBare = values === parser.bare
  return steps.handle(values, passage)
}

/** Authenticates the caller of a request, and reserves the units for the request. */
export function enterByKey(
  { gate, addressLimits }: { readonly gate: KeyGate; readonly addressLimits?: AddressLimits | undefined },
  passage: Passage,
  units: number,
): Problem | Promise<Problem | undefined> | undefined {
  const authentication = gate.authenticate(passage.authorization)
  if (authentication.kind === 'refused') {
    return overLimit(addressLimits, passage, REFUSED) ?? new Problem(authentication.reason)
  }
  return passage.reserve(gate, authentication.caller, units)
}

/** The rate limit for health and status requests. Clients on this machine are exempt. */
const WATCHED = { name: 'public', sparesLoopback: true }
const PAGES = { name: 'public', sparesLoopback: false }
/**
 * The rate limit for requests with invalid keys. The loopback address is exempt, because behind an untrusted proxy on
 * this machine it is the address of all clients.
 */
const REFUSED = { name: 'refused', sparesLoopback: true }

function checkAddress(service: Service, passage: Passage, access: 'watched' | 'page'): Problem | undefined {
  return overLimit(service.addressLimits, passage, access === 'watched' ? WATCHED : PAGES)
}

/** The error if the address that sent a request has too many open connections; otherwise undefined. */
export function crowdRefusal(
  limits: AddressLimits | undefined,
  {
    request,
    server,
  }: Pick<Context, 'request'> & { readonly server?: Pick<Connections, 'requestIP'> | null | undefined },
): Problem<'rate_limited'> | undefined {
  return limits?.crowd.isCrowded === true ? limits.crowd.refusalOf(request, server) : undefined
}

/** The error if the address that sent a request has sent too many requests; otherwise undefined. */
export function overLimit(
  limits: AddressLimits | undefined,
  {
    request,
    server,
  }: { readonly request: Request; readonly server?: Pick<Connections, 'requestIP'> | null | undefined },
  kind: typeof WATCHED,
): Problem<'rate_limited'> | undefined {
  if (limits === undefined || server == null) return undefined
  const seconds = limits.take(request, server, kind)
  return seconds === 0 ? undefined : new Problem('rate_limited', undefined, { retryAfterSeconds: seconds })
}

/** Functions that count one route's answers. */
interface NotedAnswers {
  answered(passage: Passage): void
  refused(passage: Passage, problem: Problem): void
  /** Called if the handler threw. */
  failed(passage: Passage): void
}

const NOTHING_NOTED: NotedAnswers = { answered: () => {}, refused: () => {}, failed: () => {} }

/**
 * Returns functions that count a route's answers for each key. The owners of the keys can read these counts. Requests
 * without a valid key are not counted.
 * @param path as in the route table; undefined for requests that match no route
 */
function noteAnswers({ tally }: Pick<Service, 'tally'>, path: string | undefined): NotedAnswers {
  if (tally === undefined) return NOTHING_NOTED
  const route = countedRoute(path)
  const note = ({ caller }: Passage, answerClass: number) => {
    if (caller !== undefined) tally.note(caller.keyId, route, answerClass)
  }
  return {
    answered: (passage) => note(passage, classOfStatus(200)),
    refused: (passage, { reason }) => note(passage, classOfStatus(PROBLEMS[reason].status)),
    failed: (passage) => note(passage, classOfStatus(500)),
  }
}

/** The state of one request, filled in by the steps. */
export class Passage {
  readonly request: Request
  readonly server: Connections | null | undefined
  readonly url: string
  headers: Headers
  readonly host: string | null
  readonly authorization: string | null
  /** All headers of the request, or none if it has only Host, Authorization and Connection (see `headersBeside`). */
  beside: RequestHeaders
  /** Service time of the response, in Unix milliseconds. */
  nowMillis = 0
  /** The account and key of the request; undefined on public routes. */
  caller: Caller | undefined = undefined
  /** Values of the RateLimit header fields; undefined on public routes. */
  limits: LimitFields | undefined = undefined
  /** The decoded id in the path; empty if the path has none. */
  pathId = ''
  /** Whether the request has no query parameters. */
  isBare = false
  /** The reserved units, while they are neither charged nor released. */
  private reservation: Reservation | undefined = undefined

  constructor(request: Request, server: Context['server']) {
    const { headers } = request
    this.request = request
    this.server = server
    this.url = request.url
    this.headers = headers
    this.host = headers.get('host')
    this.authorization = headers.get('authorization')
    this.beside = headersBeside(headers, this.host, this.authorization)
  }

  /**
   * Reserves the units for the request, and counts the request against the rate limit. Returns an error if a limit has
   * been reached.
   */
  reserve(
    gate: Pick<Gate, 'reserve' | 'limitFields'>,
    caller: Caller,
    units: number,
  ): Problem | Promise<Problem | undefined> | undefined {
    const taken = gate.reserve(caller, units)
    this.caller = caller
    if ('reason' in taken && taken.later !== undefined) {
      return taken.later.then((late) => this.take(late.taken, late.limits))
    }
    return this.take(taken, gate.limitFields())
  }

  private take(taken: Reservation | LimitRefusal, limits: LimitFields): Problem | undefined {
    this.limits = limits
    if ('reason' in taken) return limitProblem(taken)
    this.reservation = taken
    return undefined
  }

  /**
   * Holds the reservation while an asynchronous handler runs, so that the reservation is released if this thread
   * crashes.
   */
  hold(gate: Gate): void {
    if (this.reservation !== undefined) gate.hold(this.reservation)
    this.keepHeaders()
  }

  /**
   * Copies the request's headers. Must be called before an await, because Bun can discard the original headers while
   * the handler is pending.
   */
  keepHeaders(): void {
    this.headers = new Headers(this.headers)
    if (this.beside !== NO_HEADERS) this.beside = this.headers
  }

  /** Ends the hold on the reservation. `charge` or `release` must follow without an await in between. */
  settle(gate: Gate): void {
    if (this.reservation !== undefined) gate.settle(this.reservation)
  }

  /**
   * Charges the reservation; does nothing if it was already charged or released. Returns an error if a new month has
   * begun since the reservation and has no units left, or if the units cannot be counted.
   */
  charge({ gate, counts }: Pick<Service, 'gate' | 'counts'>): Problem | undefined {
    const { reservation } = this
    if (reservation === undefined) return undefined
    this.reservation = undefined
    const refusal = gate.charge(reservation)
    if (refusal !== undefined) return limitProblem(refusal)
    counts?.charged(reservation.units)
    return undefined
  }

  /** Releases the reservation; does nothing if it was already charged or released. */
  release(gate: Gate): void {
    const { reservation } = this
    if (reservation === undefined) return
    this.reservation = undefined
    this.limits = gate.release(reservation)
  }
}

/** The error for a reached limit, with Retry-After. */
function limitProblem({ reason, retryAfterSeconds }: LimitRefusal): Problem {
  return new Problem(reason, undefined, { retryAfterSeconds })
}
