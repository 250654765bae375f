// The handler of streaming routes. It runs the same steps as for every request (pipeline.ts), then opens a stream in
// the hub (streams/stream-hub.ts), which responds with the first frame. The possible errors are those of the
// corresponding route without streaming.
import assert from 'node:assert'
import { QueryParser } from '../contract/parameter-parser.ts'
import type { IntegerRule, ParameterRules, Values } from '../contract/parameters.ts'
import type { StreamRoute } from '../contract/route.ts'
import { Cors } from '../http/cors.ts'
import { Problem } from '../http/problem.ts'
import { pathIdReader, requestIdOf, traceHeaders } from '../http/request-head.ts'
import { safetyHeaders } from '../http/safety-headers.ts'
import { LastingAnswer } from '../rendering/answer-cache.ts'
import { LastFrame } from '../streams/frames.ts'
import type { RenderFrame, StreamOrder } from '../streams/stream-hub.ts'
import type { Rendered } from './endpoint.ts'
import { dataPipeline, type Outcome, observed, type Passage } from './pipeline.ts'
import { limitHeaders, problemResponse } from './refusals.ts'
import type { RoutedEndpoint, Service } from './service.ts'

/** The parameters of a stream. */
export interface StreamQuestion<Rules extends ParameterRules> {
  readonly pathId: string
  readonly values: Values<Rules>
}

/** The time of a frame, and the units that the frame reports. */
export interface FrameMoment {
  /** Service time. */
  readonly nowMillis: number
  /** Units that the frame reports. */
  readonly units: number
}

/** The last response of a stream that ends because there is nothing more to send. */
export interface LastAnswer {
  readonly answer: LastingAnswer
  readonly endReason: 'trip_ended'
}

/** Renders the response that the corresponding route without streaming would send at the time of the frame. */
export type FrameHandler<Rules extends ParameterRules> = (
  question: StreamQuestion<Rules>,
  moment: FrameMoment,
) => LastingAnswer | LastAnswer | Rendered | Problem

/** Parameters of a streaming route, including the frame interval. */
type StreamRules = ParameterRules & { readonly interval: IntegerRule & { readonly default: number } }

const encoder = new TextEncoder()
const NOT_EVENT_STREAM =
  'The Accept header excludes text/event-stream, the media type of this route. Accept text/event-stream.'
/**
 * Idle timeout of a connection after its stream has ended. The server checks for idle connections every four seconds.
 */
const ENDED_IDLE_SECONDS = 3

/** Creates the handler of a streaming route. */
export function streamEndpoint<Rules extends StreamRules>(
  service: Service,
  route: StreamRoute<Rules>,
  handler: FrameHandler<Rules>,
): RoutedEndpoint {
  const { gate, streams } = service
  const cors = new Cors(service.corsOrigins)
  const safety = safetyHeaders(service.baseUrl)
  const open = (values: Values<Rules>, passage: Passage): Outcome | Promise<Outcome> => {
    const { caller, request, server, pathId } = passage
    assert(caller !== undefined, 'a request to a route that requires a key has no caller')
    const question = { values, pathId }
    const { interval, ...filters } = values
    const order: StreamOrder = {
      topic: `${route.name} ${pathId} ${JSON.stringify(filters)}`,
      event: route.event,
      render: frameRenderer(service, question, handler),
      intervalSeconds: Number(interval),
      caller,
      address: server == null ? undefined : service.addressLimits?.clientOf(request, server),
      cost: route.cost,
      charge: (units) => (units > 0 ? chargeAtOnce(service, passage) : passage.release(gate)),
      connection: server == null ? undefined : { limitIdle: () => server.timeout(request, ENDED_IDLE_SECONDS) },
      isHead: request.method === 'HEAD',
    }
    const claim = streams.claim(order)
    return claim === undefined ? respondWith(streams.open(order), passage) : openLater(order, passage, claim)
  }
  const openLater = async (order: StreamOrder, passage: Passage, claim: Promise<boolean>): Promise<Outcome> => {
    const charge = (units: number) => {
      passage.settle(gate) // the reservation had to be held until `claim` resolved
      order.charge(units)
    }
    try {
      return respondWith(await streams.openClaimed({ ...order, charge }, claim), passage)
    } catch (error) {
      if (error instanceof ChargeRefused) return error.problem
      throw error
    }
  }
  const respondWith = (body: ReadableStream<Uint8Array> | Problem, passage: Passage): Outcome => {
    if (body instanceof Problem) return body
    // A stream may send nothing for a whole interval. So its connection has no idle timeout; the hub ends the stream.
    passage.server?.timeout(passage.request, 0)
    return new Response(body, {
      headers: { ...streamHeaders(cors, passage.headers), ...safety, ...limitHeaders(passage.limits) },
    })
  }
  const respond = dataPipeline<Rules>(service, {
    access: 'keyed',
    route,
    accepts: { type: 'text/event-stream', refusal: NOT_EVENT_STREAM },
    parser: new QueryParser<Rules>(route.parameters),
    pathIdIn: pathIdReader(route.path),
    handle: open,
    refuse: (problem, { headers, limits }) =>
      problemResponse(problem, { service, cors, headers, more: limitHeaders(limits) }),
  })
  return observed(service, route, respond)
}

/**
 * Thrown if the charge is refused: a new month has begun after the reservation and has no units left, or the units
 * cannot be counted. This can only happen if the request had to wait.
 */
class ChargeRefused extends Error {
  override readonly name = 'ChargeRefused'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.reason)
    this.problem = problem
  }
}

function chargeAtOnce(service: Service, passage: Passage): void {
  const refusal = passage.charge(service)
  if (refusal !== undefined) throw new ChargeRefused(refusal)
}

/**
 * Returns the function that renders frames. The function reuses the parts of the response that do not change between
 * frames.
 */
function frameRenderer<Rules extends ParameterRules>(
  service: Service,
  question: StreamQuestion<Rules>,
  handler: FrameHandler<Rules>,
): RenderFrame {
  const lasting = new Map<number, LastingAnswer>()
  return (units) => {
    const nowMillis = service.clock.nowMillis()
    const kept = lasting.get(units)
    if (kept?.holdsAt(nowMillis) === true) return kept.bodyAt(nowMillis)
    const answer = handler(question, { nowMillis, units })
    if (answer instanceof Problem) return answer
    if (answer instanceof LastingAnswer) {
      lasting.set(units, answer)
      return answer.bodyAt(nowMillis)
    }
    lasting.delete(units)
    if ('endReason' in answer) return new LastFrame(answer.answer.bodyAt(nowMillis), answer.endReason)
    return typeof answer.body === 'string' ? encoder.encode(answer.body) : answer.body
  }
}

/** Headers of a stream. `X-Accel-Buffering` disables buffering in proxies. */
function streamHeaders(cors: Cors, requestHeaders: Headers): Record<string, string> {
  return {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
    'X-Request-Id': requestIdOf(requestHeaders),
    ...traceHeaders(requestHeaders),
    ...cors.vary([]),
    ...cors.headersFor(requestHeaders.get('origin')),
  }
}
