// What the account API answers, as far as the console reads it. Instants are RFC 3339 in UTC, money whole cents.

/** The account of a session. */
export interface Account {
  readonly id: string
  readonly email: string
  readonly plan: string
  readonly state: string
  readonly key_limit: number
  readonly active_keys: number
  readonly overage_enabled: boolean
  readonly spend_cap_cents: number
  readonly created_at: string
}

/** Who is logged in, and what the console needs to speak for them. */
export interface Session {
  readonly account: Account
  /** Goes into X-CSRF-Token with every change. */
  readonly csrf_token: string
  /** Where the data API is. */
  readonly api_url: string
  readonly explorer_url: string | null
}

/** A key, without its secret. */
export interface Key {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly last_four: string
  readonly state: 'active' | 'revoked' | 'expired' | 'suspended'
  readonly scopes: readonly string[]
  readonly created_at: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly last_used_at: string | null
  readonly units_today: number
  readonly units_this_month: number
}

/** A key just made: the only answer that ever has its text. */
export interface MadeKey {
  readonly key: string
  readonly listing: Omit<Key, 'last_used_at' | 'units_today' | 'units_this_month'>
  /** A call to paste, key included. */
  readonly curl: string
}

/** What an account used of the present month. */
export interface MonthUsage {
  readonly plan: string
  /** YYYY-MM. */
  readonly period: string
  readonly included_units: number
  readonly units: number
  readonly remaining: number
  readonly overage_available: boolean
  readonly overage_enabled: boolean
  /** Cents for a unit beyond the included ones, as a decimal. */
  readonly overage_unit_amount_decimal: string
  readonly billable_units: number
  readonly spent_cents: number
  readonly spend_cap_cents: number
  readonly resets_at: string
}

/** What one key used on one UTC day. */
export interface KeyDay {
  /** YYYY-MM-DD. */
  readonly date: string
  readonly key_id: string
  readonly key_name: string
  readonly units: number
  readonly calls: number
}

/** The present month, and the days of a span. */
export interface UsageAnswer {
  readonly from: string
  readonly to: string
  readonly usage: MonthUsage
  readonly days: readonly KeyDay[]
}

/** A closed month. */
export interface Statement {
  /** YYYY-MM. */
  readonly month: string
  readonly closed_at: string
  readonly units: number
  readonly included_units: number
  readonly overage_units: number
  readonly amount_cents: number
  readonly plan: string
}

/** Something that happened to an account or one of its keys. */
export interface AccountEvent {
  readonly id: string
  readonly at: string
  readonly kind: string
  readonly key_id: string | null
  readonly actor: 'owner' | 'operator' | 'service'
  readonly detail: Readonly<Record<string, unknown>>
}

/** A page of events, newest first. */
export interface EventPage {
  readonly events: readonly AccountEvent[]
  readonly next_cursor: string | null
}

/** A refusal's body (RFC 9457). */
export interface ProblemBody {
  readonly title?: string
  readonly detail?: string
  readonly reason?: string
  readonly request_id?: string
}
