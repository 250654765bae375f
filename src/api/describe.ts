// What the document says of a route, made from its row: Elysia carries it and never validates by it.
import { parameterSchema } from './parameter-schema.ts'
import { type Route, refusalsOf } from './routes.ts'

/** The name of a route's operation, its parameters and its refusals, as the document takes them. */
export function describe(route: Route) {
  return {
    detail: {
      operationId: route.name,
      summary: route.summary,
      parameters: [...pathParameters(route), ...queryParameters(route)],
      'x-units': route.cost,
      'x-refusals': refusalsOf(route),
    },
  }
}

function pathParameters(route: Route) {
  return [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    schema: { type: 'string' as const },
  }))
}

/** Lists are joined by commas, hence `explode: false`. */
function queryParameters(route: Route) {
  return Object.entries(route.parameters).map(([name, rule]) => ({
    name,
    in: 'query' as const,
    required: rule.isRequired === true,
    description: rule.description,
    explode: false,
    schema: parameterSchema(rule),
  }))
}
