// Response schemas of the account API. Timestamps are RFC 3339 in UTC. Amounts are in whole cents.
import { Type } from '@sinclair/typebox'
import { ACTORS, EVENT_KINDS } from '../accounts/account-event.ts'
import { nullable } from '../contract/envelope.schema.ts'
import { PlanWord, UsageSchema } from '../contract/usage.schema.ts'
import { ACCOUNT_PROBLEMS } from '../http/account-problem.ts'

const Instant = Type.String({ format: 'date-time' })
const Day = Type.String({ format: 'date' })
const Month = Type.String({ pattern: '^\\d{4}-\\d{2}$', examples: ['2026-10'] })
const Count = Type.Integer({ minimum: 0 })
const Cents = Type.Integer({ minimum: 0, description: 'Amount in cents.' })

const Propagation = Type.Optional(
  Type.Literal('pending', {
    description:
      'Only present in the response to a change, if the service has several replicas and some have not applied the ' +
      'change yet. The change is stored.',
  }),
)

/** An account. */
export const AccountSchema = Type.Object({
  id: Type.String(),
  email: nullable(
    Type.String({ description: 'Email address; null once it is erased, 14 days after the account is deleted.' }),
  ),
  plan: PlanWord,
  state: Type.String({ enum: ['active', 'unverified', 'suspended', 'deleted'] }),
  active_keys: Count,
  key_limit: Count,
  overage_enabled: Type.Boolean({ description: 'Whether overage is on. Has no effect on plans without overage.' }),
  spend_cap_cents: Cents,
  created_at: Instant,
  propagation: Propagation,
})

/** The current session. */
export const SessionSchema = Type.Object({
  account: AccountSchema,
  csrf_token: Type.String({
    description: 'Token for the X-CSRF-Token header of every request that changes something.',
  }),
  api_url: Type.String({ format: 'uri', description: 'URL of the data API.' }),
  explorer_url: nullable(Type.String({ format: 'uri', description: 'URL of the explorer map; null if it is off.' })),
  currency: Type.String({ description: 'Currency of all amounts, as an ISO 4217 code.', examples: ['EUR'] }),
  plans: Type.Array(
    Type.Object({
      plan: PlanWord,
      price_text: Type.String({ description: "Price of the plan, in the operator's words; can be empty." }),
      self_service: Type.Boolean({
        description: 'Whether owners can choose the plan. Otherwise, only the operator can.',
      }),
      included_units: Count,
      key_limit: Count,
      overage_available: Type.Boolean(),
      overage_unit_amount_decimal: Type.String({
        description: 'Price of one overage unit, in cents, as a decimal string.',
      }),
    }),
    { description: 'All plans that the service offers.' },
  ),
})

/** A session in the list of sessions. */
export const ListedSessionSchema = Type.Object({
  id: Type.String({ description: 'Identifies the session in lists. It does not grant access.' }),
  created_at: Instant,
  last_used_at: Type.String({ format: 'date-time', description: 'Time of the last use, accurate to a minute.' }),
  device: nullable(
    Type.String({
      description: 'Browser and system, from the User-Agent header; null if unknown.',
      examples: ['Firefox on Linux'],
    }),
  ),
  is_current: Type.Boolean({ description: 'Whether this request belongs to the session.' }),
})

/** The open sessions of an account. */
export const SessionsSchema = Type.Object({
  sessions: Type.Array(ListedSessionSchema, { description: 'Open sessions, newest first.' }),
})

/** The second factor of an account. */
export const FactorSchema = Type.Object({
  enabled_at: nullable(
    Type.String({ format: 'date-time', description: 'When the second factor was turned on; null if it is off.' }),
  ),
  recovery_codes_left: Count,
})

/** The secret for setting up an authenticator app. */
export const FactorSetupSchema = Type.Object({
  secret: Type.String({ description: 'The secret in base 32, to type into an app.' }),
  uri: Type.String({ description: 'The `otpauth:` address, to show as a QR code.' }),
})

/** New recovery codes. */
export const RecoveryCodesSchema = Type.Object({
  recovery_codes: Type.Array(Type.String(), {
    description: 'Each code works once. The codes are only shown in this response.',
  }),
})

/** A passkey. */
export const PasskeySchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  created_at: Instant,
  last_used_at: nullable(
    Type.String({ format: 'date-time', description: 'Time of the last use; null if the passkey has never been used.' }),
  ),
})

/** The passkeys of an account. */
export const PasskeysSchema = Type.Object({
  passkeys: Type.Array(PasskeySchema, { description: 'Passkeys, oldest first.' }),
})

/** The options for creating or using a passkey in a browser. */
export const PasskeyOptionsSchema = Type.Object({
  options: Type.Object(
    { challenge: Type.String({ description: 'Valid for five minutes and for one use.' }) },
    { additionalProperties: true, description: 'Options for `navigator.credentials`, as JSON (WebAuthn Level 3).' },
  ),
})

/** A visitor to the console, with or without a session. */
export const VisitorSchema = Type.Object({
  session: nullable(SessionSchema),
})

const KEY = {
  id: Type.String(),
  account: nullable(Type.String({ description: "The account's email address; null once it is erased." })),
  name: Type.String(),
  prefix: Type.String({ examples: ['quai_p_'] }),
  last_four: Type.String(),
  state: Type.String({ enum: ['active', 'revoked', 'expired', 'suspended'] }),
  scopes: Type.Array(Type.String({ examples: ['transit:read'] })),
  audience: Type.String({ description: 'The host that accepts this key.' }),
  created_at: Instant,
  expires_at: nullable(
    Type.String({ format: 'date-time', description: 'When the key expires; null if it never does.' }),
  ),
  revoked_at: nullable(
    Type.String({ format: 'date-time', description: 'When the key was revoked; null if it was not.' }),
  ),
}

/** A key, without its secret. */
export const KeySchema = Type.Object({ ...KEY, propagation: Propagation })

/** A key with its usage. */
export const UsedKeySchema = Type.Object({
  ...KEY,
  last_used_at: nullable(
    Type.String({ format: 'date-time', description: 'Time of the last use; null if the key has never been used.' }),
  ),
  units_today: Count,
  units_this_month: Count,
})

/** The keys of an account. */
export const KeysSchema = Type.Object({
  keys: Type.Array(UsedKeySchema, { description: 'Keys, oldest first.' }),
  revoked_not_shown: Type.Integer({
    minimum: 0,
    description: 'Number of keys omitted from the list: the oldest revoked keys.',
  }),
})

/** A newly created key. */
export const MadeKeySchema = Type.Object({
  key: Type.String({ description: 'The key itself. Only shown in this response.' }),
  listing: KeySchema,
  curl: Type.String({ description: 'A curl command with the key, ready to paste.' }),
  propagation: Propagation,
})

/** The response to a change that some replicas have not applied yet. */
export const PendingSchema = Type.Object({ propagation: Type.Literal('pending') })

/** Usage of one key on one UTC day. */
export const KeyDaySchema = Type.Object({
  date: Day,
  key_id: Type.String(),
  key_name: Type.String(),
  units: Count,
  calls: Count,
})

/** Usage of each key per day. */
export const DailyUsageSchema = Type.Object({
  from: Day,
  to: Day,
  usage: UsageSchema,
  days: Type.Array(KeyDaySchema, { description: 'Usage by day and key; days without usage are omitted.' }),
})

/** Number of responses sent to one key on one route. */
export const RouteAnswersSchema = Type.Object({
  key_id: Type.String(),
  key_name: Type.String(),
  route: Type.String({
    description: 'The path, with parameter names instead of ids. `other` counts requests for unknown paths.',
    examples: ['/v1/stops/{id}/departures'],
  }),
  answered: Type.Number({ minimum: 0, description: 'Number of responses with status 2xx or 304.' }),
  refused: Type.Number({ minimum: 0, description: 'Number of responses with status 4xx other than 429.' }),
  over_limit: Type.Number({
    minimum: 0,
    description: 'Number of responses with status 429: too many requests, or no units left.',
  }),
  failed: Type.Number({ minimum: 0, description: 'Number of responses with status 5xx.' }),
})

/** Number of responses by key and route. */
export const RouteUsageSchema = Type.Object({
  from: Day,
  to: Day,
  routes: Type.Array(RouteAnswersSchema, { description: 'Numbers of responses by key and route, largest first.' }),
})

const STATEMENT = {
  month: Month,
  closed_at: Instant,
  units: Count,
  included_units: Count,
  overage_units: Count,
  amount_cents: Cents,
  plan: PlanWord,
}

/** A statement in the list of statements. */
export const ListedStatementSchema = Type.Object(STATEMENT)

/** The statements of closed months. */
export const StatementsSchema = Type.Object({
  statements: Type.Array(ListedStatementSchema, { description: 'Statements, newest first.' }),
})

/** The statement of a closed month. Decimal strings are exact amounts. */
export const StatementSchema = Type.Object({
  account_id: Type.String(),
  ...STATEMENT,
  currency: Type.Optional(
    Type.String({ description: 'ISO 4217 code. Absent if an earlier version of the service created the statement.' }),
  ),
  period: Type.Object({ from: Instant, to: Instant }),
  calls: Count,
  charges: Type.Array(
    Type.Object({
      plan: PlanWord,
      units: Count,
      unit_amount_decimal: Type.String(),
      amount_decimal: Type.String(),
    }),
    { description: 'Overage units, by price.' },
  ),
  amount_decimal: Type.String(),
  lines: Type.Array(KeyDaySchema, { description: 'Usage by day and key.' }),
})

/** A change to an account or one of its keys. */
export const EventSchema = Type.Object({
  id: Type.String(),
  at: Instant,
  kind: Type.String({ enum: [...EVENT_KINDS], description: 'More values may be added.' }),
  key_id: nullable(Type.String({ description: 'Id of the affected key; null if the event concerns the account.' })),
  actor: Type.String({ enum: [...ACTORS] }),
  detail: Type.Object(
    {},
    { additionalProperties: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]) },
  ),
})

/** The events of an account. */
export const EventsSchema = Type.Object({
  events: Type.Array(EventSchema, { description: 'Events, newest first.' }),
  next_cursor: nullable(
    Type.String({ description: 'Send it as `cursor` to get the next page; null on the last page.' }),
  ),
})

/** The account that a key or a session belongs to. */
export const MeSchema = Type.Object({
  data: Type.Object({ account: AccountSchema, usage: UsageSchema }),
  meta: Type.Object({ generated_at: Instant, units: Count }),
})

/** A message that is the same for every address, whether or not the address has an account. */
export const MessageSchema = Type.Object({ message: Type.String() })

/** Health of the account API. */
export const AccountHealthSchema = Type.Object({
  data: Type.Object({ status: Type.Literal('ok'), service: Type.Literal('account-api') }),
})

/** An error as application/problem+json (RFC 9457). */
export const AccountProblemSchema = Type.Object({
  type: Type.String({ format: 'uri', description: 'URL of the documentation for this reason.' }),
  title: Type.String(),
  status: Type.Integer({ minimum: 400, maximum: 599 }),
  detail: Type.String({ description: 'Human-readable explanation of this error.' }),
  instance: Type.String({ description: 'Same as `request_id`.' }),
  reason: Type.String({
    enum: Object.keys(ACCOUNT_PROBLEMS),
    description: 'Machine-readable error reason. More values may be added.',
  }),
  code: Type.String({ examples: ['ACCT3-1401'] }),
  request_id: Type.String(),
})
