// The request log. Each logged request gets one line. The line contains the route template, the network id and the key
// id, but never the request's path, query or credentials. If there would be more lines per second than the limit, only
// a sample of the requests is logged; requests that fail with 5xx are always logged.
import type { Gate } from '../access/gate.ts'
import type { Route } from '../contract/route.ts'
import { decodePercent, pathStart } from '../http/request-head.ts'
import type { Networks } from '../networks/network.ts'
import type { Endpoint } from './service.ts'

/** Which requests are logged: none, 5xx only, or all. */
export type RequestLogKind = 'off' | 'errors' | 'all'

/** Receives the log lines. Pino's loggers implement this interface. */
export interface RequestLogger {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** Dependencies of a request log. */
export interface RequestLogParts {
  /** Logger for requests that failed with 5xx; writes each line immediately. */
  readonly log: Pick<RequestLogger, 'error'>
  /** Logger for all other requests; may write several lines at once. */
  readonly gathering: Pick<RequestLogger, 'info'>
  readonly gate: Pick<Gate, 'keyIdOf'>
  readonly networks: Networks
  /** Returns the number of units that this thread has charged since its start. */
  readonly chargedUnits: () => number
}

/** Settings of the request log. */
export interface RequestLogSettings {
  readonly requests: RequestLogKind
  /** Limit for this thread. If more requests arrive in a second, only a sample of them is logged. */
  readonly requestLinesPerSecond: number
}

/**
 * The values of a request that its log line needs. They are copied, because Bun can discard the request before the line
 * is written.
 */
interface RequestValues {
  readonly method: string
  readonly url: string
  readonly authorization: string | null
}

interface ResponseValues {
  readonly response: Response
  /** Milliseconds from the call of the request's handler to its response. */
  readonly millis: number
  readonly units: number
  /** Number of requests that the line represents: more than 1 if requests are sampled. */
  readonly requests: number
}

interface Line {
  /** The route's path with placeholders, such as `{id}`; `other` for requests without a route. */
  readonly template: string
  /** Index of the path segment with the id; -1 if the path has no id. */
  readonly idAt: number
  readonly values: RequestValues
  readonly outcome: ResponseValues
}

const FAILED = 500

/** The request log of one thread. */
export class RequestLog {
  private readonly parts: RequestLogParts
  private readonly sampling: LineSampling
  /** Which requests are currently logged. */
  kind: RequestLogKind

  constructor(parts: RequestLogParts, { requests, requestLinesPerSecond }: RequestLogSettings) {
    this.parts = parts
    this.kind = requests
    this.sampling = new LineSampling(requestLinesPerSecond)
  }

  /** Applies new settings, starting with the next request. */
  set({ requests, requestLinesPerSecond }: RequestLogSettings): void {
    this.kind = requests
    this.sampling.linesPerSecond = requestLinesPerSecond
  }

  /** Wraps a handler so that its responses are logged. @param route undefined for requests without a route */
  logged(route: Route | undefined, respond: Endpoint): Endpoint {
    const template = route?.path.replace(/:([a-z_]+)/g, '{$1}') ?? 'other'
    const idAt = route?.path.split('/').findIndex((part) => part.startsWith(':')) ?? -1
    const write = (values: RequestValues, outcome: ResponseValues) => this.write({ template, idAt, values, outcome })
    return (request, server) => {
      const began = performance.now()
      const unitsBefore = this.parts.chargedUnits()
      const answer = respond(request, server)
      if (answer instanceof Response) {
        const requests = this.requestsOf(answer.status, began)
        if (requests > 0) {
          const units = this.parts.chargedUnits() - unitsBefore
          write(requestValues(request), { response: answer, millis: performance.now() - began, units, requests })
        }
        return answer
      }
      const values = requestValues(request)
      const note = (response: Response) => {
        const now = performance.now()
        const requests = this.requestsOf(response.status, now)
        // The thread may have charged other requests while this request was pending. The increase in its charged units
        // is therefore not the cost of this request.
        const units = response.status < 400 ? (route?.cost ?? 0) : 0
        if (requests > 0) write(values, { response, millis: now - began, units, requests })
      }
      // If the handler throws, the error is logged elsewhere, as a bug with the request id.
      answer.then(note, () => undefined)
      return answer
    }
  }

  /**
   * Number of requests that the log line for this response represents; 0 if there is no line.
   * @param nowMillis from performance.now
   */
  private requestsOf(status: number, nowMillis: number): number {
    if (this.kind === 'off') return 0
    if (status >= FAILED) return 1
    return this.kind === 'all' ? this.sampling.take(nowMillis) : 0
  }

  private write(line: Line): void {
    const { log, gathering } = this.parts
    const fields = this.fieldsOf(line)
    if (line.outcome.response.status >= FAILED) log.error(fields, 'request')
    else gathering.info(fields, 'request')
  }

  private fieldsOf({ template, idAt, values, outcome }: Line): Record<string, unknown> {
    const { response, millis, units, requests } = outcome
    const keyId = this.parts.gate.keyIdOf(values.authorization)
    const network = idAt < 0 ? undefined : this.networkIn(values.url, idAt)
    return {
      request_id: response.headers.get('x-request-id'),
      method: values.method,
      route: template,
      status: response.status,
      duration_ms: Math.round(millis * 1000) / 1000,
      units,
      ...(keyId === undefined ? {} : { key: keyId }),
      ...(network === undefined ? {} : { network }),
      ...(requests === 1 ? {} : { stands_for: requests }),
    }
  }

  /**
   * Id of the network that the path's id belongs to. Undefined if no such network exists, so that no other part of the
   * path is logged.
   */
  private networkIn(url: string, idAt: number): string | undefined {
    const id = decodePercent(url.slice(pathStart(url)).split(/[?#]/, 1)[0]?.split('/')[idAt] ?? '')
    return this.parts.networks.find(id?.split(':', 1)[0] ?? '')?.settings.id
  }
}

function requestValues({ method, url, headers }: Request): RequestValues {
  return { method, url, authorization: headers.get('authorization') }
}

/**
 * Decides which requests are logged: every nth request, but no more lines per second than a limit. n depends on the
 * number of requests in the previous second. If that number was within the limit, n is 1.
 */
export class LineSampling {
  linesPerSecond: number
  private second = Number.NEGATIVE_INFINITY
  /** Number of requests (`seen`) and number of log lines (`lines`) in the current second. */
  private seen = 0
  private lines = 0
  private stride = 1
  /** Requests since the last line. */
  private pending = 0

  constructor(linesPerSecond: number) {
    this.linesPerSecond = linesPerSecond
  }

  /**
   * Counts a request. Returns how many requests its line represents, including earlier requests without a line; 0 if
   * the request gets no line.
   */
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
    this.pending++
    if (this.pending < this.stride || this.lines >= this.linesPerSecond) return 0
    const represented = this.pending
    this.lines++
    this.pending = 0
    return represented
  }
}
