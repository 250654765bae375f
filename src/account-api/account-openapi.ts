// The OpenAPI document of the account API. collected-document.ts collects the operations, which
// documented-account-route.ts describes; this file adds errors, headers and schema references.
import type { TSchema } from '@sinclair/typebox'
import { UsageSchema } from '../contract/usage.schema.ts'
import {
  type Answer,
  collectDocument,
  finishOperations,
  type Operation,
  type Paths,
  type ServedRoute,
} from '../docs/collected-document.ts'
import { componentSchemas, type SchemaNames, toPlain } from '../docs/openapi-schema.ts'
import { ACCOUNT_PROBLEMS, type AccountReason } from '../http/account-problem.ts'
import { VERSION } from '../system/version.ts'
import type { AccountAddresses } from './account-api.ts'
import type { AccountRoute } from './account-route.ts'
import { ACCOUNT_ROUTE_LIST } from './account-routes.ts'
import * as answers from './answers.schema.ts'
import { isBody } from './bodies.schema.ts'
import { isSecure } from './cookies.ts'
import { sessionCookieName } from './session-cookie.ts'

const NAMES: SchemaNames = new Map<TSchema, string>([
  [answers.AccountSchema, 'Account'],
  [answers.SessionSchema, 'Session'],
  [answers.ListedSessionSchema, 'ListedSession'],
  [answers.SessionsSchema, 'Sessions'],
  [answers.VisitorSchema, 'Visitor'],
  [answers.PasskeySchema, 'Passkey'],
  [answers.PasskeysSchema, 'Passkeys'],
  [answers.PasskeyOptionsSchema, 'PasskeyOptions'],
  [answers.FactorSchema, 'Factor'],
  [answers.FactorSetupSchema, 'FactorSetup'],
  [answers.RecoveryCodesSchema, 'RecoveryCodes'],
  [answers.KeySchema, 'Key'],
  [answers.UsedKeySchema, 'UsedKey'],
  [answers.KeysSchema, 'Keys'],
  [answers.MadeKeySchema, 'MadeKey'],
  [UsageSchema, 'Usage'],
  [answers.DailyUsageSchema, 'DailyUsage'],
  [answers.RouteUsageSchema, 'RouteUsage'],
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
  'Second factor': 'Codes from an authenticator app, and passkeys.',
  Keys: 'The keys of an account.',
  'Use and billing': 'Usage, costs, statements and events.',
  Service: 'Service health.',
}

const INTRODUCTION = `The API behind the console. Request bodies are JSON with \`Content-Type: application/json\`.

Logging in starts a session: the response sets its cookie and contains a \`csrf_token\`. Send this token in \`X-CSRF-Token\`
with every request that changes something. A session ends after 8 hours without use, after 7 days, on logout, and when
the password changes. Data API keys only work for \`/v1/me\`, and need the scope \`account:read\`.

Requests cost no units, and responses must not be cached. Errors are \`application/problem+json\` (RFC 9457).`

const EVERY_ROUTE: readonly AccountReason[] = [
  'malformed_request',
  'content_too_large',
  'uri_too_long',
  'rate_limited',
  'internal_error',
]

/** The reasons for all errors that a route may return, ordered by status. */
export function accountRefusalsOf(route: AccountRoute): AccountReason[] {
  const reasons = new Set<AccountReason>([...EVERY_ROUTE, ...route.refusals])
  if (route.tag !== 'Service') reasons.add('store_unavailable')
  if (route.access === 'session') reasons.add('session_required')
  if (route.method !== 'get') reasons.add('csrf_failed')
  if (isBody(route.body)) reasons.add('invalid_request').add('unsupported_media_type')
  const all = Object.entries(ACCOUNT_PROBLEMS).flatMap(([reason]) => (isReason(reason) ? [reason] : []))
  return all.filter((reason) => reasons.has(reason))
}

const OPERATION_IDS = ACCOUNT_ROUTE_LIST.map(({ name }) => name)

/** The document as JSON. */
export function accountOpenApiDocument(
  routes: readonly ServedRoute[],
  { addresses, pages }: { readonly addresses: AccountAddresses; readonly pages: readonly string[] },
): Promise<string> {
  const finish = (paths: Paths) => ({
    openapi: '3.1.0',
    info: {
      title: 'Quai accounts',
      version: VERSION,
      summary: 'Accounts, keys and usage.',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: addresses.accountUrl, description: 'This service' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: toPlain(
      finishOperations(paths, OPERATION_IDS, (operation) => finishOperation(operation, addresses)),
      NAMES,
    ),
    components: {
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookieName(isSecure(addresses)),
          description: 'Session cookie, set by logging in.',
        },
        csrf: {
          type: 'apiKey',
          in: 'header',
          name: 'X-CSRF-Token',
          description: "The session's `csrf_token`, required for every change.",
        },
        key: { type: 'http', scheme: 'bearer', description: 'A key with the scope account:read.' },
      },
      schemas: componentSchemas(NAMES),
    },
  })
  return collectDocument({ routes, pages, finish })
}

/** Adds headers and errors to an operation from account-routes.ts; returns other operations unchanged. */
function finishOperation(operation: Operation, addresses: AccountAddresses): Operation {
  const route = ACCOUNT_ROUTE_LIST.find(({ name }) => name === operation.operationId)
  if (route === undefined) return operation
  const answer = operation.responses[route.status]
  if (answer === undefined) return operation
  const responses = { [route.status]: { ...answer, headers: headersOf(route) }, ...refusals(route, addresses) }
  return { ...operation, responses }
}

function headersOf({ setsCookie }: AccountRoute) {
  const cookie = {
    'Set-Cookie': {
      description: 'The session cookie; after a login, also a cookie that marks this browser as known to the account.',
      schema: { type: 'string' },
    },
  }
  return {
    'X-Request-Id': { description: 'Id of this request in the log.', schema: { type: 'string' } },
    ...(setsCookie === true ? cookie : {}),
  }
}

/** One error response per status, with an example per reason. */
function refusals(route: AccountRoute, { baseUrl }: AccountAddresses): Record<string, Answer> {
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

function problemExample(reason: AccountReason, baseUrl: string) {
  const { status, code, title, sentence } = ACCOUNT_PROBLEMS[reason]
  const requestId = '7f3c2a10-1'
  const type = `${baseUrl}/docs/errors#${reason}`
  return { type, title, status, detail: sentence, instance: requestId, reason, code, request_id: requestId }
}

function isReason(text: string): text is AccountReason {
  return Object.hasOwn(ACCOUNT_PROBLEMS, text)
}
