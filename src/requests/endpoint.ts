// Creates the Elysia handler of a JSON route, which is a row in the route table. The steps of every request are in
// pipeline.ts. This file adds what the response headers need: entity tags, compression, CORS and limits.
import type { Caller, LimitFields } from '../access/gate.ts'
import { QueryParser } from '../contract/parameter-parser.ts'
import type { ParameterRules, Values } from '../contract/parameters.ts'
import type { Route } from '../contract/route.ts'
import { COMPRESSED_FROM_BYTES, encodeBody } from '../http/content-coding.ts'
import { Cors } from '../http/cors.ts'
import { entityTag, isUnchanged } from '../http/entity-tag.ts'
import { Problem } from '../http/problem.ts'
import {
  acceptsMedia,
  chooseCoding,
  NO_HEADERS,
  newRequestId,
  pathIdReader,
  readTarget,
  requestIdOf,
  traceContextOf,
  traceHeaders,
} from '../http/request-head.ts'
import { safetyHeaders } from '../http/safety-headers.ts'
import { LastingAnswer } from '../rendering/answer-cache.ts'
import { dataPipeline, type Outcome, observed, type Passage } from './pipeline.ts'
import { limitHeaders, problemResponse } from './refusals.ts'
import type { RoutedEndpoint, Service } from './service.ts'

/**
 * Time after which an idle connection is closed. A connection on which only part of a request has arrived counts as
 * idle.
 */
export const IDLE_SECONDS = 10
/**
 * The same limit for a connection that waits for an asynchronous response. It is longer because a journey search may
 * first have to lay out the timetables of the days that it searches.
 */
const LATER_SECONDS = 60

/** A request that passed all checks, in the form that its handler receives. */
export interface Call<Rules extends ParameterRules> {
  readonly values: Values<Rules>
  /** The decoded id in the path; empty if the path has none. */
  readonly pathId: string
  /** The account and key of the request; undefined on public routes. */
  readonly caller: Caller | undefined
  /** Service time, in Unix milliseconds. */
  readonly nowMillis: number
  /**
   * Whether the same URL was requested recently, so that a LastingAnswer is worth making. A handler may return a
   * LastingAnswer in any case, and it is then cached.
   */
  readonly isKept: boolean
  /** Its `signal` aborts when the client disconnects. The handler must read the signal before its first await. */
  readonly request: Request
}

/** A rendered response. */
export interface Rendered {
  /** The whole envelope as JSON. If it is given as bytes, they are copied before the next request is handled. */
  readonly body: string | Uint8Array<ArrayBuffer>
  /** On paginated lists, the cursor of the next page, for the Link header. */
  readonly nextCursor?: string | null
}

/** A response that depends only on snapshots. It is rendered only if the client's copy is outdated. */
export class StaticAnswer {
  /** Identifies the snapshots on which the response depends. */
  readonly snapshotTag: string
  readonly render: () => Rendered | LastingAnswer | Promise<Rendered>

  constructor(snapshotTag: string, render: StaticAnswer['render']) {
    this.snapshotTag = snapshotTag
    this.render = render
  }
}

type Answer = Rendered | LastingAnswer | StaticAnswer | Problem

/** The handler of a route. It is asynchronous only if it needs another thread or server. */
export type Handler<Rules extends ParameterRules> = (call: Call<Rules>) => Answer | Promise<Answer>

/** Creates the Elysia handler of a route. */
export function endpoint<Rules extends ParameterRules>(
  service: Service,
  route: Route<Rules>,
  handler: Handler<Rules>,
): RoutedEndpoint {
  const answers = new AnswerWriter(service, route)
  const send = (answer: Answer, values: Values<Rules>, passage: Passage): Outcome | Promise<Outcome> => {
    if (answer instanceof Problem) return answer
    if (!(answer instanceof StaticAnswer)) return answers.send(answer, passage)
    const { isBare, pathId } = passage
    return answers.sendStatic(answer, passage, isBare ? pathId : `${pathId} ${JSON.stringify(values)}`)
  }
  const wait = async (later: Promise<Outcome>, { request, server }: Passage): Promise<Outcome> => {
    server?.timeout(request, LATER_SECONDS)
    try {
      return await later
    } finally {
      server?.timeout(request, IDLE_SECONDS)
    }
  }
  const respond = dataPipeline<Rules>(service, {
    access: route.access === 'keyed' ? 'keyed' : 'watched',
    route,
    kept: (passage) => answers.sendKept(passage),
    accepts: { type: 'application/json' },
    parser: new QueryParser<Rules>(route.parameters),
    pathIdIn: pathIdReader(route.path),
    handle: (values, passage) => {
      const { pathId, caller, nowMillis, request } = passage
      const isKept = answers.isKept(passage)
      const answer = handler({ values, pathId, caller, nowMillis, isKept, request })
      const outcome =
        answer instanceof Promise ? answer.then((later) => send(later, values, passage)) : send(answer, values, passage)
      return outcome instanceof Promise ? wait(outcome, passage) : outcome
    },
    refuse: (problem, passage) => answers.refuse(problem, passage.headers, limitHeaders(passage.limits)),
  })
  return observed(service, route, respond)
}

const CACHE_CONTROL = {
  static: 'private, max-age=60',
  live: 'no-store',
  status: 'public, max-age=30',
} as const

/**
 * Characters that are not allowed in a Link header. A URL contains such characters only if the Host header is invalid.
 */
const NOT_IN_LINKS = /[^!#-;=?-~]/gu

/**
 * The headers of a route's responses. The same Headers object serves many responses, because copying it is ten times
 * faster than making a Headers object from a record (0.2 instead of 1.9 µs). `policy` and `tag` are the header values
 * that were last set. These headers are set again only if the value changes.
 */
interface Prepared {
  readonly init: { readonly headers: Headers }
  policy: string | undefined
  tag: string | undefined
}

/** Builds one route's responses. */
class AnswerWriter {
  private readonly service: Service
  private readonly route: string
  private readonly cors: Cors
  /**
   * The headers for responses without an entity tag (`plain`) and with one (`tagged`). Each response sets its own
   * values in them and then copies them.
   */
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
      ...safetyHeaders(service.baseUrl),
      ...this.vary,
      ...this.cors.always,
    }
    this.plain = { init: { headers: new Headers(always) }, policy: undefined, tag: undefined }
    this.tagged = { init: { headers: new Headers(always) }, policy: undefined, tag: undefined }
  }

  /** Sends the cached answer for this URL; returns undefined if there is none or it is no longer valid. */
  sendKept(passage: Passage): Response | undefined {
    const kept = this.service.views.answers.find(this.route, passage.url, passage.nowMillis)
    if (kept === undefined || !acceptsMedia(passage.beside.get('accept'), 'application/json')) return undefined
    const { tag } = kept
    if (tag !== undefined && isUnchanged(passage.beside.get('if-none-match'), tag)) {
      return this.sendUnchanged(tag, passage)
    }
    return this.respond(kept, tag, passage)
  }

  /** Whether this URL was requested recently. Also records this request. */
  isKept(passage: Passage): boolean {
    return this.service.views.answers.isRepeated(passage.url)
  }

  send(answer: Rendered | LastingAnswer, passage: Passage, tag?: string): Response {
    if (answer instanceof LastingAnswer) {
      this.service.views.answers.keep(passage.url, answer, { route: this.route, tag })
      return this.respond(answer, tag, passage)
    }
    const response = this.respond(answer.body, tag, passage)
    if (typeof answer.nextCursor === 'string') {
      response.headers.set('Link', this.nextLink(passage.url, answer.nextCursor))
    }
    return response
  }

  /** @param target identifies the path and parameters of the request, for the entity tag */
  sendStatic(answer: StaticAnswer, passage: Passage, target: string): Response | Promise<Response> {
    const tag = entityTag(answer.snapshotTag, this.tagPrefix + target)
    if (isUnchanged(passage.beside.get('if-none-match'), tag)) return this.sendUnchanged(tag, passage)
    const rendered = answer.render()
    return rendered instanceof Promise
      ? rendered.then((later) => this.send(later, passage, tag))
      : this.send(rendered, passage, tag)
  }

  private respond(answer: Rendered['body'] | LastingAnswer, tag: string | undefined, passage: Passage): Response {
    const { beside: requestHeaders, limits, nowMillis } = passage
    const isLasting = answer instanceof LastingAnswer
    let body = isLasting ? answer.bodyAt(nowMillis) : answer
    if (requestHeaders === NO_HEADERS) return new Response(body, this.prepare(tag, newRequestId(), limits))
    const coding = body.length < COMPRESSED_FROM_BYTES ? undefined : chooseCoding(requestHeaders.get('accept-encoding'))
    if (coding !== undefined) body = isLasting ? answer.codedAt(nowMillis, coding) : encodeBody(body, coding)
    const trace = traceContextOf(requestHeaders)
    const response = new Response(body, this.prepare(tag, requestIdOf(requestHeaders, trace), limits))
    if (coding !== undefined) response.headers.set('Content-Encoding', coding)
    if (trace !== undefined) response.headers.set('traceparent', trace)
    const origin = requestHeaders.get('origin')
    if (origin !== null) this.cors.grant(response, origin)
    return response
  }

  /** Sets the headers that all responses have. The result is valid until `prepare` is called again. */
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

  private sendUnchanged(tag: string, { beside: requestHeaders, limits }: Passage): Response {
    return new Response(null, {
      status: 304,
      headers: {
        'Cache-Control': CACHE_CONTROL.static,
        ...safetyHeaders(this.service.baseUrl),
        ...this.vary,
        ...this.cors.headersFor(requestHeaders.get('origin')),
        'X-Request-Id': requestIdOf(requestHeaders),
        ...traceHeaders(requestHeaders),
        ...limitHeaders(limits),
        ETag: tag,
      },
    })
  }

  refuse(problem: Problem, headers: Headers, more: Readonly<Record<string, string>> = {}): Response {
    return problemResponse(problem, { service: this.service, cors: this.cors, headers, more })
  }

  /** The Link header (RFC 8288) for the next page. All other parameters stay the same. */
  private nextLink(url: string, cursor: string): string {
    const [path = '', ...query] = readTarget(url)?.split('?') ?? []
    const pairs = query.join('?').split('&')
    const kept = pairs.filter((pair) => pair !== '' && !/^cursor(=|$)/.test(pair))
    const address = `${path}?${[...kept, `cursor=${cursor}`].join('&')}`
    return `<${this.service.baseUrl}${address.replace(NOT_IN_LINKS, encodeURIComponent)}>; rel="next"`
  }
}
