// Every error answer of the account API by reason, in the manner of `problem.ts`. Reasons that the data API has too
// keep its codes.
import { PROBLEMS, type Problem, type ProblemTable } from './problem.ts'

/** Every reason an answer of the account API may carry, in the order of their statuses. */
export const ACCOUNT_PROBLEMS = {
  invalid_request: {
    status: 400,
    code: 'ACCT3-1400',
    title: 'Invalid request',
    sentence: 'The request has a member or a parameter that is missing, unknown or not allowed.',
  },
  invalid_token_link: {
    status: 400,
    code: 'ACCT3-2400',
    title: 'Link no longer valid',
    sentence: 'The link has been used already, is older than an hour, or was never sent.',
  },
  password_refused: {
    status: 400,
    code: 'ACCT3-3400',
    title: 'Password refused',
    sentence: 'A password has 8 to 1000 characters, is not among the most common ones and is not the e-mail address.',
  },
  malformed_request: PROBLEMS.malformed_request,
  session_required: {
    status: 401,
    code: 'ACCT3-1401',
    title: 'Session required',
    sentence: 'This request needs a session: log in first.',
  },
  wrong_credentials: {
    status: 401,
    code: 'ACCT3-2401',
    title: 'Wrong credentials',
    sentence: 'The e-mail address or the password is wrong, or the address is not confirmed yet.',
  },
  authentication_required: PROBLEMS.authentication_required,
  invalid_token: PROBLEMS.invalid_token,
  insufficient_scope: {
    ...PROBLEMS.insufficient_scope,
    sentence: 'The key was issued for another service, lacks the scope account:read, or is not personal.',
  },
  csrf_failed: {
    status: 403,
    code: 'ACCT3-1403',
    title: 'Not from this site',
    sentence:
      'A change needs the header X-CSRF-Token of its session, and has to come from the console or from no page.',
  },
  account_suspended: {
    status: 403,
    code: 'ACCT3-2403',
    title: 'Account suspended',
    sentence: 'The operator has suspended this account.',
  },
  not_allowed: {
    status: 403,
    code: 'ACCT3-3403',
    title: 'Not allowed',
    sentence: 'The plan of this account does not allow it.',
  },
  email_verification_required: PROBLEMS.email_verification_required,
  not_found: PROBLEMS.not_found,
  method_not_allowed: {
    ...PROBLEMS.method_not_allowed,
    sentence: 'This address is not asked by this method.',
  },
  key_limit_reached: {
    status: 409,
    code: 'SCTY3-1409',
    title: 'Key limit reached',
    sentence: 'The account has as many active keys as its plan allows.',
  },
  content_too_large: {
    ...PROBLEMS.content_too_large,
    sentence: 'A body of more than 16384 bytes, or of unknown length, is not read.',
  },
  uri_too_long: PROBLEMS.uri_too_long,
  unsupported_media_type: {
    status: 415,
    code: 'ACCT3-1415',
    title: 'Unsupported media type',
    sentence: 'A body is JSON, and says so: Content-Type: application/json.',
  },
  too_many_tries: {
    status: 429,
    code: 'ACCT3-1429',
    title: 'Too many tries',
    sentence: 'There were ten tries in fifteen minutes for this account or from this address.',
  },
  too_many_changes: {
    status: 429,
    code: 'ACCT3-2429',
    title: 'Too many changes',
    sentence: 'The account was changed as often as it may be within an hour.',
  },
  rate_limited: {
    ...PROBLEMS.rate_limited,
    sentence: 'Requests come faster than the plan, or the limit of an address, allows.',
  },
  internal_error: PROBLEMS.internal_error,
  store_unavailable: {
    status: 503,
    code: 'ACCT3-1503',
    title: 'Store unavailable',
    sentence: 'The database of accounts does not answer at the moment. Keys go on working.',
  },
  overloaded: PROBLEMS.overloaded,
} as const

/** A reason of the table. */
export type AccountReason = keyof typeof ACCOUNT_PROBLEMS

/** Whether a reason is one of the account API. */
export function isAccountReason(reason: string): reason is AccountReason {
  return Object.hasOwn(ACCOUNT_PROBLEMS, reason)
}

/** An expected refusal of the account API. */
export type AccountProblem = Problem<AccountReason>

/** The account API's table. */
export const ACCOUNT_API_PROBLEMS: ProblemTable<AccountReason> = {
  kinds: ACCOUNT_PROBLEMS,
  retryAfterSeconds: { store_unavailable: 5, overloaded: 5 },
  challenges: {
    authentication_required: 'Bearer realm="account"',
    invalid_token: 'Bearer realm="account", error="invalid_token"',
    insufficient_scope: 'Bearer realm="account", error="insufficient_scope", scope="account:read"',
  },
}
