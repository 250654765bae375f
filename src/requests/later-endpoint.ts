// An endpoint whose answer is worked out elsewhere and comes later: the same checks in the same order (endpoint.ts), units
// reserved meanwhile, charged before the answer leaves or given back.
import type { Caller } from '../access/gate.ts'
import { QueryParser } from '../contract/parameter-parser.ts'
import type { ParameterRules, Values } from '../contract/parameters.ts'
import type { Route } from '../contract/routes.ts'
import { acceptsMedia } from '../http/accept-header.ts'
import { findMessageFault } from '../http/message-faults.ts'
import { Problem } from '../http/problem.ts'
import { AnswerWriter, limitHeaders, limitProblem, type Rendered, readTarget } from './endpoint.ts'
import { refusedKey } from './public-limits.ts'
import { observed } from './request-log.ts'
import type { Endpoint, Service } from './service.ts'

/** A request that passed every check. */
export interface LaterCall<Rules extends ParameterRules> {
  readonly values: Values<Rules>
  readonly caller: Caller
  /** Service time, in milliseconds after 1970. */
  readonly nowMillis: number
  /** Aborted once nobody waits for the answer. */
  readonly signal: AbortSignal
}

/** The handler of a keyed route as Elysia takes it. */
export function laterEndpoint<Rules extends ParameterRules>(
  service: Service,
  route: Route<Rules>,
  handler: (call: LaterCall<Rules>) => Promise<Rendered | Problem>,
): (context: Parameters<Endpoint>[0]) => Response | Promise<Response> {
  const { gate, clock } = service
  const parser = new QueryParser<Rules>(route.parameters)
  const answers = new AnswerWriter(service, route)
  const begin = ({ request, server }: Parameters<Endpoint>[0]): Response | Promise<Response> => {
    // All that is asked of the request's headers later; Bun may not know them any more by then.
    const headers = new Headers(request.headers)
    const fault = findMessageFault(headers)
    if (fault !== undefined) return answers.refuse(fault, headers)
    const admission = gate.admit(headers.get('authorization'))
    if (admission.kind === 'refused') {
      return answers.refuse(refusedKey(service, admission.reason, { request, server }), headers)
    }
    const { caller } = admission
    const reservation = gate.reserve(caller, route.cost)
    const limits = gate.limitFields()
    const refuse = (problem: Problem, told = limits) => answers.refuse(problem, headers, limitHeaders(told))
    if ('reason' in reservation) return refuse(limitProblem(reservation))
    const work = async (): Promise<Response> => {
      let outcome: Response | Problem
      gate.hold(reservation)
      try {
        outcome = await respond(request.url, request.signal)
      } catch (error) {
        gate.settle(reservation)
        gate.release(reservation)
        throw error
      }
      gate.settle(reservation)
      if (outcome instanceof Problem) return refuse(outcome, gate.release(reservation))
      const late = gate.charge(reservation)
      return late === undefined ? outcome : refuse(limitProblem(late))
    }
    const respond = async (url: string, signal: AbortSignal): Promise<Response | Problem> => {
      const nowMillis = clock.nowMillis()
      const outcome = await answer(readTarget(url), { caller, nowMillis, signal })
      return outcome instanceof Problem ? outcome : answers.send(outcome, { url, headers, nowMillis, limits })
    }
    const answer = async (target: string | undefined, call: Omit<LaterCall<Rules>, 'values'>) => {
      if (target === undefined) return new Problem('uri_too_long')
      if (!acceptsMedia(headers.get('accept'), 'application/json')) return new Problem('not_acceptable')
      const queryStart = target.indexOf('?')
      const values = parser.parse(queryStart < 0 ? '' : target.slice(queryStart + 1))
      return values instanceof Problem ? values : await handler({ ...call, values })
    }
    return work()
  }
  return observed(service, route, begin)
}
