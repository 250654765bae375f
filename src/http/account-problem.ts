// Every account API error, by reason, as in `problem.ts`. If the data API has the same reason, both APIs use one code.
import { PROBLEMS, type Problem, type ProblemTable } from './problem.ts'

/** Every error reason in the account API, ordered by status. */
export const ACCOUNT_PROBLEMS = {
  invalid_request: {
    status: 400,
    code: 'ACCT3-1400',
    title: 'Invalid request',
    sentence: 'A member or parameter of the request is missing, unknown or has a value that is not allowed.',
  },
  invalid_token_link: {
    status: 400,
    code: 'ACCT3-2400',
    title: 'Link no longer valid',
    sentence: 'The link is invalid, was already used, or is more than an hour old. Request a new one.',
  },
  password_refused: {
    status: 400,
    code: 'ACCT3-3400',
    title: 'Password refused',
    sentence:
      'The password is not allowed. Use 8 to 1000 characters, and neither a common password nor the email address.',
  },
  passkey_refused: {
    status: 400,
    code: 'ACCT3-4400',
    title: 'Passkey refused',
    sentence: 'The passkey is unknown, or its response is not valid. Get a new challenge and try again.',
  },
  malformed_request: PROBLEMS.malformed_request,
  session_required: {
    status: 401,
    code: 'ACCT3-1401',
    title: 'Session required',
    sentence: 'No session was sent, or the session has ended. Log in first.',
  },
  wrong_credentials: {
    status: 401,
    code: 'ACCT3-2401',
    title: 'Wrong credentials',
    sentence:
      'The email address or password is wrong, or the address is not verified. Check the address and the password, or reset the password.',
  },
  factor_required: {
    status: 401,
    code: 'ACCT3-3401',
    title: 'Second factor required',
    sentence:
      'The second factor of this account is on. Send the request again, with a code from the authenticator app or a ' +
      'recovery code in the member "code".',
  },
  wrong_code: {
    status: 401,
    code: 'ACCT3-4401',
    title: 'Wrong code',
    sentence:
      "The code is wrong, too old, or was used before. Wait for the app's next code, and check the device's clock.",
  },
  authentication_required: PROBLEMS.authentication_required,
  invalid_token: PROBLEMS.invalid_token,
  insufficient_scope: {
    ...PROBLEMS.insufficient_scope,
    sentence:
      'The API key lacks the scope account:read, was issued for another service, or is not a personal key (quai_p_…). ' +
      'Create a key with this scope in the account console.',
  },
  csrf_failed: {
    status: 403,
    code: 'ACCT3-1403',
    title: 'Cross-site request refused',
    sentence:
      'The X-CSRF-Token header is missing or wrong, or the request came from another site. ' +
      "Send the session's csrf_token in X-CSRF-Token.",
  },
  account_suspended: {
    status: 403,
    code: 'ACCT3-2403',
    title: 'Account suspended',
    sentence: 'This account is suspended. Contact the service operator.',
  },
  not_allowed: {
    status: 403,
    code: 'ACCT3-3403',
    title: 'Not allowed',
    sentence: 'The plan or state of this account does not allow this change.',
  },
  confirmation_required: {
    status: 403,
    code: 'ACCT3-5403',
    title: 'Password required',
    sentence:
      'This change requires a login within the last 15 minutes. ' +
      'Send the password to POST /v1/sessions/current/confirmations, then try again.',
  },
  mail_link_required: {
    status: 403,
    code: 'ACCT3-4403',
    title: 'Log in by email',
    sentence:
      'There were too many failed logins with this email address in the last 24 hours. ' +
      'Request a password reset: the link in the email logs you in.',
  },
  email_verification_required: PROBLEMS.email_verification_required,
  not_found: PROBLEMS.not_found,
  method_not_allowed: {
    ...PROBLEMS.method_not_allowed,
    sentence: 'Method not allowed on this resource. See /openapi.json for the methods of each route.',
  },
  key_limit_reached: {
    status: 409,
    code: 'SCTY3-1409',
    title: 'Key limit reached',
    sentence: 'The account has the maximum number of active keys for its plan. Revoke a key first, or change the plan.',
  },
  content_too_large: {
    ...PROBLEMS.content_too_large,
    sentence:
      'The request body is larger than 16384 bytes, or its length is unknown. Send a shorter body with Content-Length.',
  },
  uri_too_long: PROBLEMS.uri_too_long,
  unsupported_media_type: {
    status: 415,
    code: 'ACCT3-1415',
    title: 'Unsupported media type',
    sentence: 'The Content-Type of the request is not supported. Send JSON with Content-Type: application/json.',
  },
  too_many_tries: {
    status: 429,
    code: 'ACCT3-1429',
    title: 'Too many attempts',
    sentence:
      'Too many attempts for this account or from this IP address within 15 minutes. ' +
      'Wait for the number of seconds in Retry-After, then try again.',
  },
  too_many_changes: {
    status: 429,
    code: 'ACCT3-2429',
    title: 'Too many changes',
    sentence:
      'Too many changes to this account within an hour. Wait for the number of seconds in Retry-After, then try again.',
  },
  rate_limited: {
    ...PROBLEMS.rate_limited,
    sentence:
      'Too many requests: the rate limit of the plan or this IP address has been reached. ' +
      'Wait for the number of seconds in Retry-After, then try again.',
  },
  internal_error: PROBLEMS.internal_error,
  store_unavailable: {
    status: 503,
    code: 'ACCT3-1503',
    title: 'Store unavailable',
    sentence:
      'The account database is unavailable. API keys still work. Wait for the number of seconds in Retry-After, then try again.',
  },
  overloaded: PROBLEMS.overloaded,
} as const

/** The reason for an account API error. */
export type AccountReason = keyof typeof ACCOUNT_PROBLEMS

/** Whether a string is an error reason in the account API. */
export function isAccountReason(reason: string): reason is AccountReason {
  return Object.hasOwn(ACCOUNT_PROBLEMS, reason)
}

/** An expected error in the account API. */
export type AccountProblem = Problem<AccountReason>

/** The account API's errors, with their headers. */
export const ACCOUNT_API_PROBLEMS: ProblemTable<AccountReason> = {
  kinds: ACCOUNT_PROBLEMS,
  retryAfterSeconds: { store_unavailable: 5, overloaded: 5 },
  challenges: {
    authentication_required: 'Bearer realm="account"',
    invalid_token: 'Bearer realm="account", error="invalid_token"',
    insufficient_scope: 'Bearer realm="account", error="insufficient_scope", scope="account:read"',
  },
}
