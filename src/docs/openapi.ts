// The OpenAPI 3.1 document, made from the one table of routes: paths, parameters, answers, refusals and costs are the
// table's own, and TypeBox schemas are JSON Schema already. Nothing is written down twice.
import type { TSchema } from '@sinclair/typebox'
import examples from '../api/examples.json' with { type: 'json' }
import { parameterSchema } from '../contract/parameter-schema.ts'
import { refusalsOf } from '../contract/route-refusals.ts'
import { ROUTE_LIST, type Route } from '../contract/routes.ts'
import { API_PROBLEMS, PROBLEMS, Problem, problemBody, type Reason } from '../http/problem.ts'
import type { StreamEvent } from '../streams/frames.ts'
import { VERSION } from '../system/version.ts'
import { COMPONENTS, PROBLEM_SCHEMA, STREAM_END_SCHEMA } from './openapi-components.ts'
import { INTRODUCTION } from './openapi-introduction.ts'
import { componentSchemas, type Json, toPlainSchema } from './openapi-schema.ts'

/** Example answers by the name of their operation: real ones, see tests/src/api/example-answers.ts. */
const EXAMPLES: Readonly<Record<string, unknown>> = examples

/** The groups of routes, in the order of the reference. */
const TAGS = {
  Networks: 'The networks served here.',
  Stops: 'Stops and areas, by name and by place.',
  Departures: 'What leaves when.',
  Lines: 'Lines, their directions, their ways.',
  Vehicles: 'Where vehicles are.',
  Alerts: 'What passengers should know.',
  Places: 'Stops, areas and addresses, by words and by place.',
  Journeys: 'How to get from one place to another.',
  Service: 'Whether the service is well, and what you have used.',
} as const

/** The group of a path: the first that fits. */
const TAG_OF_PATH: readonly (readonly [path: RegExp, tag: keyof typeof TAGS])[] = [
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

/** The document, for an API at an address. */
export function openApiDocument(baseUrl: string): Json {
  const paths: Record<string, Json> = {}
  for (const route of ROUTE_LIST) {
    paths[route.path.replace(/:(\w+)/g, '{$1}')] = { get: operation(route, baseUrl) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quai',
      version: VERSION,
      summary: 'Public-transport data: networks, lines, stops, departures.',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl, description: 'This service' }],
    security: [{ key: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', bearerFormat: 'quai_p_…', description: 'A personal key.' },
      },
      schemas: componentSchemas(COMPONENTS),
    },
  }
}

const plainSchema = (schema: TSchema): Json => toPlainSchema(schema, COMPONENTS)

function operation(route: Route, baseUrl: string): Json {
  const tag = TAG_OF_PATH.find(([path]) => path.test(route.path))?.[1] ?? 'Service'
  return {
    operationId: route.name,
    summary: route.summary,
    description: [describeCost(route), ...describeRefused(route)].join(' '),
    tags: [tag],
    parameters: [...pathParameters(route), ...queryParameters(route)],
    responses: { ...answers(route), ...refusals(route, baseUrl) },
    ...(route.access === 'public' ? { security: [] } : {}),
    'x-units': route.cost,
  }
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

function pathParameters(route: Route): Json[] {
  return [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: PATH_DESCRIPTIONS[name],
    schema: { type: 'string', minLength: 1 },
    example: PATH_EXAMPLES[name],
  }))
}

/** Lists are joined by commas. Those that are only refused are told of in words: nobody's client should offer them. */
function queryParameters(route: Route): Json[] {
  const offered = Object.entries(route.parameters).filter(([, rule]) => rule.kind !== 'refused')
  return offered.map(([name, rule]) => {
    const { description, ...schema } = plainSchema(parameterSchema(rule))
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

const REQUEST_ID = {
  'X-Request-Id': {
    description: 'Names this request in the log: yours where you sent one, else the trace id of your traceparent.',
    schema: { type: 'string' },
  },
}

function answers(route: Route): Json {
  const isStatic = route.caching === 'static'
  const hasPages = 'cursor' in route.parameters
  const headers = {
    ...REQUEST_ID,
    'Cache-Control': { description: 'How long the answer may be kept.', schema: { type: 'string' } },
    ...(isStatic ? { ETag: { description: 'Weak; send it back as If-None-Match.', schema: { type: 'string' } } } : {}),
    ...(hasPages
      ? { Link: { description: 'The next page (RFC 8288), where there is one.', schema: { type: 'string' } } }
      : {}),
  }
  if (route.event !== undefined) return eventAnswers(route, route.event, headers)
  const content = { schema: plainSchema(route.answer), example: EXAMPLES[route.name] }
  return {
    200: { description: 'The answer.', headers, content: { 'application/json': content } },
    ...(isStatic ? { 304: { description: 'You hold the answer already. It costs as much.', headers } } : {}),
  }
}

/**
 * OpenAPI 3.1 knows no events. As generators of clients read it, the schema is that of one event's `data`; which event
 * has which is told by `x-events`.
 */
function eventAnswers(route: Route, event: StreamEvent, headers: Json): Json {
  const description =
    `Server-sent events: \`${event}\`, whose \`data\` is what the polled route would answer, at once and then every ` +
    '`interval` seconds; `end`, whose `data` is `{"reason": …}`, as the last one where the service ends the stream. ' +
    'Lines that start with a colon keep the connection open.'
  const data = plainSchema(route.answer)
  const end = plainSchema(STREAM_END_SCHEMA)
  // An event holds what its polled route answers.
  const polled = ROUTE_LIST.find(({ path }) => `${path}/stream` === route.path)
  const example = polled === undefined ? undefined : EXAMPLES[polled.name]
  return {
    200: {
      description,
      headers,
      content: { 'text/event-stream': { schema: { anyOf: [data, end] }, example, 'x-events': { [event]: data, end } } },
    },
  }
}

/** One response for each status, with an example for each reason. */
function refusals(route: Route, baseUrl: string): Json {
  const byStatus = new Map<number, Reason[]>()
  for (const reason of refusalsOf(route)) {
    const { status } = PROBLEMS[reason]
    byStatus.set(status, [...(byStatus.get(status) ?? []), reason])
  }
  const responses: Json = {}
  for (const [status, reasons] of byStatus) {
    responses[status] = {
      description: reasons.map((reason) => `\`${reason}\`: ${PROBLEMS[reason].sentence}`).join('\n\n'),
      headers: REQUEST_ID,
      content: {
        'application/problem+json': {
          schema: plainSchema(PROBLEM_SCHEMA),
          examples: Object.fromEntries(reasons.map((reason) => [reason, { value: problemExample(reason, baseUrl) }])),
        },
      },
    }
  }
  return responses
}

function problemExample(reason: Reason, baseUrl: string): unknown {
  return JSON.parse(problemBody(new Problem(reason), API_PROBLEMS, { baseUrl, requestId: '7f3c2a10-1' }))
}
