// What Elysia is told of a route besides its path and endpoint: its operation in the OpenAPI document, in the hook
// `detail`, which nothing reads at run time. No route has a `response`, `params` or `query` hook: the data port checks
// parameters itself, after the key, and validators would cost each thread 10 MB and its first calls 100 ms.
import { parameterSchema } from './parameter-schema.ts'
import type { Route } from './routes.ts'

/** A group of routes. */
export type RouteTag =
  | 'Networks'
  | 'Stops'
  | 'Departures'
  | 'Lines'
  | 'Vehicles'
  | 'Alerts'
  | 'Places'
  | 'Journeys'
  | 'Service'

/** The group of a path: the first that fits. */
const TAG_OF_PATH: readonly (readonly [path: RegExp, tag: RouteTag])[] = [
  [/^\/v1\/(health|status|usage)/, 'Service'],
  [/^\/v1\/places/, 'Places'],
  [/^\/v1\/journeys/, 'Journeys'],
  [/departures/, 'Departures'],
  [/vehicles/, 'Vehicles'],
  [/alerts/, 'Alerts'],
  [/\/lines/, 'Lines'],
  [/\/stops/, 'Stops'],
  [/\/networks/, 'Networks'],
]

/**
 * The hook of a route. Its members are made when the document is, so that a data thread that is never asked for the
 * document holds none of them. What all routes share (refusals, headers, examples, names of schemas) is added there:
 * see docs/openapi.ts.
 */
export function documented(route: Route) {
  const detail = {
    operationId: route.name,
    summary: route.summary,
    get description() {
      return [describeCost(route), ...describeRefused(route)].join(' ')
    },
    get tags(): string[] {
      return [TAG_OF_PATH.find(([path]) => path.test(route.path))?.[1] ?? 'Service']
    },
    get parameters() {
      return [...pathParameters(route), ...queryParameters(route)]
    },
    get responses() {
      const type = route.event === undefined ? 'application/json' : 'text/event-stream'
      return { 200: { description: 'The answer.', content: { [type]: { schema: route.answer } } } }
    },
    // All others need what the document asks for as a whole: a key.
    ...(route.access === 'public' ? { security: [] } : {}),
    'x-units': route.cost,
  }
  return { detail }
}

function describeCost(route: Route): string {
  if (route.access === 'public') return 'Public: needs no key and is not metered.'
  const units = `${route.cost} unit${route.cost === 1 ? '' : 's'}`
  if (route.event !== undefined) return `Costs ${units} each time it is opened.`
  return route.cost === 0 ? 'Costs nothing.' : `Costs ${units}.`
}

function describeRefused(route: Route): string[] {
  const refused = Object.entries(route.parameters).filter(([, rule]) => rule.kind === 'refused')
  return refused.map(([name, { description }]) => `\`${name}\` is refused here: ${description}`)
}

const PATH_EXAMPLES: Readonly<Record<string, string>> = {
  network: 'cts',
  line_id: 'cts:line:A',
  stop_id: 'cts:stop:HOFER_04',
}
const PATH_DESCRIPTIONS: Readonly<Record<string, string>> = {
  network: 'Slug of a network.',
  line_id: 'Id of a line. In an address it is percent-encoded, as clients made from this document do by themselves.',
  stop_id:
    'Id of a stop or an area. In an address it is percent-encoded, as clients made from this document do by themselves.',
}

function pathParameters(route: Route) {
  return [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: PATH_DESCRIPTIONS[name],
    schema: { type: 'string' as const, minLength: 1 },
    example: PATH_EXAMPLES[name],
  }))
}

/** Lists are joined by commas. Parameters that are only refused are described in words: no client should offer them. */
function queryParameters(route: Route) {
  const offered = Object.entries(route.parameters).filter(([, rule]) => rule.kind !== 'refused')
  return offered.map(([name, rule]) => {
    const { description, ...schema } = parameterSchema(rule)
    return {
      name,
      in: 'query',
      required: rule.isRequired === true,
      description,
      ...(schema['type'] === 'array' ? { style: 'form', explode: false } : {}),
      ...(rule.kind === 'ignored' ? { allowEmptyValue: true } : {}),
      schema,
    }
  })
}
