// The OpenAPI 3.1 document of the data API. contract/documented.ts describes the operations, and collected-document.ts
// collects them. This file adds what all routes share: errors, headers, examples, streams and schema references.
import examples from '../api/examples.json' with { type: 'json' }
import type { RouteTag } from '../contract/documented.ts'
import type { Route } from '../contract/route.ts'
import { refusalsOf } from '../contract/route-refusals.ts'
import { ROUTE_LIST } from '../contract/routes.ts'
import { API_PROBLEMS, PROBLEMS, Problem, problemBody, type Reason } from '../http/problem.ts'
import type { StreamEvent } from '../streams/frames.ts'
import { VERSION } from '../system/version.ts'
import { clientSamples } from './client-samples.ts'
import {
  type Answer,
  collectDocument,
  finishOperations,
  type Operation,
  type Paths,
  type ServedRoute,
} from './collected-document.ts'
import { ALSO_NEEDED, type ExampleValues, KEPT_VALUES } from './example-ids.ts'
import { COMPONENTS, PROBLEM_SCHEMA, STREAM_END_SCHEMA } from './openapi-components.ts'
import { INTRODUCTION } from './openapi-introduction.ts'
import { componentSchemas, toPlain } from './openapi-schema.ts'

/** Example responses by operation id, recorded from a real service: see tests/src/api/example-answers.ts. */
const EXAMPLES: Readonly<Record<string, unknown>> = examples

/** The groups of routes, in the order in which the reference shows them. */
const TAGS: Readonly<Record<RouteTag, string>> = {
  Networks: 'Networks and their capabilities.',
  Stops: 'Stops and areas, by name or location.',
  Departures: 'Departure boards, scheduled and live.',
  Lines: 'Lines, directions and shapes.',
  Vehicles: 'Live vehicle positions.',
  Trips: 'Trips, stop by stop, and their vehicles.',
  Alerts: 'Service alerts.',
  Places: 'Search for stops, areas and addresses.',
  Journeys: 'Journey planning.',
  Service: 'Health, network status and usage.',
}

const OPERATION_IDS = ROUTE_LIST.map(({ name }) => name)

/** What the API document needs to know about a service. */
export interface DocumentPlace {
  readonly baseUrl: string
  /** Paths that are not operations. */
  readonly pages: readonly string[]
  /** Values for the examples; by default KEPT_VALUES. */
  readonly values?: ExampleValues | undefined
}

/** The OpenAPI document of the API at `baseUrl`, as JSON. */
export function openApiDocument(
  routes: readonly ServedRoute[],
  { baseUrl, pages, values = KEPT_VALUES }: DocumentPlace,
): Promise<string> {
  const finish = (paths: Paths) => ({
    openapi: '3.1.0',
    info: {
      title: 'Quai',
      version: VERSION,
      summary: 'Public-transport data: networks, lines, stops, departures and journeys.',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl, description: 'This service' }],
    security: [{ key: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: toPlain(
      finishOperations(paths, OPERATION_IDS, (operation) => finishOperation(operation, { baseUrl, values })),
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

/**
 * Adds headers, an example, errors and samples to an operation that is in the route table. Other operations are
 * returned unchanged.
 */
function finishOperation(
  operation: Operation,
  { baseUrl, values }: { readonly baseUrl: string; readonly values: ExampleValues },
): Operation {
  const route = ROUTE_LIST.find(({ name }) => name === operation.operationId)
  const answer = operation.responses[200]
  if (route === undefined || answer === undefined) return operation
  const responses = { ...finishAnswer(route, answer), ...refusals(route, baseUrl) }
  const parameters = withExamples(operation, values)
  return { ...operation, ...parameters, responses, 'x-codeSamples': clientSamples(route, { baseUrl, values }) }
}

/** A query or path parameter in the document. */
interface Documented {
  readonly name: string
  readonly required?: boolean
  readonly schema: {
    readonly default?: unknown
    readonly enum?: readonly string[]
    readonly examples?: readonly string[]
  }
}

/** Returns an operation's parameters with examples, or an empty object if the operation has no parameters. */
function withExamples(
  { parameters, operationId = '' }: Operation,
  values: ExampleValues,
): { readonly parameters?: readonly object[] } {
  if (!Array.isArray(parameters)) return {}
  return {
    parameters: parameters.map((each: Documented) => {
      const { name, required, schema } = each
      const example = values[name] ?? schema.examples?.[0] ?? schema.enum?.[0]
      if (required === true || name === ALSO_NEEDED[operationId]) return { ...each, example }
      if (example === undefined || schema.default !== undefined) return each
      // The reference shows this example, but leaves the parameter out of the first call that it prepares, because some
      // parameters cannot be combined.
      return { ...each, examples: { default: { value: example, 'x-disabled': true } } }
    }),
  }
}

const REQUEST_ID = {
  'X-Request-Id': {
    description:
      'Id of this request in the log: your X-Request-Id, the trace id from your traceparent, or a generated id.',
    schema: { type: 'string' },
  },
}

/** A route's responses that are not errors: 200 and, if the 200 response has an ETag, 304. */
function finishAnswer(route: Route, answer: Answer): Record<string, Answer> {
  const isStatic = route.caching === 'static'
  const hasPages = 'cursor' in route.parameters
  const headers = {
    ...REQUEST_ID,
    'Cache-Control': {
      description: 'Whether and for how long you may cache the response.',
      schema: { type: 'string' },
    },
    ...(isStatic
      ? { ETag: { description: 'Weak validator; send it back in If-None-Match.', schema: { type: 'string' } } }
      : {}),
    ...(hasPages
      ? {
          Link: {
            description: 'URL of the next page (RFC 8288); absent on the last page.',
            schema: { type: 'string' },
          },
        }
      : {}),
  }
  if (route.event !== undefined) return { 200: { headers, ...finishEvents(route, route.event, answer) } }
  const content = Object.entries(answer.content ?? {}).map(([type, { schema }]) => {
    return [type, { schema, example: EXAMPLES[route.name] }]
  })
  return {
    200: { ...answer, headers, content: Object.fromEntries(content) },
    ...(isStatic
      ? {
          304: {
            description: 'Not modified: your cached response is current. Costs as many units as a 200 response.',
            headers,
          },
        }
      : {}),
  }
}

/**
 * Describes a stream's response. OpenAPI 3.1 cannot describe events, so the schema describes the `data` of one event,
 * as client generators expect. `x-events` maps the names of events to schemas.
 */
function finishEvents(route: Route, event: StreamEvent, answer: Answer): Answer {
  const description =
    `Server-sent events. The \`data\` of a \`${event}\` event is the response of the same route without \`/stream\`. ` +
    'The first event is sent immediately, then one every `interval` seconds. If the service ends the stream, it ' +
    'sends a last event, `end`, whose `data` is `{"reason": …}`. Lines that start with a colon keep the connection open.'
  // The data of an event is a response of the route without `/stream`, so the example is taken from that route.
  const polled = ROUTE_LIST.find(({ path }) => `${path}/stream` === route.path)
  const example = polled === undefined ? undefined : EXAMPLES[polled.name]
  const end = STREAM_END_SCHEMA
  const content = Object.entries(answer.content ?? {}).map(([type, { schema: data }]) => {
    return [type, { schema: { anyOf: [data, end] }, example, 'x-events': { [event]: data, end } }]
  })
  return { description, content: Object.fromEntries(content) }
}

/** One error response per status, each with an example per reason. */
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
