// What a request for a stream passes, in the order of every other request (endpoint.ts): framing, key, address length,
// Accept, parameters, then the hub, which answers once the first frame is there. Refusals are those of the polled route.
import type { Caller, Gate, LimitFields, Reservation } from '../access/gate.ts'
import { QueryParser } from '../contract/parameter-parser.ts'
import type { IntegerRule, ParameterRules, Values } from '../contract/parameters.ts'
import type { StreamRoute } from '../contract/routes.ts'
import { acceptsMedia } from '../http/accept-header.ts'
import { Cors } from '../http/cors.ts'
import { findMessageFault } from '../http/message-faults.ts'
import { Problem } from '../http/problem.ts'
import { requestIdOf, traceHeaders } from '../http/request-id.ts'
import { LastingAnswer } from '../rendering/answer-cache.ts'
import type { RenderFrame } from '../streams/stream-hub.ts'
import {
  limitHeaders,
  pathIdReader,
  problemResponse,
  type Rendered,
  type ReservedWork,
  readTarget,
  withReservation,
} from './endpoint.ts'
import { refusedKey } from './public-limits.ts'
import { observed } from './request-log.ts'
import type { Connections, Endpoint, Service } from './service.ts'

/** What a stream is asked with. */
export interface StreamQuestion<Rules extends ParameterRules> {
  readonly pathId: string
  readonly values: Values<Rules>
}

/** The moment of a frame. */
export interface FrameMoment {
  /** Service time. */
  readonly nowMillis: number
  /** Units that the frame shows. */
  readonly units: number
}

/** Answers as the polled route would at that moment. */
export type FrameHandler<Rules extends ParameterRules> = (
  question: StreamQuestion<Rules>,
  moment: FrameMoment,
) => LastingAnswer | Rendered | Problem

/** A route of streams: its parameters say how often frames are sent. */
type StreamRules = ParameterRules & { readonly interval: IntegerRule & { readonly default: number } }

const encoder = new TextEncoder()
const NOT_EVENT_STREAM = 'This route answers text/event-stream, which the Accept header excludes.'
/** How long the connection of a stream that has ended may be idle; the server looks every four seconds. */
const ENDED_IDLE_SECONDS = 3

/** A request for a stream that was let in. */
interface StreamCall {
  readonly request: Request
  readonly server: Connections | null | undefined
  readonly caller: Caller
  readonly limits: LimitFields
  readonly reservation: Reservation
}

/** The handler of a route of streams. */
export function streamEndpoint<Rules extends StreamRules>(
  service: Service,
  route: StreamRoute<Rules>,
  handler: FrameHandler<Rules>,
): Endpoint {
  const { gate, streams } = service
  const parser = new QueryParser<Rules>(route.parameters)
  const pathIdIn = pathIdReader(route.path)
  const cors = new Cors(service.corsOrigins)
  const open: Endpoint = ({ request, server }) => {
    const { headers } = request
    const refuse = (problem: Problem) => problemResponse(problem, { service, cors, headers })
    const fault = findMessageFault(headers)
    if (fault !== undefined) return refuse(fault)
    const admission = gate.admit(headers.get('authorization'))
    if (admission.kind === 'refused') return refuse(refusedKey(service, admission.reason, { request, server }))
    return withReservation(gate, call, { request, server, caller: admission.caller })
  }
  const call: ReservedWork<Omit<StreamCall, 'limits' | 'reservation'>> = {
    units: route.cost,
    chargesItself: true,
    refuse: (problem, limits, { request: { headers } }) =>
      problemResponse(problem, { service, cors, headers, more: limitHeaders(limits) }),
    work: (limits, reservation, asked) => openStream({ ...asked, limits, reservation }),
  }
  const openStream = ({ request, server, caller, limits, reservation }: StreamCall): Response | Problem => {
    const { headers } = request
    const target = readTarget(request.url)
    if (target === undefined) return new Problem('uri_too_long')
    if (!acceptsMedia(headers.get('accept'), 'text/event-stream')) {
      return new Problem('not_acceptable', NOT_EVENT_STREAM)
    }
    const question = readQuestion(target, pathIdIn, parser)
    if (question instanceof Problem) return question
    const { interval, ...filters } = question.values
    let told = limits
    const body = streams.open({
      topic: `${route.name} ${question.pathId} ${JSON.stringify(filters)}`,
      event: route.event,
      render: frameRenderer(service, question, handler),
      intervalSeconds: Number(interval),
      caller,
      cost: route.cost,
      charge: (units) => {
        if (units > 0) chargeAtOnce(gate, reservation)
        else told = gate.release(reservation)
      },
      connection: server == null ? undefined : { limitIdle: () => server.timeout(request, ENDED_IDLE_SECONDS) },
      isHead: request.method === 'HEAD',
    })
    if (body instanceof Problem) return body
    // A stream is quiet for as long as its interval says: its hub ends it, not the limit of idle connections.
    server?.timeout(request, 0)
    return new Response(body, { headers: { ...streamHeaders(cors, headers), ...limitHeaders(told) } })
  }
  const watched = observed(service, route, open)
  service.endpoints.set(route.path, watched)
  return watched
}

/** Charges in the tick of the reservation: its slot is made, and no month has ended since. */
function chargeAtOnce(gate: Gate, reservation: Reservation): void {
  const refusal = gate.charge(reservation)
  if (refusal !== undefined) throw new Error(`what was just reserved cannot be charged: ${refusal.reason}`)
}

function readQuestion<Rules extends ParameterRules>(
  target: string,
  pathIdIn: (path: string) => string | undefined,
  parser: QueryParser<Rules>,
): StreamQuestion<Rules> | Problem {
  const queryStart = target.indexOf('?')
  const values = parser.parse(queryStart < 0 ? '' : target.slice(queryStart + 1))
  if (values instanceof Problem) return values
  const pathId = pathIdIn(queryStart < 0 ? target : target.slice(0, queryStart))
  return pathId === undefined ? new Problem('not_found') : { pathId, values }
}

/** Renders frames; what lasts is kept from frame to frame, each with the units it shows. */
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
    return typeof answer.body === 'string' ? encoder.encode(answer.body) : answer.body
  }
}

/** `X-Accel-Buffering` keeps proxies from gathering frames. */
function streamHeaders(cors: Cors, asking: Headers): Record<string, string> {
  return {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
    'X-Request-Id': requestIdOf(asking),
    ...traceHeaders(asking),
    ...cors.vary([]),
    ...cors.headersFor(asking.get('origin')),
  }
}
