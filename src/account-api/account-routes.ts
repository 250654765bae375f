// The documented routes of the account API. A test compares this table with the served routes, and the responses in the
// account API's tests with these schemas.
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
  PendingSchema,
  SessionSchema,
  StatementSchema,
  StatementsSchema,
  VisitorSchema,
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
  /** In Elysia's syntax. */
  readonly path: string
  /** Title of the operation: an imperative of two to four words. */
  readonly summary: string
  readonly description: string
  readonly tag: 'Sign-up and log-in' | 'Keys' | 'Use and billing' | 'Service'
  /** `either` is a key with the scope account:read, or a session. */
  readonly access: 'open' | 'session' | 'either'
  /** `NO_BODY` if the route has no request body. */
  readonly body: TSchema
  /** Query parameters, all optional. */
  readonly query?: Readonly<Record<string, TSchema>>
  readonly status: 200 | 201 | 202 | 204
  /** Undefined for 204. */
  readonly answer?: TSchema
  /** The body of a 202, in a cluster, while not all replicas apply the change. */
  readonly pending?: TSchema
  /** Another media type of the response, besides JSON. */
  readonly otherType?: string
  /** Starts or ends a session with Set-Cookie. */
  readonly setsCookie?: boolean
  /** Errors specific to this route; the common ones are added. */
  readonly refusals: readonly AccountReason[]
}

const DAY = Type.String({ format: 'date', description: 'A UTC day.' })
const DOORS = 'Sign-up and log-in'
const BILLS = 'Use and billing'

function row<const Row extends AccountRoute>(route: Row): Row {
  return route
}

/** Every route except the console's pages and the document itself. */
export const ACCOUNT_ROUTES = {
  signUp: row({
    name: 'signUp',
    method: 'post',
    path: '/v1/sign-up',
    summary: 'Sign up',
    description: 'Creates an account and sends a verification link by e-mail. Repeat the request to resend the link.',
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
    summary: 'Verify e-mail address',
    description: 'Verifies the e-mail address with the token from the mailed link, and starts a session.',
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
    summary: 'Log in',
    description:
      'Starts a session, and sets a cookie that makes this browser known to the account for 180 days. Attempts from ' +
      'known browsers are counted separately. After 100 failed attempts from unknown browsers within 24 hours, an ' +
      'unknown browser can only log in with the link of a password reset.',
    tag: DOORS,
    access: 'open',
    body: LOG_IN,
    status: 200,
    answer: SessionSchema,
    setsCookie: true,
    refusals: [
      'wrong_credentials',
      'session_required',
      'account_suspended',
      'mail_link_required',
      'too_many_tries',
      'overloaded',
    ],
  }),
  getSession: row({
    name: 'getSession',
    method: 'get',
    path: '/v1/session',
    summary: 'Get session',
    description: 'Returns the account of the session and its CSRF token.',
    tag: DOORS,
    access: 'session',
    body: NO_BODY,
    status: 200,
    answer: SessionSchema,
    refusals: [],
  }),
  getVisitor: row({
    name: 'getVisitor',
    method: 'get',
    path: '/v1/visitor',
    summary: 'Get visitor',
    description: 'Returns the session of this browser, or null if it has none. A missing session is not an error.',
    tag: DOORS,
    access: 'open',
    body: NO_BODY,
    status: 200,
    answer: VisitorSchema,
    refusals: [],
  }),
  logOut: row({
    name: 'logOut',
    method: 'delete',
    path: '/v1/sessions/current',
    summary: 'Log out',
    description: 'Ends this session.',
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
    summary: 'Log out everywhere',
    description: 'Ends all sessions of the account.',
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
    summary: 'Request password reset',
    description: 'Sends a reset link by e-mail if the address has an account. The response is the same in either case.',
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
    summary: 'Reset password',
    description: 'Sets a new password with the token from the reset link, ends all sessions, and starts a new one.',
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
    summary: 'Change password',
    description:
      'Changes the password and ends all other sessions. The X-CSRF-Token response header contains the new CSRF token.',
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
    summary: 'List keys',
    description: 'The keys of the account, with their usage.',
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
    summary: 'Create a key',
    description: 'Creates a key. The response is the only place where the key is shown.',
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
    summary: 'Rename a key',
    description: 'Changes the name of a key.',
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
    summary: 'Revoke a key',
    description: 'Revokes a key. Its next request fails. This cannot be undone.',
    tag: 'Keys',
    access: 'session',
    body: NO_BODY,
    status: 204,
    pending: PendingSchema,
    refusals: ['not_found'],
  }),
  getMe: row({
    name: 'getMe',
    method: 'get',
    path: '/v1/me',
    summary: 'Get account and usage',
    description: 'The account and its usage. Requires a session, or a key with the scope account:read.',
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
    summary: 'Get daily usage',
    description: 'Units and calls per key and day. Default: the current month.',
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
    summary: 'Update billing',
    description: 'Turns overage on or off, and sets the spend cap.',
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
    summary: 'List statements',
    description: 'The statements of closed months.',
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
    summary: 'Get a statement',
    description: 'The statement of a closed month, as JSON or CSV.',
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
    summary: 'List events',
    description: 'Changes to the account and its keys, newest first.',
    tag: BILLS,
    access: 'session',
    body: NO_BODY,
    query: {
      limit: Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 20,
        description: 'Maximum number of events to return.',
      }),
      cursor: Type.String({ description: '`next_cursor` of the previous page.' }),
    },
    status: 200,
    answer: EventsSchema,
    refusals: ['invalid_request'],
  }),
  getAccountHealth: row({
    name: 'getAccountHealth',
    method: 'get',
    path: '/v1/health',
    summary: 'Check service health',
    description: 'Returns 200 while the account API is running.',
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
