// A route that answers JSON, as Elysia takes it: made once for each row of the route table. What every request passes
// before and after its handler is in pipeline.ts; the headers around its answers are put here: entity tags, compression,
// cross-origin grants, limits.
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
  pathIdReader,
  readTarget,
  requestIdOf,
  traceContextOf,
  traceHeaders,
} from '../http/request-head.ts'
import { safetyHeaders } from '../http/safety-headers.ts'
import { LastingAnswer } from '../rendering/answer-cache.ts'
import { dataPipeline, type Outcome, observed, type Passage, type Question } from './pipeline.ts'
import { limitHeaders, problemResponse } from './refusals.ts'
import type { RoutedEndpoint, Service } from './service.ts'

/** A request that passed every check, as its handler sees it. */
export interface Call<Rules extends ParameterRules> {
  readonly values: Values<Rules>
  /** The id in the path, decoded; empty where the path has none. */
  readonly pathId: string
  /** Undefined on public routes. */
  readonly caller: Caller | undefined
  /** Service time, in milliseconds after 1970. */
  readonly nowMillis: number
  /** Its `signal` is aborted once the client has disconnected; to be read before the handler waits. */
  readonly request: Request
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

type Answer = Rendered | LastingAnswer | StaticAnswer | Problem

/** Resolves, asks and shapes: at once, or later where another thread or server has to be asked. */
export type Handler<Rules extends ParameterRules> = (call: Call<Rules>) => Answer | Promise<Answer>

/** The handler of a route as Elysia takes it. */
export function endpoint<Rules extends ParameterRules>(
  service: Service,
  route: Route<Rules>,
  handler: Handler<Rules>,
): RoutedEndpoint {
  const answers = new AnswerWriter(service, route)
  const send = (answer: Answer, question: Question<Rules>, passage: Passage): Outcome => {
    if (answer instanceof Problem) return answer
    if (!(answer instanceof StaticAnswer)) return answers.send(answer, passage)
    const { isBare, pathId, values } = question
    return answers.sendStatic(answer, passage, isBare ? pathId : `${pathId} ${JSON.stringify(values)}`)
  }
  const respond = dataPipeline<Rules>(service, {
    access: route.access === 'keyed' ? 'keyed' : 'watched',
    units: route.cost,
    kept: (passage) => answers.sendKept(passage),
    accepts: { type: 'application/json' },
    parser: new QueryParser<Rules>(route.parameters),
    pathIdIn: pathIdReader(route.path),
    handle: (question, passage) => {
      const { values, pathId } = question
      const { caller, nowMillis, request } = passage
      const answer = handler({ values, pathId, caller, nowMillis, request })
      return answer instanceof Promise
        ? answer.then((later) => send(later, question, passage))
        : send(answer, question, passage)
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

/** What an address holds only where the Host header was no host, and a header may not. */
const NOT_IN_LINKS = /[^!#-;=?-~]/gu

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
class AnswerWriter {
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
      ...safetyHeaders(service.baseUrl),
      ...this.vary,
      ...this.cors.always,
    }
    this.plain = { init: { headers: new Headers(always) }, policy: undefined, tag: undefined }
    this.tagged = { init: { headers: new Headers(always) }, policy: undefined, tag: undefined }
  }

  /** The answer kept under this address, if one is and holds. */
  sendKept(passage: Passage): Response | undefined {
    const kept = this.service.views.answers.find(this.route, passage.url, passage.nowMillis)
    if (kept === undefined || !acceptsMedia(passage.beside.get('accept'), 'application/json')) return undefined
    const { tag } = kept
    if (tag !== undefined && isUnchanged(passage.beside.get('if-none-match'), tag)) {
      return this.sendUnchanged(tag, passage)
    }
    return this.respond(kept, tag, passage)
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

  /** @param asked what was asked for, one text for one question */
  sendStatic(answer: StaticAnswer, passage: Passage, asked: string): Response {
    const tag = entityTag(answer.snapshotTag, this.tagPrefix + asked)
    return isUnchanged(passage.beside.get('if-none-match'), tag)
      ? this.sendUnchanged(tag, passage)
      : this.send(answer.render(), passage, tag)
  }

  private respond(answer: Rendered['body'] | LastingAnswer, tag: string | undefined, passage: Passage): Response {
    const { beside: asking, limits, nowMillis } = passage
    const isLasting = answer instanceof LastingAnswer
    let body = isLasting ? answer.bodyAt(nowMillis) : answer
    const coding = body.length < COMPRESSED_FROM_BYTES ? undefined : chooseCoding(asking.get('accept-encoding'))
    if (coding !== undefined) body = isLasting ? answer.codedAt(nowMillis, coding) : encodeBody(body, coding)
    const trace = traceContextOf(asking)
    const response = new Response(body, this.prepare(tag, requestIdOf(asking, trace), limits))
    if (coding !== undefined) response.headers.set('Content-Encoding', coding)
    if (trace !== undefined) response.headers.set('traceparent', trace)
    const origin = asking.get('origin')
    if (origin !== null) this.cors.grant(response, origin)
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

  private sendUnchanged(tag: string, { beside: asking, limits }: Passage): Response {
    return new Response(null, {
      status: 304,
      headers: {
        'Cache-Control': CACHE_CONTROL.static,
        ...safetyHeaders(this.service.baseUrl),
        ...this.vary,
        ...this.cors.headersFor(asking.get('origin')),
        'X-Request-Id': requestIdOf(asking),
        ...traceHeaders(asking),
        ...limitHeaders(limits),
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
