// What every request passes, in this order: framing, key, address length, Accept, parameters, handler, charge. Made once for each
// row of the route table; synchronous and without Elysia's validation, so that a board stays cheap.
import type { Caller, Gate, LimitFields, LimitRefusal, Reservation } from '../access/gate.ts'
import { QueryParser } from '../contract/parameter-parser.ts'
import type { ParameterRules, Values } from '../contract/parameters.ts'
import type { Route } from '../contract/routes.ts'
import { acceptsMedia } from '../http/accept-header.ts'
import { type AskedHeaders, headersBeside } from '../http/asked-headers.ts'
import { COMPRESSED_FROM_BYTES, chooseCoding, encodeBody } from '../http/content-coding.ts'
import { Cors } from '../http/cors.ts'
import { entityTag, isUnchanged } from '../http/entity-tag.ts'
import { findMessageFault } from '../http/message-faults.ts'
import { PROBLEMS, Problem, problemBody, problemHeaders } from '../http/problem.ts'
import { decodePercent, pathStart } from '../http/query-string.ts'
import { requestIdOf, traceContextOf, traceHeaders } from '../http/request-id.ts'
import { LastingAnswer } from '../rendering/answer-cache.ts'
import { publicLimit, refusedKey } from './public-limits.ts'
import { observed } from './request-log.ts'
import type { Endpoint, Service } from './service.ts'

/** A request that passed every check, as its handler sees it. */
export interface Call<Rules extends ParameterRules> {
  readonly values: Values<Rules>
  /** The id in the path, decoded; empty where the path has none. */
  readonly pathId: string
  /** Undefined on public routes. */
  readonly caller: Caller | undefined
  /** Service time, in milliseconds after 1970. */
  readonly nowMillis: number
}

/** A rendered answer. */
export interface Rendered {
  /** JSON: the whole envelope. Bytes are copied before the next request is looked at. */
  readonly body: string | Uint8Array<ArrayBuffer>
  /** On lists of pages: the cursor of the next one, to be linked too. */
  readonly nextCursor?: string | null
}

/** An answer that changes with its snapshots only: rendered where the client does not hold it already. */
export class StaticAnswer {
  /** Names the snapshots the answer is made of. */
  readonly snapshotTag: string
  readonly render: () => Rendered | LastingAnswer

  constructor(snapshotTag: string, render: () => Rendered | LastingAnswer) {
    this.snapshotTag = snapshotTag
    this.render = render
  }
}

/** Resolves, asks and shapes. */
export type Handler<Rules extends ParameterRules> = (
  call: Call<Rules>,
) => Rendered | LastingAnswer | StaticAnswer | Problem

/** Longest path and query, in characters. */
const TARGET_LENGTH_LIMIT = 4096

const CACHE_CONTROL = {
  static: 'private, max-age=60',
  live: 'no-store',
  status: 'public, max-age=30',
} as const

/** What an address holds only where the Host header was no host, and a header may not. */
const NOT_IN_LINKS = /[^!#-;=?-~]/gu

/** A question that got past its route's checks, as far as its answer's headers hang on it. */
export interface Question {
  /** The address as the server has it: what its answer is kept under. */
  readonly url: string
  /** The headers of the request, `headersBeside` at least. */
  readonly headers: AskedHeaders
  readonly nowMillis: number
  /** What the caller is told of its limits; undefined on public routes. */
  readonly limits: LimitFields | undefined
}

/** The handler of a route as Elysia takes it. */
export function endpoint<Rules extends ParameterRules>(
  service: Service,
  route: Route<Rules>,
  handler: Handler<Rules>,
): Endpoint {
  const { gate, clock } = service
  const isKeyed = route.access === 'keyed'
  const parser = new QueryParser<Rules>(route.parameters)
  const pathIdIn = pathIdReader(route.path)
  const answers = new AnswerWriter(service, route)
  const answer = (question: Question, caller: Caller | undefined): Response | Problem => {
    const { url, headers, nowMillis } = question
    const target = readTarget(url)
    if (target === undefined) return new Problem('uri_too_long')
    if (!acceptsMedia(headers.get('accept'), 'application/json')) return new Problem('not_acceptable')
    const queryStart = target.indexOf('?')
    const values = parser.parse(queryStart < 0 ? '' : target.slice(queryStart + 1))
    if (values instanceof Problem) return values
    const pathId = pathIdIn(queryStart < 0 ? target : target.slice(0, queryStart))
    if (pathId === undefined) return new Problem('not_found')
    const outcome = handler({ values, pathId, caller, nowMillis })
    if (outcome instanceof Problem) return outcome
    return outcome instanceof StaticAnswer
      ? answers.sendStatic(outcome, question, values === parser.bare ? pathId : `${pathId} ${JSON.stringify(values)}`)
      : answers.send(outcome, question)
  }
  /** Everything behind the gate. */
  const work = (url: string, headers: AskedHeaders, limits?: LimitFields, caller?: Caller): Outcome => {
    const question = { url, headers, nowMillis: clock.nowMillis(), limits }
    return answers.sendKept(question) ?? answer(question, caller)
  }
  const reserved: ReservedWork<KeyedRequest> = {
    units: route.cost,
    refuse: (problem, limits, { headers }) => answers.refuse(problem, headers, limitHeaders(limits)),
    work: (limits, _, { url, others, caller }) => work(url, others, limits, caller),
  }
  const respond: Endpoint = ({ request, server }) => {
    const { headers, url } = request
    const others = headersBeside(headers)
    const fault = findMessageFault(headers, others)
    if (fault !== undefined) return answers.refuse(fault, headers)
    if (!isKeyed) {
      const response = publicLimit(service, { request, server }, 'watched') ?? work(url, others)
      return response instanceof Problem ? answers.refuse(response, headers) : response
    }
    const admission = gate.admit(headers.get('authorization'))
    if (admission.kind === 'refused') {
      return answers.refuse(refusedKey(service, admission.reason, { request, server }), headers)
    }
    return withReservation(gate, reserved, { caller: admission.caller, url, headers, others })
  }
  const watched = observed(service, route, respond)
  service.endpoints.set(route.path, watched)
  return watched
}

/** What a call comes to. */
type Outcome = Response | Problem

/** A request of an admitted key, as its work needs it. */
interface KeyedRequest {
  readonly caller: Caller
  readonly url: string
  readonly headers: Headers
  /** `headersBeside` */
  readonly others: AskedHeaders
}

/** What is done with a call that costs so many units; made once for many, each of which comes with what was asked. */
export interface ReservedWork<Asked> {
  readonly units: number
  /** Where it succeeds, the work has charged the units, or given them back, itself. */
  readonly chargesItself?: boolean
  refuse(problem: Problem, limits: LimitFields, asked: Asked): Response
  work(limits: LimitFields, reservation: Reservation, asked: Asked): Outcome
}

/** Reserves a call's units, does its work, and charges them before the answer leaves, or gives them back. */
export function withReservation<Asked extends { readonly caller: Caller }>(
  gate: Gate,
  call: ReservedWork<Asked>,
  asked: Asked,
): Response {
  const reservation = gate.reserve(asked.caller, call.units)
  const limits = gate.limitFields()
  if ('reason' in reservation) return call.refuse(limitProblem(reservation), limits, asked)
  let outcome: Outcome
  try {
    outcome = call.work(limits, reservation, asked)
  } catch (error) {
    gate.release(reservation)
    throw error
  }
  if (outcome instanceof Problem) return call.refuse(outcome, gate.release(reservation), asked)
  const refusal = call.chargesItself === true ? undefined : gate.charge(reservation)
  return refusal === undefined ? outcome : call.refuse(limitProblem(refusal), limits, asked)
}

/** A refusal by a limit, with the time to wait. */
export function limitProblem({ reason, retryAfterSeconds }: LimitRefusal): Problem {
  return new Problem(reason, undefined, [], retryAfterSeconds)
}

/** The same as headers. */
export function limitHeaders({ policy, limit }: LimitFields): Record<string, string> {
  return { 'RateLimit-Policy': policy, RateLimit: limit }
}

/** Path and query of a request URL; undefined where they are too long. */
export function readTarget(url: string): string | undefined {
  const start = pathStart(url)
  const fragment = url.indexOf('#', start)
  const end = fragment < 0 ? url.length : fragment
  return end - start > TARGET_LENGTH_LIMIT ? undefined : url.slice(start, end)
}

/**
 * Reads the id out of a path of this shape; undefined where it is malformed. The path is read again here since the
 * router may have seen it before dots in it were resolved.
 */
export function pathIdReader(shape: string): (path: string) => string | undefined {
  const colon = shape.indexOf(':')
  if (colon < 0) return () => ''
  const slash = shape.indexOf('/', colon)
  const before = shape.slice(0, colon)
  const behind = slash < 0 ? '' : shape.slice(slash)
  return (path) => {
    if (!path.startsWith(before) || !path.endsWith(behind)) return undefined
    const id = path.slice(before.length, path.length - behind.length)
    return id.includes('/') ? undefined : decodePercent(id)
  }
}

/**
 * Headers that are changed from answer to answer, since a Headers object is copied ten times faster than a record is
 * read (0.2 against 1.9 µs), and what they hold of the last one, which is mostly this one's too.
 */
interface Prepared {
  readonly init: { readonly headers: Headers }
  policy: string | undefined
  tag: string | undefined
}

/** Puts headers around the bodies of one route. */
export class AnswerWriter {
  private readonly service: Service
  private readonly route: string
  private readonly cors: Cors
  /** The headers of all answers, which every response copies with its request's own: without an entity tag, and with one. */
  private readonly plain: Prepared
  private readonly tagged: Prepared
  private readonly tagPrefix: string
  private readonly vary: Readonly<Record<string, string>>

  constructor(service: Service, route: Route) {
    this.service = service
    this.route = route.name
    this.tagPrefix = `${service.version} ${route.name} `
    this.cors = new Cors(service.corsOrigins)
    const isByKey = route.access === 'keyed' && route.caching === 'static'
    this.vary = this.cors.vary(isByKey ? ['Authorization', 'Accept-Encoding'] : ['Accept-Encoding'])
    const always = {
      'Content-Type': 'application/json',
      'Cache-Control': CACHE_CONTROL[route.caching],
      ...this.vary,
      ...this.cors.always,
    }
    this.plain = { init: { headers: new Headers(always) }, policy: undefined, tag: undefined }
    this.tagged = { init: { headers: new Headers(always) }, policy: undefined, tag: undefined }
  }

  /** The answer kept under this address, if one is and holds. */
  sendKept(question: Question): Response | undefined {
    const kept = this.service.views.answers.find(this.route, question.url, question.nowMillis)
    if (kept === undefined || !acceptsMedia(question.headers.get('accept'), 'application/json')) return undefined
    const { tag } = kept
    if (tag !== undefined && isUnchanged(question.headers.get('if-none-match'), tag)) {
      return this.sendUnchanged(tag, question)
    }
    return this.respond(kept, tag, question)
  }

  send(answer: Rendered | LastingAnswer, question: Question, tag?: string): Response {
    if (answer instanceof LastingAnswer) {
      this.service.views.answers.keep(question.url, answer, { route: this.route, tag })
      return this.respond(answer, tag, question)
    }
    const response = this.respond(answer.body, tag, question)
    if (typeof answer.nextCursor === 'string') {
      response.headers.set('Link', this.nextLink(question.url, answer.nextCursor))
    }
    return response
  }

  /** @param asked what was asked for, one text for one question */
  sendStatic(answer: StaticAnswer, question: Question, asked: string): Response {
    const tag = entityTag(answer.snapshotTag, this.tagPrefix + asked)
    return isUnchanged(question.headers.get('if-none-match'), tag)
      ? this.sendUnchanged(tag, question)
      : this.send(answer.render(), question, tag)
  }

  private respond(answer: Rendered['body'] | LastingAnswer, tag: string | undefined, question: Question): Response {
    const { headers: asking, limits, nowMillis } = question
    const isLasting = answer instanceof LastingAnswer
    let body = isLasting ? answer.bodyAt(nowMillis) : answer
    const coding = body.length < COMPRESSED_FROM_BYTES ? undefined : chooseCoding(asking.get('accept-encoding'))
    if (coding !== undefined) body = isLasting ? answer.codedAt(nowMillis, coding) : encodeBody(body, coding)
    const trace = traceContextOf(asking)
    const response = new Response(body, this.prepare(tag, requestIdOf(asking, trace), limits))
    if (coding !== undefined) response.headers.set('Content-Encoding', coding)
    if (trace !== undefined) response.headers.set('traceparent', trace)
    this.cors.grant(response, asking.get('origin'))
    return response
  }

  /** The headers of an answer but for what few requests ask for: good until the next is prepared. */
  private prepare(tag: string | undefined, requestId: string, limits: LimitFields | undefined): Prepared['init'] {
    const prepared = tag === undefined ? this.plain : this.tagged
    const { headers } = prepared.init
    if (prepared.tag !== tag && tag !== undefined) {
      headers.set('ETag', tag)
      prepared.tag = tag
    }
    headers.set('X-Request-Id', requestId)
    if (limits === undefined) return prepared.init
    if (prepared.policy !== limits.policy) {
      headers.set('RateLimit-Policy', limits.policy)
      prepared.policy = limits.policy
    }
    headers.set('RateLimit', limits.limit)
    return prepared.init
  }

  private sendUnchanged(tag: string, { headers: asking, limits }: Question): Response {
    return new Response(null, {
      status: 304,
      headers: {
        'Cache-Control': CACHE_CONTROL.static,
        ...this.vary,
        ...this.cors.headersFor(asking.get('origin')),
        'X-Request-Id': requestIdOf(asking),
        ...traceHeaders(asking),
        ...(limits === undefined ? {} : limitHeaders(limits)),
        ETag: tag,
      },
    })
  }

  refuse(problem: Problem, headers: Headers, more: Readonly<Record<string, string>> = {}): Response {
    return problemResponse(problem, { service: this.service, cors: this.cors, headers, more })
  }

  /** RFC 8288. The other parameters of the page stay as they were asked. */
  private nextLink(url: string, cursor: string): string {
    const [path = '', ...query] = readTarget(url)?.split('?') ?? []
    const pairs = query.join('?').split('&')
    const kept = pairs.filter((pair) => pair !== '' && !/^cursor(=|$)/.test(pair))
    const address = `${path}?${[...kept, `cursor=${cursor}`].join('&')}`
    return `<${this.service.baseUrl}${address.replace(NOT_IN_LINKS, encodeURIComponent)}>; rel="next"`
  }
}

/** A refusal as a response. */
export function problemResponse(
  problem: Problem,
  place: { service: Service; cors: Cors; headers: Headers; more?: Readonly<Record<string, string>> },
): Response {
  const requestId = requestIdOf(place.headers)
  place.service.counts?.refused(problem.reason)
  return new Response(problemBody(problem, { baseUrl: place.service.baseUrl, requestId }), {
    status: PROBLEMS[problem.reason].status,
    headers: {
      ...problemHeaders(problem),
      ...place.cors.vary([]),
      ...place.cors.headersFor(place.headers.get('origin')),
      'X-Request-Id': requestId,
      ...traceHeaders(place.headers),
      ...place.more,
    },
  })
}
