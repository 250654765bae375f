// A route that answers JSON, as Elysia takes it: made once for each row of the route table. What every request passes
// before and after its handler is in pipeline.ts.
import type { Caller } from '../access/gate.ts'
import { QueryParser } from '../contract/parameter-parser.ts'
import type { ParameterRules, Values } from '../contract/parameters.ts'
import type { Route } from '../contract/route.ts'
import { Problem } from '../http/problem.ts'
import { pathIdReader } from '../http/request-target.ts'
import type { LastingAnswer } from '../rendering/answer-cache.ts'
import { AnswerWriter, limitHeaders, type Rendered, StaticAnswer } from './answer-writer.ts'
import type { Passage } from './pipeline.ts'
import { dataPipeline, type Outcome, type Question } from './pipeline.ts'
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
  /** Its `signal` is aborted once the client has disconnected; to be read before the handler waits. */
  readonly request: Request
}

type Answer = Rendered | LastingAnswer | StaticAnswer | Problem

/** Resolves, asks and shapes: at once, or later where another thread or server has to be asked. */
export type Handler<Rules extends ParameterRules> = (call: Call<Rules>) => Answer | Promise<Answer>

/** The handler of a route as Elysia takes it. */
export function endpoint<Rules extends ParameterRules>(
  service: Service,
  route: Route<Rules>,
  handler: Handler<Rules>,
): Endpoint {
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
