// A line of the log for each request, where the configuration asks for it: what was asked of which route, what came of it.
// Never the path or the query as they were sent, nor any credential: a route's template, a network's id, a key's id. Beyond
// some lines a second a line stands for several requests. Off, it costs a branch.
import type { Gate } from '../access/gate.ts'
import type { Route } from '../contract/route.ts'
import { decodePercent, pathStart } from '../http/request-head.ts'
import type { Networks } from '../networks/network.ts'
import type { Endpoint } from './service.ts'

/** Which requests have a line: none, those we failed (5xx), all. */
export type RequestLogKind = 'off' | 'errors' | 'all'

/** Where lines go; pino's loggers fit. */
export interface RequestLogger {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** What a request log needs around it. */
export interface RequestLogParts {
  /** Takes failures at once. */
  readonly log: Pick<RequestLogger, 'error'>
  /** Takes all else; may gather lines. */
  readonly gathering: Pick<RequestLogger, 'info'>
  readonly gate: Pick<Gate, 'keyIdOf'>
  readonly networks: Networks
  /** Units that this thread has charged since its start. */
  readonly chargedUnits: () => number
}

/** How much is logged. */
export interface RequestLogSettings {
  readonly requests: RequestLogKind
  /** Of this thread; beyond it a line stands for several requests. */
  readonly requestLinesPerSecond: number
}

/** What is kept of a request until its line is written; Bun may not know the request any more by then. */
interface Asked {
  readonly method: string
  readonly url: string
  readonly authorization: string | null
}

interface Answered {
  readonly response: Response
  /** Milliseconds from the request's headers to its answer's. */
  readonly millis: number
  readonly units: number
  /** For how many the line stands. */
  readonly requests: number
}

interface Line {
  /** Of the route's path. */
  readonly template: string
  /** Which part of the path is an id; -1 for none. */
  readonly idAt: number
  readonly asked: Asked
  readonly answered: Answered
}

const FAILED = 500

/** The request log of one thread. */
export class RequestLog {
  private readonly parts: RequestLogParts
  private readonly sampling: LineSampling
  /** Which requests have a line now. */
  kind: RequestLogKind

  constructor(parts: RequestLogParts, { requests, requestLinesPerSecond }: RequestLogSettings) {
    this.parts = parts
    this.kind = requests
    this.sampling = new LineSampling(requestLinesPerSecond)
  }

  /** Holds from the next request on. */
  set({ requests, requestLinesPerSecond }: RequestLogSettings): void {
    this.kind = requests
    this.sampling.linesPerSecond = requestLinesPerSecond
  }

  /** The same handler, whose answers are logged. @param route undefined for what is of no route */
  logged(route: Route | undefined, respond: Endpoint): Endpoint {
    const template = route?.path.replace(/:([a-z_]+)/g, '{$1}') ?? 'other'
    const idAt = route?.path.split('/').findIndex((part) => part.startsWith(':')) ?? -1
    const write = (asked: Asked, answered: Answered) => this.write({ template, idAt, asked, answered })
    return (context) => {
      const began = performance.now()
      const unitsBefore = this.parts.chargedUnits()
      const answer = respond(context)
      if (answer instanceof Response) {
        const requests = this.requestsOf(answer.status, began)
        if (requests > 0) {
          const units = this.parts.chargedUnits() - unitsBefore
          write(askedOf(context.request), { response: answer, millis: performance.now() - began, units, requests })
        }
        return answer
      }
      const asked = askedOf(context.request)
      const note = (response: Response) => {
        const now = performance.now()
        const requests = this.requestsOf(response.status, now)
        // Others were charged meanwhile: what a route charges is its cost, or nothing.
        const units = response.status < 400 ? (route?.cost ?? 0) : 0
        if (requests > 0) write(asked, { response, millis: now - began, units, requests })
      }
      // One that fails is logged as our bug, with its request's id.
      answer.then(note, () => undefined)
      return answer
    }
  }

  /** For how many requests the line of an answer stands; 0 where it has none. @param nowMillis as performance.now */
  private requestsOf(status: number, nowMillis: number): number {
    if (this.kind === 'off') return 0
    if (status >= FAILED) return 1
    return this.kind === 'all' ? this.sampling.take(nowMillis) : 0
  }

  private write(line: Line): void {
    const { log, gathering } = this.parts
    const fields = this.fieldsOf(line)
    if (line.answered.response.status >= FAILED) log.error(fields, 'request')
    else gathering.info(fields, 'request')
  }

  private fieldsOf({ template, idAt, asked, answered }: Line): Record<string, unknown> {
    const { response, millis, units, requests } = answered
    const keyId = this.parts.gate.keyIdOf(asked.authorization)
    const network = idAt < 0 ? undefined : this.networkIn(asked.url, idAt)
    return {
      request_id: response.headers.get('x-request-id'),
      method: asked.method,
      route: template,
      status: response.status,
      duration_ms: Math.round(millis * 1000) / 1000,
      units,
      ...(keyId === undefined ? {} : { key: keyId }),
      ...(network === undefined ? {} : { network }),
      ...(requests === 1 ? {} : { stands_for: requests }),
    }
  }

  /** The network of the id in a path, where there is such a network: what else stands there is nobody's business. */
  private networkIn(url: string, idAt: number): string | undefined {
    const id = decodePercent(url.slice(pathStart(url)).split(/[?#]/, 1)[0]?.split('/')[idAt] ?? '')
    return this.parts.networks.find(id?.split(':', 1)[0] ?? '')?.settings.id
  }
}

function askedOf({ method, url, headers }: Request): Asked {
  return { method, url, authorization: headers.get('authorization') }
}

/** Which requests have a line: every one up to so many a second, then every nth, by how many the second before had. */
export class LineSampling {
  linesPerSecond: number
  private second = Number.NEGATIVE_INFINITY
  /** Requests, and lines, of this second. */
  private seen = 0
  private lines = 0
  private stride = 1
  /** Requests since the last line. */
  private unspoken = 0

  constructor(linesPerSecond: number) {
    this.linesPerSecond = linesPerSecond
  }

  /** Takes one more request: for how many its line stands, with those before that had none; 0 for no line. */
  take(nowMillis: number): number {
    const second = Math.floor(nowMillis / 1000)
    if (second !== this.second) {
      const seenBefore = second === this.second + 1 ? this.seen : 0
      this.stride = Math.max(1, Math.ceil(seenBefore / this.linesPerSecond))
      this.second = second
      this.seen = 0
      this.lines = 0
    }
    this.seen++
    this.unspoken++
    if (this.unspoken < this.stride || this.lines >= this.linesPerSecond) return 0
    const standsFor = this.unspoken
    this.lines++
    this.unspoken = 0
    return standsFor
  }
}
