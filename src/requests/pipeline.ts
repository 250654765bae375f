// The one way a request goes, on both APIs, read top to bottom. A step lets the request on, or ends it with a refusal.
//
// Data API        refuses with
//   connection    429 rate_limited, on a connection beyond those that an address may have
//   framing       400 malformed_request · 413 content_too_large
//   early         answers what needs no key: OPTIONS, CONNECT
//   access        keyed: 401 · 403, or 429 rate_limited for an address whose keys were refused too often
//                 public: 429 rate_limited for an address that asks too often
//   units         429 rate_limited, quota_exhausted, spend_cap_reached · 503 metering_unavailable
//   kept          answers from what was answered under the same address a moment ago
//   target        414 uri_too_long
//   accept        406 not_acceptable
//   parameters    400 transit_query_invalid, invalid_location
//   path id       404 not_found
//   handler       whatever its route says: 404, 503 …
//   charge        429 · 503 where the month, or the day, ended meanwhile
//
// Account API     refuses with
//   connection    429 rate_limited, as above
//   message       400 malformed_request · 413 content_too_large · 414 uri_too_long
//   address rate  429 rate_limited
//   origin        403 csrf_failed, for changes that a page of another site asks for
//   session       401 session_required, on routes that need one
//   CSRF token    403 csrf_failed, for changes under a session
//   body          415 unsupported_media_type · 400 invalid_request · 413 content_too_large
//   handler       whatever its route says
//
// The data API waits in one place only, for a handler that answers later; what it reserved is held meanwhile.
import type { AddressLimits } from '../access/address-limits.ts'
import type { Caller, Gate, KeyGate, LimitFields, LimitRefusal, Reservation } from '../access/gate.ts'
import type { QueryParser } from '../contract/parameter-parser.ts'
import type { ParameterRules, Values } from '../contract/parameters.ts'
import type { Route } from '../contract/route.ts'
import { type AccountReason, isAccountReason } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import {
  type AskedHeaders,
  acceptsMedia,
  BODY_LIMIT_BYTES,
  type FramingRules,
  findFramingFault,
  headersBeside,
  type MediaType,
  malformedHost,
  NO_HEADERS,
  readTarget,
  TARGET_LENGTH_LIMIT,
} from '../http/request-head.ts'
import { bugResponse } from './refusals.ts'
import type { Connections, Context, Endpoint, RoutedEndpoint, Service } from './service.ts'

/** How a request of the data API gets in: by a key, or as anybody, within the rate of an address. */
export type Access = 'keyed' | 'watched' | 'page'

/** A request whose parameters have been read. */
export interface Question<Rules extends ParameterRules> {
  readonly values: Values<Rules>
  /** Whether no parameter was given. */
  readonly isBare: boolean
  /** The id in the path, decoded; empty where the path has none. */
  readonly pathId: string
}

/** What a call comes to. */
export type Outcome = Response | Problem

/** What a route of the data API puts into the steps. */
export interface Steps<Rules extends ParameterRules> {
  readonly access: Access
  /** What the call costs. */
  readonly units: number
  /** Answers before anybody is asked who they are. */
  early?(passage: Passage): Outcome | undefined
  /** An answer that was kept. */
  kept?(passage: Passage): Response | undefined
  /** Undefined if any media type will do. */
  readonly accepts?: { readonly type: MediaType; readonly refusal?: string }
  readonly parser: QueryParser<Rules>
  /** Reads the id out of a path; undefined if it is malformed. */
  pathIdIn(path: string): string | undefined
  handle(question: Question<Rules>, passage: Passage): Outcome | Promise<Outcome>
  /** A refusal as a response. */
  refuse(problem: Problem, passage: Passage): Response
}

const DATA_FRAMING: FramingRules = {
  bodyLimitBytes: BODY_LIMIT_BYTES,
  unknownLength: 'Request bodies are not accepted. Send the request without a body and without Transfer-Encoding.',
}

/** The steps of a route of the data API as one handler. */
export function dataPipeline<Rules extends ParameterRules>(service: Service, steps: Steps<Rules>): Endpoint {
  const { gate, clock } = service
  const enter = (passage: Passage): Outcome | undefined =>
    crowdRefusal(service.addressLimits, passage) ??
    findFramingFault(passage.headers, DATA_FRAMING, passage.beside) ??
    steps.early?.(passage) ??
    (steps.access === 'keyed'
      ? enterByKey(service, passage, steps.units)
      : checkAddress(service, passage, steps.access))
  const answer = (passage: Passage): Outcome | Promise<Outcome> => {
    passage.nowMillis = clock.nowMillis()
    return steps.kept?.(passage) ?? ask(steps, passage)
  }
  const leave = (passage: Passage, outcome: Outcome): Response => {
    if (outcome instanceof Problem) {
      passage.release(gate)
      return steps.refuse(outcome, passage)
    }
    const refusal = passage.charge(service)
    return refusal === undefined ? outcome : steps.refuse(refusal, passage)
  }
  const leaveLater = async (passage: Passage, later: Promise<Outcome>): Promise<Response> => {
    passage.hold(gate)
    let outcome: Outcome
    try {
      outcome = await later
    } catch (error) {
      passage.settle(gate)
      passage.release(gate)
      throw error
    }
    passage.settle(gate)
    return leave(passage, outcome)
  }
  return (context) => {
    const passage = new Passage(context)
    const ended = enter(passage)
    if (ended !== undefined) return ended instanceof Problem ? steps.refuse(ended, passage) : ended
    let outcome: Outcome | Promise<Outcome>
    try {
      outcome = answer(passage)
    } catch (error) {
      passage.release(gate)
      throw error
    }
    return outcome instanceof Promise ? leaveLater(passage, outcome) : leave(passage, outcome)
  }
}

/**
 * A route's handler as the app and Bun's own router take it: around all steps, its answers are counted, and logged if the
 * service does so. It names the two members that it reads (src/docs/decisions, requests).
 * @param route undefined for requests that no route takes
 */
export function observed(service: Service, route: Route | undefined, respond: Endpoint): RoutedEndpoint {
  const { counts, requestLog } = service
  const counted = counts?.measured(route?.path, respond) ?? respond
  const logged = requestLog?.logged(route, counted)
  const answer: Endpoint = (context) =>
    logged === undefined || requestLog?.kind === 'off' ? counted(context) : logged(context)
  const direct: RoutedEndpoint['direct'] = (request, server) => {
    try {
      return answer({ request, server })
    } catch (error) {
      return bugResponse(service, { error, code: 'UNKNOWN', request })
    }
  }
  return Object.assign(({ request, server }: Context) => answer({ request, server }), { direct })
}

/** From the target to the handler. */
function ask<Rules extends ParameterRules>(steps: Steps<Rules>, passage: Passage): Outcome | Promise<Outcome> {
  const { accepts, parser } = steps
  const target = readTarget(passage.url)
  if (target === undefined) return new Problem('uri_too_long')
  if (accepts !== undefined && !acceptsMedia(passage.beside.get('accept'), accepts.type)) {
    return new Problem('not_acceptable', accepts.refusal)
  }
  const queryStart = target.indexOf('?')
  const values = parser.parse(queryStart < 0 ? '' : target.slice(queryStart + 1))
  if (values instanceof Problem) return values
  const pathId = steps.pathIdIn(queryStart < 0 ? target : target.slice(0, queryStart))
  if (pathId === undefined) return new Problem('not_found')
  return steps.handle({ values, isBare: values === parser.bare, pathId }, passage)
}

/** Who calls, and the units of the call. */
function enterByKey(
  { gate, addressLimits }: { readonly gate: KeyGate; readonly addressLimits?: AddressLimits | undefined },
  passage: Passage,
  units: number,
): Problem | undefined {
  const authentication = gate.authenticate(passage.headers.get('authorization'))
  if (authentication.kind === 'refused') {
    return overLimit(addressLimits, passage, REFUSED) ?? new Problem(authentication.reason)
  }
  return passage.reserve(gate, authentication.caller, units)
}

/** Health and status are watched from the machine itself, however often. */
const WATCHED = { name: 'public', sparesLoopback: true }
const PAGES = { name: 'public', sparesLoopback: false }
/** Behind a proxy of this machine that isn't told of as trusted, all clients have its address. */
const REFUSED = { name: 'refused', sparesLoopback: true }
/** All that one address asks of the account API, but this machine's own, which all clients of a proxy may share. */
const ACCOUNT = { name: 'account', sparesLoopback: true }

function checkAddress(service: Service, passage: Passage, access: 'watched' | 'page'): Problem | undefined {
  return overLimit(service.addressLimits, passage, access === 'watched' ? WATCHED : PAGES)
}

/** The refusal of a request on one of too many connections. */
function crowdRefusal(
  limits: AddressLimits | undefined,
  {
    request,
    server,
  }: Pick<Context, 'request'> & { readonly server?: Pick<Connections, 'requestIP'> | null | undefined },
): Problem<'rate_limited'> | undefined {
  return limits?.crowd.isCrowded === true ? limits.crowd.refusalOf(request, server) : undefined
}

/** A refusal where the address of a request has asked too often. */
function overLimit(
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

/** A request of the account API with the server it came by. */
export interface AccountContext {
  readonly request: Request
  readonly server: Pick<Connections, 'requestIP'> | null
}

type AccountOutcome = Response | Problem<AccountReason>

/** What a route of the account API puts into the steps. `Session` is what a handler learns of who is logged in. */
export interface AccountSteps<Session, Body> {
  readonly limits: AddressLimits
  readonly bodyLimitBytes: number
  checkOrigin(request: Request): Problem<AccountReason> | undefined
  /** On routes for anybody it finds nothing. */
  findSession(request: Request): Promise<Session | Problem<AccountReason>>
  checkCsrfToken(request: Request, session: Session): Problem<AccountReason> | undefined
  /** The body as the route's schema has it. */
  readBody(request: Request): Promise<Body | Problem<AccountReason>>
  handle(call: { readonly session: Session; readonly body: Body }): AccountOutcome | Promise<AccountOutcome>
}

/** Passes one request of the account API through its steps. */
export async function passAccountRequest<Session, Body>(
  { request, server }: AccountContext,
  steps: AccountSteps<Session, Body>,
): Promise<AccountOutcome> {
  const ended =
    crowdRefusal(steps.limits, { request, server }) ??
    checkAccountMessage(request, steps) ??
    overLimit(steps.limits, { request, server }, ACCOUNT) ??
    steps.checkOrigin(request)
  if (ended !== undefined) return ended
  const session = await steps.findSession(request)
  if (session instanceof Problem) return session
  const forged = steps.checkCsrfToken(request, session)
  if (forged !== undefined) return forged
  const body = await steps.readBody(request)
  if (body instanceof Problem) return body
  return steps.handle({ session, body })
}

/** The framing of a message to the account API, and its address: the one step of what no route of it takes. */
export function checkAccountMessage(
  { headers, url }: Request,
  rules: FramingRules,
): Problem<'malformed_request' | 'content_too_large' | 'uri_too_long'> | undefined {
  const fault = findFramingFault(headers, rules)
  if (fault !== undefined) return fault
  if (!URL.canParse(url, 'http://localhost')) return malformedHost()
  return url.length > TARGET_LENGTH_LIMIT ? new Problem('uri_too_long') : undefined
}

/** A key on the account API: whose it is, and what its rate leaves. No units are charged there. */
export function passAccountKey(
  gate: KeyGate,
  request: Request,
): Pick<Passage, 'caller' | 'limits'> | Problem<AccountReason> {
  const passage = new Passage({ request })
  const problem = enterByKey({ gate }, passage, 0)
  // A call without units is refused for its rate alone.
  if (problem === undefined) return passage
  const reason = isAccountReason(problem.reason) ? problem.reason : 'rate_limited'
  return new Problem(reason, undefined, { retryAfterSeconds: problem.retryAfterSeconds })
}

/** A request on its way: each step writes down what it found. Made once for each request. */
export class Passage {
  readonly request: Request
  readonly server: Connections | null | undefined
  readonly url: string
  headers: Headers
  /** The headers beside Host, Authorization and Connection. */
  beside: AskedHeaders
  /** Service time of the answer, in milliseconds after 1970. */
  nowMillis = 0
  /** Undefined on public routes. */
  caller: Caller | undefined = undefined
  /** What the caller is told of its limits; undefined on public routes. */
  limits: LimitFields | undefined = undefined
  /** The units under way: neither charged nor given back yet. */
  private reservation: Reservation | undefined = undefined

  constructor({ request, server }: Context) {
    this.request = request
    this.server = server
    this.url = request.url
    this.headers = request.headers
    this.beside = headersBeside(request.headers)
  }

  /** Takes the units of a call out of its account's month and rate; why not, where there are none left. */
  reserve(gate: Pick<Gate, 'reserve' | 'limitFields'>, caller: Caller, units: number): Problem | undefined {
    const taken = gate.reserve(caller, units)
    this.caller = caller
    this.limits = gate.limitFields()
    if ('reason' in taken) return limitProblem(taken)
    this.reservation = taken
    return undefined
  }

  /** The answer comes in a later turn: units are kept for it, and given back should this thread die before. */
  hold(gate: Gate): void {
    if (this.reservation !== undefined) gate.hold(this.reservation)
    // Bun may not know the headers of the request any more by then.
    this.headers = new Headers(this.headers)
    if (this.beside !== NO_HEADERS) this.beside = this.headers
  }

  /** The answer that was waited for is here: `charge` or `release` follows in the same turn. */
  settle(gate: Gate): void {
    if (this.reservation !== undefined) gate.settle(this.reservation)
  }

  /** Charges what is reserved, if that was not done yet; a refusal where the month or the day has no room for it any more. */
  charge({ gate, counts }: Pick<Service, 'gate' | 'counts'>): Problem | undefined {
    const { reservation } = this
    if (reservation === undefined) return undefined
    this.reservation = undefined
    const refusal = gate.charge(reservation)
    if (refusal !== undefined) return limitProblem(refusal)
    counts?.charged(reservation.units)
    return undefined
  }

  /** Gives back what is reserved, if that was not done yet. */
  release(gate: Gate): void {
    const { reservation } = this
    if (reservation === undefined) return
    this.reservation = undefined
    this.limits = gate.release(reservation)
  }
}

/** A refusal by a limit, with the time to wait. */
function limitProblem({ reason, retryAfterSeconds }: LimitRefusal): Problem {
  return new Problem(reason, undefined, { retryAfterSeconds })
}
