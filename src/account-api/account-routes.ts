// The routes of the account API as its document tells of them. The test of the document holds this table against the
// routes that are served, and every answer of the account API's tests against what is said here.
import { type TSchema, Type } from '@sinclair/typebox'
import type { AccountReason } from '../http/account-problem.ts'
import {
  AccountHealthSchema,
  AccountSchema,
  DailyUsageSchema,
  EventsSchema,
  KeySchema,
  KeysSchema,
  MadeKeySchema,
  MeSchema,
  MessageSchema,
  SessionSchema,
  StatementSchema,
  StatementsSchema,
} from './answers.schema.ts'
import {
  BILLING,
  KEY_NAME,
  LOG_IN,
  NEW_KEY,
  NO_BODY,
  PASSWORD_CHANGE,
  RESET_CONFIRMATION,
  RESET_REQUEST,
  SIGN_UP,
  VERIFICATION,
} from './bodies.schema.ts'

/** One route. */
export interface AccountRoute {
  readonly name: string
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** As Elysia writes it. */
  readonly path: string
  readonly summary: string
  readonly tag: 'Sign-up and log-in' | 'Keys' | 'Use and billing' | 'Service'
  /** `either` is a key with the scope account:read, or a session. */
  readonly access: 'open' | 'session' | 'either'
  /** `NO_BODY` if the route takes none. */
  readonly body: TSchema
  /** Query parameters, none of which is required. */
  readonly query?: Readonly<Record<string, TSchema>>
  readonly status: 200 | 201 | 202 | 204
  /** None with 204. */
  readonly answer?: TSchema
  /** Another media type that the same route may answer. */
  readonly otherType?: string
  /** Begins a session or ends it, by Set-Cookie. */
  readonly setsCookie?: boolean
  /** Beside those every route of its kind has. */
  readonly refusals: readonly AccountReason[]
}

const DAY = Type.String({ format: 'date', description: 'A UTC day.' })
const DOORS = 'Sign-up and log-in'
const BILLS = 'Use and billing'

function row<const Row extends AccountRoute>(route: Row): Row {
  return route
}

/** Every route but the console's pages and the document itself. */
export const ACCOUNT_ROUTES = {
  signUp: row({
    name: 'signUp',
    method: 'post',
    path: '/v1/sign-up',
    summary: 'Opens an account: sends a mail with a link. Asked again, sends it again',
    tag: DOORS,
    access: 'open',
    body: SIGN_UP,
    status: 202,
    answer: MessageSchema,
    refusals: ['password_refused', 'too_many_tries', 'overloaded'],
  }),
  verify: row({
    name: 'verify',
    method: 'post',
    path: '/v1/verifications',
    summary: 'Uses the link of a sign-up, and logs in',
    tag: DOORS,
    access: 'open',
    body: VERIFICATION,
    status: 200,
    answer: SessionSchema,
    setsCookie: true,
    refusals: ['invalid_token_link', 'session_required', 'too_many_tries'],
  }),
  logIn: row({
    name: 'logIn',
    method: 'post',
    path: '/v1/sessions',
    summary: 'Logs in',
    tag: DOORS,
    access: 'open',
    body: LOG_IN,
    status: 200,
    answer: SessionSchema,
    setsCookie: true,
    refusals: ['wrong_credentials', 'session_required', 'account_suspended', 'too_many_tries', 'overloaded'],
  }),
  getSession: row({
    name: 'getSession',
    method: 'get',
    path: '/v1/session',
    summary: 'Who is logged in',
    tag: DOORS,
    access: 'session',
    body: NO_BODY,
    status: 200,
    answer: SessionSchema,
    refusals: [],
  }),
  logOut: row({
    name: 'logOut',
    method: 'delete',
    path: '/v1/sessions/current',
    summary: 'Logs out here',
    tag: DOORS,
    access: 'session',
    body: NO_BODY,
    status: 204,
    setsCookie: true,
    refusals: [],
  }),
  logOutEverywhere: row({
    name: 'logOutEverywhere',
    method: 'delete',
    path: '/v1/sessions',
    summary: 'Logs out everywhere',
    tag: DOORS,
    access: 'session',
    body: NO_BODY,
    status: 204,
    setsCookie: true,
    refusals: [],
  }),
  requestPasswordReset: row({
    name: 'requestPasswordReset',
    method: 'post',
    path: '/v1/password-resets',
    summary: 'Sends a link that sets another password, where there is an account',
    tag: DOORS,
    access: 'open',
    body: RESET_REQUEST,
    status: 202,
    answer: MessageSchema,
    refusals: ['too_many_tries'],
  }),
  resetPassword: row({
    name: 'resetPassword',
    method: 'post',
    path: '/v1/password-resets/confirm',
    summary: 'Sets another password by a link, and logs in; all other sessions end',
    tag: DOORS,
    access: 'open',
    body: RESET_CONFIRMATION,
    status: 200,
    answer: SessionSchema,
    setsCookie: true,
    refusals: ['invalid_token_link', 'password_refused', 'session_required', 'too_many_tries', 'overloaded'],
  }),
  changePassword: row({
    name: 'changePassword',
    method: 'put',
    path: '/v1/password',
    summary: 'Changes the password; all other sessions end, and X-CSRF-Token of the answer is the new token',
    tag: DOORS,
    access: 'session',
    body: PASSWORD_CHANGE,
    status: 204,
    setsCookie: true,
    refusals: ['password_refused', 'wrong_credentials', 'too_many_tries', 'overloaded'],
  }),
  listKeys: row({
    name: 'listKeys',
    method: 'get',
    path: '/v1/keys',
    summary: 'The keys, with their use',
    tag: 'Keys',
    access: 'session',
    body: NO_BODY,
    status: 200,
    answer: KeysSchema,
    refusals: [],
  }),
  createKey: row({
    name: 'createKey',
    method: 'post',
    path: '/v1/keys',
    summary: 'Makes a key, which is shown this once',
    tag: 'Keys',
    access: 'session',
    body: NEW_KEY,
    status: 201,
    answer: MadeKeySchema,
    refusals: ['email_verification_required', 'not_allowed', 'key_limit_reached', 'too_many_changes'],
  }),
  renameKey: row({
    name: 'renameKey',
    method: 'patch',
    path: '/v1/keys/:id',
    summary: 'Gives a key another name',
    tag: 'Keys',
    access: 'session',
    body: KEY_NAME,
    status: 200,
    answer: KeySchema,
    refusals: ['not_found', 'too_many_changes'],
  }),
  revokeKey: row({
    name: 'revokeKey',
    method: 'delete',
    path: '/v1/keys/:id',
    summary: 'Revokes a key: it is refused from its next request on',
    tag: 'Keys',
    access: 'session',
    body: NO_BODY,
    status: 204,
    refusals: ['not_found'],
  }),
  getMe: row({
    name: 'getMe',
    method: 'get',
    path: '/v1/me',
    summary: 'Plan and use, for a key with the scope account:read',
    tag: BILLS,
    access: 'either',
    body: NO_BODY,
    status: 200,
    answer: MeSchema,
    refusals: ['authentication_required', 'invalid_token', 'insufficient_scope', 'email_verification_required'],
  }),
  getDailyUsage: row({
    name: 'getDailyUsage',
    method: 'get',
    path: '/v1/usage',
    summary: 'What each key used on each day; of the present month where no days are given',
    tag: BILLS,
    access: 'session',
    body: NO_BODY,
    query: { from: DAY, to: DAY },
    status: 200,
    answer: DailyUsageSchema,
    refusals: ['invalid_request'],
  }),
  setBilling: row({
    name: 'setBilling',
    method: 'patch',
    path: '/v1/billing',
    summary: 'Switches units beyond the included ones on or off, and sets their cap',
    tag: BILLS,
    access: 'session',
    body: BILLING,
    status: 200,
    answer: AccountSchema,
    refusals: ['not_allowed', 'too_many_changes'],
  }),
  listStatements: row({
    name: 'listStatements',
    method: 'get',
    path: '/v1/statements',
    summary: 'Closed months',
    tag: BILLS,
    access: 'session',
    body: NO_BODY,
    status: 200,
    answer: StatementsSchema,
    refusals: [],
  }),
  getStatement: row({
    name: 'getStatement',
    method: 'get',
    path: '/v1/statements/:file',
    summary: 'The statement of a closed month, as JSON or CSV',
    tag: BILLS,
    access: 'session',
    body: NO_BODY,
    status: 200,
    answer: StatementSchema,
    otherType: 'text/csv',
    refusals: ['not_found'],
  }),
  listEvents: row({
    name: 'listEvents',
    method: 'get',
    path: '/v1/events',
    summary: 'What happened to the account and its keys',
    tag: BILLS,
    access: 'session',
    body: NO_BODY,
    query: {
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Events in an answer.' }),
      cursor: Type.String({ description: '`next_cursor` of the page before.' }),
    },
    status: 200,
    answer: EventsSchema,
    refusals: ['invalid_request'],
  }),
  getAccountHealth: row({
    name: 'getAccountHealth',
    method: 'get',
    path: '/v1/health',
    summary: 'Whether the account API is alive',
    tag: 'Service',
    access: 'open',
    body: NO_BODY,
    status: 200,
    answer: AccountHealthSchema,
    refusals: [],
  }),
} as const

/** The rows of the table. */
export const ACCOUNT_ROUTE_LIST: readonly AccountRoute[] = Object.values(ACCOUNT_ROUTES)
