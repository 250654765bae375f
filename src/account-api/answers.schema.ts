// What the account API answers, as its document says. Instants are RFC 3339 in UTC, money is whole cents.
import { Type } from '@sinclair/typebox'
import { ACTORS, EVENT_KINDS } from '../accounts/account-event.ts'
import { nullable } from '../contract/envelope.schema.ts'
import { PlanWord, UsageSchema } from '../contract/usage.schema.ts'
import { ACCOUNT_PROBLEMS } from '../http/account-problem.ts'

const Instant = Type.String({ format: 'date-time' })
const Day = Type.String({ format: 'date' })
const Month = Type.String({ pattern: '^\\d{4}-\\d{2}$', examples: ['2026-10'] })
const Count = Type.Integer({ minimum: 0 })
const Cents = Type.Integer({ minimum: 0, description: 'In cents.' })

/** An account. */
export const AccountSchema = Type.Object({
  id: Type.String(),
  email: nullable(Type.String({ description: 'Null once the account is deleted.' })),
  plan: PlanWord,
  state: Type.String({ enum: ['active', 'unverified', 'suspended', 'deleted'] }),
  active_keys: Count,
  key_limit: Count,
  overage_enabled: Type.Boolean({ description: 'It says nothing on a plan that sells no units.' }),
  spend_cap_cents: Cents,
  created_at: Instant,
})

/** Who is logged in. */
export const SessionSchema = Type.Object({
  account: AccountSchema,
  csrf_token: Type.String({ description: 'Goes into the header X-CSRF-Token with every change.' }),
  api_url: Type.String({ format: 'uri', description: 'Where the data API is.' }),
  explorer_url: nullable(Type.String({ format: 'uri', description: 'Where the explorer map is, if there is one.' })),
})

const KEY = {
  id: Type.String(),
  account: nullable(Type.String({ description: 'The e-mail address of its account.' })),
  name: Type.String(),
  prefix: Type.String({ examples: ['quai_p_'] }),
  last_four: Type.String(),
  state: Type.String({ enum: ['active', 'revoked', 'expired', 'suspended'] }),
  scopes: Type.Array(Type.String({ examples: ['transit:read'] })),
  audience: Type.String({ description: 'The host that it works at.' }),
  created_at: Instant,
  expires_at: nullable(Type.String({ format: 'date-time', description: 'Null where it never expires.' })),
  revoked_at: nullable(Type.String({ format: 'date-time', description: 'Null where it is not revoked.' })),
}

/** A key, without its secret. */
export const KeySchema = Type.Object(KEY)

/** A key with its use. */
export const UsedKeySchema = Type.Object({
  ...KEY,
  last_used_at: nullable(Type.String({ format: 'date-time', description: 'Null where it was never used.' })),
  units_today: Count,
  units_this_month: Count,
})

/** The keys of an account. */
export const KeysSchema = Type.Object({
  keys: Type.Array(UsedKeySchema, { description: 'Oldest first.' }),
  revoked_not_shown: Type.Integer({ minimum: 0, description: 'Revoked keys that are left out, the oldest ones.' }),
})

/** A key that was just made. */
export const MadeKeySchema = Type.Object({
  key: Type.String({ description: 'The key itself: told in this answer only.' }),
  listing: KeySchema,
  curl: Type.String({ description: 'A call to paste, with the key.' }),
})

/** What one key used on one UTC day. */
export const KeyDaySchema = Type.Object({
  date: Day,
  key_id: Type.String(),
  key_name: Type.String(),
  units: Count,
  calls: Count,
})

/** What each key used on each day. */
export const DailyUsageSchema = Type.Object({
  from: Day,
  to: Day,
  usage: UsageSchema,
  days: Type.Array(KeyDaySchema, { description: 'By day and key; days without use are left out.' }),
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

/** A closed month, in a list. */
export const ListedStatementSchema = Type.Object(STATEMENT)

/** Closed months. */
export const StatementsSchema = Type.Object({
  statements: Type.Array(ListedStatementSchema, { description: 'The newest first.' }),
})

/** The statement of a closed month. Amounts that are decimal texts are exact. */
export const StatementSchema = Type.Object({
  account_id: Type.String(),
  ...STATEMENT,
  period: Type.Object({ from: Instant, to: Instant }),
  calls: Count,
  charges: Type.Array(
    Type.Object({
      plan: PlanWord,
      units: Count,
      unit_amount_decimal: Type.String(),
      amount_decimal: Type.String(),
    }),
    { description: 'Units beyond the included ones, by price.' },
  ),
  amount_decimal: Type.String(),
  lines: Type.Array(KeyDaySchema, { description: 'By day and key.' }),
})

/** Something that happened to an account or one of its keys. */
export const EventSchema = Type.Object({
  id: Type.String(),
  at: Instant,
  kind: Type.String({ enum: [...EVENT_KINDS], description: 'More values may be added.' }),
  key_id: nullable(Type.String({ description: 'The key it is about.' })),
  actor: Type.String({ enum: [...ACTORS] }),
  detail: Type.Object(
    {},
    { additionalProperties: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]) },
  ),
})

/** What happened to an account. */
export const EventsSchema = Type.Object({
  events: Type.Array(EventSchema, { description: 'The newest first.' }),
  next_cursor: nullable(Type.String({ description: 'To be given back as `cursor`; null on the last page.' })),
})

/** The account of a key, or of a session. */
export const MeSchema = Type.Object({
  data: Type.Object({ account: AccountSchema, usage: UsageSchema }),
  meta: Type.Object({ generated_at: Instant, units: Count }),
})

/** Said to everybody, whoever an address belongs to. */
export const MessageSchema = Type.Object({ message: Type.String() })

/** The account API is alive. */
export const AccountHealthSchema = Type.Object({
  data: Type.Object({ status: Type.Literal('ok'), service: Type.Literal('account-api') }),
})

/** A refusal, as application/problem+json (RFC 9457). */
export const AccountProblemSchema = Type.Object({
  type: Type.String({ format: 'uri', description: 'Where the reason is explained.' }),
  title: Type.String(),
  status: Type.Integer({ minimum: 400, maximum: 599 }),
  detail: Type.String({ description: 'What was wrong this time, to be read by people.' }),
  instance: Type.String({ description: 'The request, as in `request_id`.' }),
  reason: Type.String({
    enum: Object.keys(ACCOUNT_PROBLEMS),
    description: 'What was refused, to be read by programs. More values may be added.',
  }),
  code: Type.String({ examples: ['ACCT3-1401'] }),
  request_id: Type.String(),
})
