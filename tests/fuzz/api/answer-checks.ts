// Checks every response to a generated request: its JSON must match the documented schema, an error must have all its
// members, no internals of the program may appear, and the reported units must be right. Each check returns its faults
// as messages.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { readBody } from '../../event-stream.ts'
import type { ExpectedAnswer, GeneratedRequest } from './generated-request.ts'
import type { ExpectedRoute, PathKind } from './route-expectations.ts'

const PATH_PARAMETERS: Readonly<Record<PathKind, string>> = {
  network: '{network}',
  line: '{line_id}',
  stop: '{stop_id}',
  journey: '{journey_id}',
  trip: '{trip_id}',
  nothing: '',
}

export interface ReceivedAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of any shape from the body.
  readonly body: any
}

/**
 * Reads a response, or the first event of a stream. If the body is not JSON, `body` is undefined, and the checks report
 * a fault.
 */
export async function readAnswer(response: Response): Promise<ReceivedAnswer> {
  const text = await readBody(response)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  return { status: response.status, headers: response.headers, text, body }
}

/** Matches internals of the program: stack traces, source files, modules, error types. */
const INTERNAL =
  /\bat \S+ \(|\.ts:\d|node_modules|file:\/\/|\b(?:Type|Range|Reference|Syntax|URI)Error\b|\[object |elysia/i

/** The response schemas in the service's OpenAPI document, compiled at first use. */
export class SchemaChecker {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: false })
  private readonly validators = new Map<string, ValidateFunction | undefined>()

  constructor(document: object) {
    addFormats(this.ajv)
    this.ajv.addSchema(document, 'document')
  }

  /** The places where a response violates its route's schema. */
  faults(route: ExpectedRoute, answer: ReceivedAnswer): string[] {
    const type = answer.headers.get('content-type') ?? ''
    const key = `${route.path} ${answer.status} ${type}`
    if (!this.validators.has(key)) this.validators.set(key, this.findValidator(route, answer.status, type))
    const validate = this.validators.get(key)
    if (validate === undefined) return [`no schema is documented for ${key}`]
    if (validate(answer.body)) return []
    return (validate.errors ?? []).map(({ instancePath, message }) => `schema: ${instancePath} ${message}`)
  }

  private findValidator(route: ExpectedRoute, status: number, type: string): ValidateFunction | undefined {
    const parameter = PATH_PARAMETERS[route.pathKind]
    const parts = [
      'paths',
      route.path.replace(':id', parameter),
      'get',
      'responses',
      `${status}`,
      'content',
      type,
      ...(type === 'text/event-stream' ? ['x-events', eventOf(route)] : ['schema']),
    ]
    const pointer = parts.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).map(encodeURIComponent)
    try {
      return this.ajv.getSchema(`document#/${pointer.join('/')}`)
    } catch {
      return undefined
    }
  }
}

/** The name of a stream's events, which is the name of the streamed resource: `departures`, `vehicles` or `trip`. */
function eventOf({ path, pathKind }: ExpectedRoute): string {
  return pathKind === 'trip' ? 'trip' : (/(\w+)\/stream$/.exec(path)?.[1] ?? '')
}

/** The faults of a response. */
export function answerFaults(
  request: GeneratedRequest,
  expected: ExpectedAnswer,
  { answer, schemas }: { answer: ReceivedAnswer; schemas: SchemaChecker },
): string[] {
  const { status, text, headers } = answer
  if (status === 200 && new URL(`http://localhost${request.address}`).pathname === '/') return frontPageFaults(answer)
  const faults: string[] = []
  if (status >= 500 && status !== 503) faults.push(`status ${status}`)
  if (INTERNAL.test(text)) faults.push(`internal text: ${INTERNAL.exec(text)?.[0]}`)
  if ((headers.get('x-request-id') ?? '') === '') faults.push('no X-Request-Id')
  const isUnchanged = status === 304
  if (isUnchanged) faults.push(...unchangedFaults(request, expected, answer))
  else if (status === 200) faults.push(...successFaults(expected, answer))
  else faults.push(...refusalFaults(expected, answer))
  if (!isUnchanged && request.method === 'GET' && expected.route !== undefined) {
    faults.push(...schemas.faults(expected.route, answer))
  }
  return faults
}

/**
 * Checks a response that contains the front page. The front page is the same for every request, requires no key and
 * costs no units.
 */
function frontPageFaults({ text, headers }: ReceivedAnswer): string[] {
  const type = headers.get('content-type') ?? ''
  return [
    ...(type.startsWith('text/html') && /^(?:<!doctype html>|$)/.test(text) ? [] : [`the front page is ${type}`]),
    ...(INTERNAL.test(text) ? [`internal text: ${INTERNAL.exec(text)?.[0]}`] : []),
  ]
}

function unchangedFaults(
  request: GeneratedRequest,
  expected: ExpectedAnswer,
  { headers, text }: ReceivedAnswer,
): string[] {
  const tag = headers.get('etag') ?? ''
  const held = request.headers['if-none-match'] ?? ''
  const isHeld = tag !== '' && (held.trim() === '*' || held.includes(tag.replace(/^W\//, '')))
  return [
    ...(expected.maySucceed ? [] : ['304 for a request that should be rejected']),
    ...(text === '' ? [] : ['304 with a body']),
    ...(isHeld ? [] : [`304 for ${tag} to a client that has ${held}`]),
  ]
}

function successFaults(expected: ExpectedAnswer, { body, headers }: ReceivedAnswer): string[] {
  const faults: string[] = []
  if (!expected.maySucceed) faults.push(`200, expected ${describeExpected(expected)}`)
  const type = expected.route?.isStream === true ? 'text/event-stream' : 'application/json'
  if (headers.get('content-type') !== type) faults.push(`type ${headers.get('content-type')}`)
  if (body === undefined) return [...faults, 'no JSON']
  if (Object.keys(body).join() !== 'data,meta') faults.push(`members ${Object.keys(body).join()}`)
  const { data, meta } = body
  if (meta?.units !== expected.route?.units) faults.push(`units ${meta?.units}`)
  if (meta?.count !== undefined) {
    if (Array.isArray(data) ? meta.count !== data.length : true) faults.push(`count ${meta.count} of ${data?.length}`)
    if (meta.limit !== undefined && meta.count > meta.limit) faults.push(`count ${meta.count} above ${meta.limit}`)
    if ((meta.reason === undefined) !== meta.count > 0) faults.push(`reason ${meta.reason} of ${meta.count}`)
  }
  return faults
}

const MEMBERS = ['type', 'title', 'status', 'detail', 'instance', 'reason', 'code', 'request_id']

function refusalFaults(expected: ExpectedAnswer, { status, body, headers }: ReceivedAnswer): string[] {
  const faults: string[] = []
  if (headers.get('content-type') !== 'application/problem+json') faults.push(`type ${headers.get('content-type')}`)
  if (body === undefined) return [...faults, 'no JSON']
  const isExpected = expected.refusals.some((refusal) => refusal.status === status && refusal.reason === body.reason)
  if (!isExpected) faults.push(`${status} ${body.reason} (${body.detail}), expected ${describeExpected(expected)}`)
  const missing = MEMBERS.filter((member) => body[member] === undefined || body[member] === '')
  if (missing.length > 0) faults.push(`without ${missing.join()}`)
  if (body.status !== status) faults.push(`status ${body.status} reported in a ${status}`)
  if (body.request_id !== headers.get('x-request-id')) faults.push(`request_id ${body.request_id}`)
  if (body.meta !== undefined) faults.push('an error with meta')
  if (status === 401 && headers.get('www-authenticate') === null) faults.push('401 without a challenge')
  if (status === 405 && headers.get('allow') !== 'GET, HEAD') faults.push(`Allow ${headers.get('allow')}`)
  if (status === 503 && headers.get('retry-after') === null) faults.push('503 without Retry-After')
  if (headers.get('cache-control') !== 'no-store')
    faults.push(`an error with Cache-Control ${headers.get('cache-control')}`)
  if (status === 400) faults.push(...parameterFaults(expected, body))
  return faults
}

/**
 * Parameters whose values can be well formed but invalid: an id may not exist, and a cursor may belong to another
 * query. Such a fault is reported only if all other parameters are valid.
 */
const LOOKED_UP = ['line', 'trip', 'cursor', 'from', 'to']

/** Checks that an error about parameters names every invalid parameter and no valid parameters. */
function parameterFaults(
  { refusedParameters, doubtedParameters }: ExpectedAnswer,
  body: { param?: string; reason?: string; errors?: { param: string; reason: string; message: string }[] },
): string[] {
  const errors = body.errors ?? []
  const [first] = errors
  const named = errors.map(({ param }) => param)
  const faults: string[] = []
  if (first === undefined || body.param !== first.param || body.reason !== first.reason) {
    faults.push(`param ${body.param} and ${body.reason}, but the first error is ${JSON.stringify(first)}`)
  }
  const wrong = named.filter((name) => !refusedParameters.includes(name) && !doubtedParameters.includes(name))
  if (wrong.length > 0) faults.push(`names ${wrong.join()}, which is allowed`)
  const unnamed = refusedParameters.filter((name) => !named.includes(name) && !LOOKED_UP.includes(name))
  if (unnamed.length > 0) faults.push(`does not name ${unnamed.join()}`)
  return faults
}

function describeExpected({ maySucceed, refusals }: ExpectedAnswer): string {
  return [...(maySucceed ? ['200'] : []), ...refusals.map(({ status, reason }) => `${status} ${reason}`)].join(' or ')
}
