// The OpenAPI 3.1 document of the data API. The plugin collects what each route says of itself (contract/documented.ts);
// here it is finished by what all routes share: refusals, headers, examples, streams, and schemas behind their names.
import examples from '../api/examples.json' with { type: 'json' }
import type { RouteTag } from '../contract/documented.ts'
import { refusalsOf } from '../contract/route-refusals.ts'
import { ROUTE_LIST, type Route } from '../contract/routes.ts'
import { API_PROBLEMS, PROBLEMS, Problem, problemBody, type Reason } from '../http/problem.ts'
import type { StreamEvent } from '../streams/frames.ts'
import { VERSION } from '../system/version.ts'
import {
  type Answer,
  collectDocument,
  finishOperations,
  type Operation,
  type Paths,
  type ServedRoute,
} from './collected-document.ts'
import { COMPONENTS, PROBLEM_SCHEMA, STREAM_END_SCHEMA } from './openapi-components.ts'
import { INTRODUCTION } from './openapi-introduction.ts'
import { componentSchemas, toPlain } from './openapi-schema.ts'

/** Example answers by the name of their operation: real ones, see tests/src/api/example-answers.ts. */
const EXAMPLES: Readonly<Record<string, unknown>> = examples

/** The groups of routes, in the order of the reference. */
const TAGS: Readonly<Record<RouteTag, string>> = {
  Networks: 'The networks served here.',
  Stops: 'Stops and areas, by name and by place.',
  Departures: 'What leaves when.',
  Lines: 'Lines, their directions, their ways.',
  Vehicles: 'Where vehicles are.',
  Alerts: 'What passengers should know.',
  Places: 'Stops, areas and addresses, by words and by place.',
  Journeys: 'How to get from one place to another.',
  Service: 'Whether the service is well, and what you have used.',
}

const OPERATION_IDS = ROUTE_LIST.map(({ name }) => name)

/** The document as JSON, for an API at an address. */
export function openApiDocument(
  routes: readonly ServedRoute[],
  { baseUrl, pages }: { readonly baseUrl: string; readonly pages: readonly string[] },
): Promise<string> {
  const finish = (paths: Paths) => ({
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
    paths: toPlain(
      finishOperations(paths, OPERATION_IDS, (operation) => finishOperation(operation, baseUrl)),
      COMPONENTS,
    ),
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', bearerFormat: 'quai_p_…', description: 'A personal key.' },
      },
      schemas: componentSchemas(COMPONENTS),
    },
  })
  return collectDocument({ routes, pages, finish })
}

/** An operation of the table with its headers, example and refusals; one that isn't in the table stays as it is. */
function finishOperation(operation: Operation, baseUrl: string): Operation {
  const route = ROUTE_LIST.find(({ name }) => name === operation.operationId)
  const answer = operation.responses[200]
  if (route === undefined || answer === undefined) return operation
  const responses = { ...finishAnswer(route, answer), ...refusals(route, baseUrl) }
  return { ...operation, responses }
}

const REQUEST_ID = {
  'X-Request-Id': {
    description: 'Names this request in the log: yours where you sent one, else the trace id of your traceparent.',
    schema: { type: 'string' },
  },
}

/** What a route answers where it doesn't refuse. */
function finishAnswer(route: Route, answer: Answer): Record<string, Answer> {
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
  if (route.event !== undefined) return { 200: { headers, ...finishEvents(route, route.event, answer) } }
  const content = Object.entries(answer.content ?? {}).map(([type, { schema }]) => {
    return [type, { schema, example: EXAMPLES[route.name] }]
  })
  return {
    200: { ...answer, headers, content: Object.fromEntries(content) },
    ...(isStatic ? { 304: { description: 'You hold the answer already. It costs as much.', headers } } : {}),
  }
}

/**
 * OpenAPI 3.1 knows no events. As generators of clients read it, the schema is that of one event's `data`; which event
 * has which is told by `x-events`.
 */
function finishEvents(route: Route, event: StreamEvent, answer: Answer): Answer {
  const description =
    `Server-sent events: \`${event}\`, whose \`data\` is what the polled route would answer, at once and then every ` +
    '`interval` seconds; `end`, whose `data` is `{"reason": …}`, as the last one where the service ends the stream. ' +
    'Lines that start with a colon keep the connection open.'
  // An event holds what its polled route answers.
  const polled = ROUTE_LIST.find(({ path }) => `${path}/stream` === route.path)
  const example = polled === undefined ? undefined : EXAMPLES[polled.name]
  const end = STREAM_END_SCHEMA
  const content = Object.entries(answer.content ?? {}).map(([type, { schema: data }]) => {
    return [type, { schema: { anyOf: [data, end] }, example, 'x-events': { [event]: data, end } }]
  })
  return { description, content: Object.fromEntries(content) }
}

/** One response for each status, with an example for each reason. */
function refusals(route: Route, baseUrl: string): Record<string, Answer> {
  const byStatus = new Map<number, Reason[]>()
  for (const reason of refusalsOf(route)) {
    const { status } = PROBLEMS[reason]
    byStatus.set(status, [...(byStatus.get(status) ?? []), reason])
  }
  const responses: Record<string, Answer> = {}
  for (const [status, reasons] of byStatus) {
    responses[status] = {
      description: reasons.map((reason) => `\`${reason}\`: ${PROBLEMS[reason].sentence}`).join('\n\n'),
      headers: REQUEST_ID,
      content: {
        'application/problem+json': {
          schema: PROBLEM_SCHEMA,
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
