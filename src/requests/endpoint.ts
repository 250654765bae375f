// Creates the Elysia handler of a JSON route, one per row of the route table. The steps of every request are in
// pipeline.ts; this file adds the response headers: entity tags, compression, CORS, limits.
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
 * Idle connections are closed after this time. A connection on which only a part of a request has arrived counts as
 * idle.
 */
export const IDLE_SECONDS = 10
/**
 * Idle time of connections that wait for an asynchronous response. It is longer because the search for journeys may
 * first have to prepare the layouts of days.
 */
const LATER_SECONDS = 60

/** A request that passed all checks, for its handler. */
export interface Call<Rules extends ParameterRules> {
  readonly values: Values<Rules>
  /** The decoded id in the path; empty if the path has none. */
  readonly pathId: string
  /** The account and key of the request; undefined on public routes. */
  readonly caller: Caller | undefined
  /** Service time, in milliseconds since 1970. */
  readonly nowMillis: number
  /**
   * Whether the cache would keep a LastingAnswer for this request. The handler may return a LastingAnswer in any case.
   */
  readonly isKept: boolean
  /** The request's `signal` aborts when the client disconnects. Read it before the handler's first await. */
  readonly request: Request
}

/** A rendered response. */
export interface Rendered {
  /** JSON of the whole envelope. If it is bytes, they are copied before the next request is handled. */
  readonly body: string | Uint8Array<ArrayBuffer>
  /** On paginated lists: the cursor of the next page, for the Link header. */
  readonly nextCursor?: string | null
}

/** A response that depends only on snapshots; it is rendered only if the client's copy is outdated. */
export class StaticAnswer {
  /** Identifies the snapshots of the response. */
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

/** Characters that are not allowed in a header. A URL contains such characters only if the Host header is invalid. */
const NOT_IN_LINKS = /[^!#-;=?-~]/gu

/**
 * The headers of a route's responses. The Headers object is used for many responses, because copying it is ten times
 * faster than making a Headers object from a record (0.2 against 1.9 µs). `policy` and `tag` are the header values that
 * were set last. A header is only set again if its value changes.
 */
interface Prepared {
  readonly init: { readonly headers: Headers }
  policy: string | undefined
  tag: string | undefined
}

/** Builds the responses of one route. */
class AnswerWriter {
  private readonly service: Service
  private readonly route: string
  private readonly cors: Cors
  /**
   * Headers of responses without an entity tag (`plain`) and with one (`tagged`). Each response sets its values in them
   * and copies them.
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

  /** Sends the kept answer for this URL, if there is one and it is valid. */
  sendKept(passage: Passage): Response | undefined {
    const kept = this.service.views.answers.find(this.route, passage.url, passage.nowMillis)
    if (kept === undefined || !acceptsMedia(passage.beside.get('accept'), 'application/json')) return undefined
    const { tag } = kept
    if (tag !== undefined && isUnchanged(passage.beside.get('if-none-match'), tag)) {
      return this.sendUnchanged(tag, passage)
    }
    return this.respond(kept, tag, passage)
  }

  /** Whether an answer to this URL would be kept, because the URL was requested before. Records the request. */
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

  /** @param target identifies the path and parameters of the request */
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

  /** Sets the common headers of a response. The result is valid until `prepare` is called again. */
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

  /** The Link header (RFC 8288) to the next page, with all other parameters unchanged. */
  private nextLink(url: string, cursor: string): string {
    const [path = '', ...query] = readTarget(url)?.split('?') ?? []
    const pairs = query.join('?').split('&')
    const kept = pairs.filter((pair) => pair !== '' && !/^cursor(=|$)/.test(pair))
    const address = `${path}?${[...kept, `cursor=${cursor}`].join('&')}`
    return `<${this.service.baseUrl}${address.replace(NOT_IN_LINKS, encodeURIComponent)}>; rel="next"`
  }
}
