// The OpenAPI document of the account API, made from its table of routes, and where it is served.
import type { TSchema } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { UsageSchema } from '../contract/usage.schema.ts'
import { componentSchemas, type Json, type SchemaNames, toPlain } from '../docs/openapi-schema.ts'
import { ACCOUNT_PROBLEMS, type AccountReason } from '../http/account-problem.ts'
import { once } from '../system/once.ts'
import { VERSION } from '../system/version.ts'
import type { AccountAddresses, AccountApi } from './account-api.ts'
import { openEndpoint } from './account-endpoint.ts'
import { ACCOUNT_ROUTES, type AccountRoute } from './account-routes.ts'
import * as answers from './answers.schema.ts'
import { isSecure, sessionCookieName } from './session-cookie.ts'

const NAMES: SchemaNames = new Map<TSchema, string>([
  [answers.AccountSchema, 'Account'],
  [answers.SessionSchema, 'Session'],
  [answers.KeySchema, 'Key'],
  [answers.UsedKeySchema, 'UsedKey'],
  [answers.KeysSchema, 'Keys'],
  [answers.MadeKeySchema, 'MadeKey'],
  [UsageSchema, 'Usage'],
  [answers.DailyUsageSchema, 'DailyUsage'],
  [answers.StatementsSchema, 'Statements'],
  [answers.StatementSchema, 'Statement'],
  [answers.EventsSchema, 'Events'],
  [answers.MeSchema, 'Me'],
  [answers.MessageSchema, 'Message'],
  [answers.AccountHealthSchema, 'Health'],
  [answers.AccountProblemSchema, 'Problem'],
])

const TAGS: Readonly<Record<AccountRoute['tag'], string>> = {
  'Sign-up and log-in': 'Accounts, sessions and passwords.',
  Keys: 'The keys of an account.',
  'Use and billing': 'What was used, what it costs, what happened.',
  Service: 'Whether the service is well.',
}

const INTRODUCTION = `What the console does, for programs. Bodies are JSON, and say so: \`Content-Type: application/json\`.

A log-in begins a session, whose cookie travels by itself, and tells its \`csrf_token\`: send that as \`X-CSRF-Token\` with
every request that changes something. A session ends after 8 hours without use, after 7 days, at log-out, and with every
change of the password. A key of the data API is good for \`/v1/me\` alone, where it has the scope \`account:read\`.

Nothing here costs units, and nothing may be kept by caches. Refusals are \`application/problem+json\` (RFC 9457).`

const EVERY_ROUTE: readonly AccountReason[] = [
  'malformed_request',
  'content_too_large',
  'uri_too_long',
  'rate_limited',
  'internal_error',
]

/** Every reason for which a route may refuse, in the order of their statuses. */
export function accountRefusalsOf(route: AccountRoute): AccountReason[] {
  const reasons = new Set<AccountReason>([...EVERY_ROUTE, ...route.refusals])
  if (route.tag !== 'Service') reasons.add('store_unavailable')
  if (route.access === 'session') reasons.add('session_required')
  if (route.method !== 'get') reasons.add('csrf_failed')
  if (route.body !== undefined) reasons.add('invalid_request').add('unsupported_media_type')
  const all = Object.entries(ACCOUNT_PROBLEMS).flatMap(([reason]) => (isReason(reason) ? [reason] : []))
  return all.filter((reason) => reasons.has(reason))
}

/** A path as OpenAPI writes it. */
export function documentedPath({ path }: AccountRoute): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

/** The document. */
export function accountOpenApiDocument(addresses: AccountAddresses): Json {
  const paths: Record<string, Json> = {}
  for (const route of ACCOUNT_ROUTES) {
    const path = documentedPath(route)
    paths[path] = { ...paths[path], [route.method]: operation(route, addresses) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quai accounts',
      version: VERSION,
      summary: 'Accounts, keys and use.',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: addresses.accountUrl, description: 'This service' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: toPlain(paths, NAMES),
    components: {
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookieName(isSecure(addresses)),
          description: 'A session, begun by a log-in.',
        },
        csrf: {
          type: 'apiKey',
          in: 'header',
          name: 'X-CSRF-Token',
          description: 'The `csrf_token` of the session, with every change.',
        },
        key: { type: 'http', scheme: 'bearer', description: 'A key with the scope account:read.' },
      },
      schemas: componentSchemas(NAMES),
    },
  }
}

/** GET /openapi.json of the account port: public, as that of the data API. */
export const accountDocumentApi = (api: AccountApi) => {
  const text = once(async () => JSON.stringify(accountOpenApiDocument(api.addresses)))
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300' }
  return new Elysia({ name: 'account.document' }).get(
    '/openapi.json',
    openEndpoint(api, async () => new Response(await text(), { headers })),
  )
}

function operation(route: AccountRoute, addresses: AccountAddresses): Json {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: name === 'file' ? 'A month and its form: `2026-10.json` or `2026-10.csv`.' : 'Id of a key.',
    schema: name === 'file' ? { type: 'string', pattern: '^\\d{4}-\\d{2}\\.(json|csv)$' } : { type: 'string' },
  }))
  const inQuery = Object.entries(route.query ?? {}).map(([name, schema]) => {
    const { description, ...plain } = schema
    return { name, in: 'query', required: false, description, schema: plain }
  })
  return {
    operationId: route.name,
    summary: route.summary,
    description: `${route.summary}.`,
    tags: [route.tag],
    parameters: [...inPath, ...inQuery],
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: route.body } },
          },
        }),
    responses: { [route.status]: answerOf(route), ...refusals(route, addresses) },
    security: securityOf(route),
  }
}

function securityOf({ access, method }: AccountRoute): Json[] {
  if (access === 'open') return []
  if (access === 'either') return [{ key: [] }, { session: [] }]
  return [method === 'get' ? { session: [] } : { session: [], csrf: [] }]
}

function answerOf({ answer, otherType, setsCookie }: AccountRoute): Json {
  const cookie = { 'Set-Cookie': { description: 'The session.', schema: { type: 'string' } } }
  const headers = {
    'X-Request-Id': { description: 'Names this request in the log.', schema: { type: 'string' } },
    ...(setsCookie === true ? cookie : {}),
  }
  if (answer === undefined) return { description: 'Done.', headers }
  const content = {
    'application/json': { schema: answer },
    ...(otherType === undefined ? {} : { [otherType]: { schema: { type: 'string' } } }),
  }
  return { description: 'The answer.', headers, content }
}

/** One response for each status, with an example for each reason. */
function refusals(route: AccountRoute, { baseUrl }: AccountAddresses): Json {
  const byStatus = Map.groupBy(accountRefusalsOf(route), (reason) => ACCOUNT_PROBLEMS[reason].status)
  const schema = answers.AccountProblemSchema
  return Object.fromEntries(
    [...byStatus].map(([status, reasons]) => [
      status,
      {
        description: reasons.map((reason) => `\`${reason}\`: ${ACCOUNT_PROBLEMS[reason].sentence}`).join('\n\n'),
        content: {
          'application/problem+json': {
            schema,
            examples: Object.fromEntries(reasons.map((reason) => [reason, { value: problemExample(reason, baseUrl) }])),
          },
        },
      },
    ]),
  )
}

function problemExample(reason: AccountReason, baseUrl: string): Json {
  const { status, code, title, sentence } = ACCOUNT_PROBLEMS[reason]
  const requestId = '7f3c2a10-1'
  const type = `${baseUrl}/docs/errors#${reason}`
  return { type, title, status, detail: sentence, instance: requestId, reason, code, request_id: requestId }
}

function isReason(text: string): text is AccountReason {
  return Object.hasOwn(ACCOUNT_PROBLEMS, text)
}
