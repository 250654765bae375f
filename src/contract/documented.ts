// Describes routes for OpenAPI. The description is in Elysia's `detail` hook, which is only read to build the API
// document. Routes have no `response`, `params` or `query` hooks: the data port checks parameters itself, after it has
// checked the key. Elysia's validators would also cost each thread 10 MB of memory, and 100 ms on its first calls.

import { countText } from '../system/count-text.ts'
import { parameterSchema } from './parameter-schema.ts'
import type { Route } from './route.ts'

/** The name of a group of routes in the API document. */
export type RouteTag =
  | 'Networks'
  | 'Stops'
  | 'Departures'
  | 'Lines'
  | 'Vehicles'
  | 'Trips'
  | 'Alerts'
  | 'Places'
  | 'Journeys'
  | 'Service'

/** The group of each path: the first row whose pattern matches the path. */
const TAG_OF_PATH: readonly (readonly [path: RegExp, tag: RouteTag])[] = [
  [/^\/v1\/(health|status|usage)/, 'Service'],
  [/^\/v1\/places/, 'Places'],
  [/^\/v1\/journeys/, 'Journeys'],
  [/^\/v1\/trips/, 'Trips'],
  [/departures|explanations/, 'Departures'],
  [/vehicles/, 'Vehicles'],
  [/alerts/, 'Alerts'],
  [/\/lines/, 'Lines'],
  [/\/stops/, 'Stops'],
  [/\/networks/, 'Networks'],
]

/**
 * The `detail` hook of a route. Its larger members are getters, which are only called when the API document is built.
 * So a data thread that never serves the document does not keep the values of these members in memory. docs/openapi.ts
 * adds what all routes share: errors, headers, examples and schema names.
 */
export function documented(route: Route) {
  const detail = {
    operationId: route.name,
    summary: route.summary,
    get description() {
      return [route.description, describeCost(route), ...describeRefused(route)].join(' ')
    },
    get tags(): string[] {
      return [TAG_OF_PATH.find(([path]) => path.test(route.path))?.[1] ?? 'Service']
    },
    get parameters() {
      return [...pathParameters(route), ...queryParameters(route)]
    },
    get responses() {
      const type = route.event === undefined ? 'application/json' : 'text/event-stream'
      return { 200: { description: 'Success.', content: { [type]: { schema: route.answer } } } }
    },
    // A key is required by default in the API document, so only public routes need an entry here.
    ...(route.access === 'public' ? { security: [] } : {}),
    'x-units': route.cost,
  }
  return { detail }
}

function describeCost(route: Route): string {
  if (route.access === 'public') return 'Public: requires no key and costs no units.'
  const units = countText(route.cost, 'unit')
  if (route.event !== undefined) return `Costs ${units} per connection.`
  return route.cost === 0 ? 'Costs no units.' : `Costs ${units}.`
}

function describeRefused(route: Route): string[] {
  const refused = Object.entries(route.parameters).filter(([, rule]) => rule.kind === 'refused')
  return refused.map(([name, { description }]) => `\`${name}\` is not allowed: ${description}`)
}

/** An id of each kind, as an example in the API document. */
export const PATH_EXAMPLES: Readonly<Record<string, string>> = {
  network: 'cts',
  line_id: 'cts:line:A',
  stop_id: 'cts:stop:HOFER_04',
  trip_id: 'cts:trip:20260610:A-0712',
  journey_id: 'cts:journey:BgIApEEAAzphMQDcVQKGGAQBAmIxAIY_AvBSAviqqy7oqbMHAABXAA',
}
const PATH_DESCRIPTIONS: Readonly<Record<string, string>> = {
  network: 'Id of a network.',
  line_id: 'Id of a line, percent-encoded. Clients generated from this document encode it for you.',
  stop_id: 'Id of a stop or area, percent-encoded. Clients generated from this document encode it for you.',
  trip_id: 'Id of a trip, percent-encoded. Clients generated from this document encode it for you.',
  journey_id: 'Id of a journey, percent-encoded. Clients generated from this document encode it for you.',
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

/**
 * A route's query parameters. Members of a list are joined by commas. Parameters that the route rejects are omitted
 * here and only named in the description.
 */
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
