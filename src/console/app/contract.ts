// The account API responses that the page reads.
// Written by `bun run contracts` from the response schemas; do not edit.

/** A plan. */
export type Plan = 'free' | 'pay_as_you_go' | 'starter' | 'pro' | 'max'

/** The account of a session. */
export interface Account {
  readonly id: string
  readonly email: string | null
  readonly plan: Plan
  readonly state: 'active' | 'unverified' | 'suspended' | 'deleted'
  readonly active_keys: number
  readonly key_limit: number
  readonly overage_enabled: boolean
  readonly spend_cap_cents: number
  readonly created_at: string
  readonly propagation?: 'pending'
}

/** A visitor to the console, with or without a session. */
export interface Visitor {
  readonly session: Session | null
}

/** The current session. */
export interface Session {
  readonly account: Account
  readonly csrf_token: string
  readonly api_url: string
  readonly explorer_url: string | null
  readonly currency: string
  readonly plans: readonly {
    readonly plan: Plan
    readonly price_text: string
    readonly self_service: boolean
    readonly included_units: number
    readonly key_limit: number
    readonly overage_available: boolean
    readonly overage_unit_amount_decimal: string
  }[]
}

/** An open session. */
export interface ListedSession {
  readonly id: string
  readonly created_at: string
  readonly last_used_at: string
  readonly device: string | null
  readonly is_current: boolean
}

/** The account's open sessions. */
export interface SessionList {
  readonly sessions: readonly ListedSession[]
}

/** A passkey. */
export interface Passkey {
  readonly id: string
  readonly name: string
  readonly created_at: string
  readonly last_used_at: string | null
}

/** The account's passkeys. */
export interface PasskeyList {
  readonly passkeys: readonly Passkey[]
}

/** The account's second factor. */
export interface Factor {
  readonly enabled_at: string | null
  readonly recovery_codes_left: number
}

/** The secret for setting up an authenticator app. */
export interface FactorSetup {
  readonly secret: string
  readonly uri: string
}

/** New recovery codes, shown only once. */
export interface RecoveryCodes {
  readonly recovery_codes: readonly string[]
}

/** A key, without its secret. */
export interface ListedKey {
  readonly id: string
  readonly account: string | null
  readonly name: string
  readonly prefix: string
  readonly last_four: string
  readonly state: 'active' | 'revoked' | 'expired' | 'suspended'
  readonly scopes: readonly string[]
  readonly audience: string
  readonly created_at: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly propagation?: 'pending'
}

/** A key with its usage. */
export interface Key {
  readonly id: string
  readonly account: string | null
  readonly name: string
  readonly prefix: string
  readonly last_four: string
  readonly state: 'active' | 'revoked' | 'expired' | 'suspended'
  readonly scopes: readonly string[]
  readonly audience: string
  readonly created_at: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly last_used_at: string | null
  readonly units_today: number
  readonly units_this_month: number
}

/** A new key: the only response that contains the key itself. */
export interface MadeKey {
  readonly key: string
  readonly listing: ListedKey
  readonly curl: string
  readonly propagation?: 'pending'
}

/** An account's usage in the current month. */
export interface MonthUsage {
  readonly plan: Plan
  readonly period: string
  readonly included_units: number
  readonly units: number
  readonly remaining: number
  readonly overage_available: boolean
  readonly overage_enabled: boolean
  readonly overage_unit_amount_decimal: string
  readonly billable_units: number
  readonly spent_cents: number
  readonly spend_cap_cents: number
  readonly resets_at: string
  readonly keys: readonly {
    readonly id: string
    readonly name: string
    readonly prefix: string
    readonly last_four: string
    readonly units_today: number
    readonly units_period: number
    readonly last_used_at: string | null
  }[]
}

/** Usage of one key on one UTC day. */
export interface KeyDay {
  readonly date: string
  readonly key_id: string
  readonly key_name: string
  readonly units: number
  readonly calls: number
}

/** Usage in the current month, and by day. */
export interface UsageAnswer {
  readonly from: string
  readonly to: string
  readonly usage: MonthUsage
  readonly days: readonly KeyDay[]
}

/** The responses sent to one key on one route. */
export interface RouteAnswers {
  readonly key_id: string
  readonly key_name: string
  readonly route: string
  readonly answered: number
  readonly refused: number
  readonly over_limit: number
  readonly failed: number
}

/** Responses by key and route. */
export interface RouteUsage {
  readonly from: string
  readonly to: string
  readonly routes: readonly RouteAnswers[]
}

/** The statement for a closed month. */
export interface Statement {
  readonly month: string
  readonly closed_at: string
  readonly units: number
  readonly included_units: number
  readonly overage_units: number
  readonly amount_cents: number
  readonly plan: Plan
}

/** Something that happened to an account or its keys. */
export interface AccountEvent {
  readonly id: string
  readonly at: string
  readonly kind:
    | 'signed_up'
    | 'verified'
    | 'logged_in'
    | 'log_in_failed'
    | 'sessions_ended'
    | 'password_changed'
    | 'email_change_requested'
    | 'email_changed'
    | 'factor_enabled'
    | 'factor_disabled'
    | 'passkey_added'
    | 'passkey_removed'
    | 'recovery_codes_replaced'
    | 'recovery_code_used'
    | 'key_created'
    | 'key_renamed'
    | 'key_revoked'
    | 'plan_changed'
    | 'overage_changed'
    | 'suspended'
    | 'resumed'
    | 'deleted'
    | 'statement_closed'
    | 'late_usage_billed'
    | 'late_usage_waived'
  readonly key_id: string | null
  readonly actor: 'owner' | 'operator' | 'service'
  readonly detail: {
    readonly [name: string]: string | number | boolean | null
  }
}

/** A page of events, newest first. */
export interface EventPage {
  readonly events: readonly AccountEvent[]
  readonly next_cursor: string | null
}

/** An error response (RFC 9457). */
export interface ProblemBody {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
  readonly reason:
    | 'invalid_request'
    | 'invalid_token_link'
    | 'password_refused'
    | 'passkey_refused'
    | 'malformed_request'
    | 'session_required'
    | 'wrong_credentials'
    | 'factor_required'
    | 'wrong_code'
    | 'authentication_required'
    | 'invalid_token'
    | 'insufficient_scope'
    | 'csrf_failed'
    | 'account_suspended'
    | 'not_allowed'
    | 'confirmation_required'
    | 'mail_link_required'
    | 'email_verification_required'
    | 'not_found'
    | 'method_not_allowed'
    | 'key_limit_reached'
    | 'content_too_large'
    | 'uri_too_long'
    | 'unsupported_media_type'
    | 'too_many_tries'
    | 'too_many_changes'
    | 'rate_limited'
    | 'internal_error'
    | 'store_unavailable'
    | 'overloaded'
  readonly code: string
  readonly request_id: string
}
