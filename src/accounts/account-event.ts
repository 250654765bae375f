// The permanent history of accounts and keys: one row per change, written in the same transaction as the change.

/** Kinds of events. */
export const EVENT_KINDS = [
  'signed_up',
  'verified',
  'logged_in',
  'log_in_failed',
  'sessions_ended',
  'password_changed',
  'email_change_requested',
  'email_changed',
  'factor_enabled',
  'factor_disabled',
  'passkey_added',
  'passkey_removed',
  'recovery_codes_replaced',
  'recovery_code_used',
  'key_created',
  'key_renamed',
  'key_revoked',
  'plan_changed',
  'overage_changed',
  'suspended',
  'resumed',
  'deleted',
  'statement_closed',
  'late_usage_billed',
  'late_usage_waived',
] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** Who made a change: the owner, the operator, or the service. */
export const ACTORS = ['owner', 'operator', 'service'] as const
export type Actor = (typeof ACTORS)[number]

/**
 * Details of an event. Events outlive the account, so the only personal data in them is key names. `eraseDeleted` in
 * identity-store.ts removes these names.
 */
export type EventDetail = Readonly<Record<string, string | number | boolean | null>>

/** An event in the history of an account. */
export interface AccountEvent {
  /** `evt_` followed by 32 hexadecimal digits. Ids sort by time. */
  readonly id: string
  readonly accountId: string
  readonly atMillis: number
  readonly kind: EventKind
  /** Id of the key that the event is about, or null. */
  readonly keyId: string | null
  readonly actor: Actor
  readonly detail: EventDetail
}

/** Creates an event. The id starts with the time of the event, so ids sort by time. */
export function makeEvent(
  kind: EventKind,
  about: { readonly accountId: string; readonly atMillis: number; readonly actor: Actor; readonly keyId?: string },
  detail: EventDetail = {},
): AccountEvent {
  const { accountId, atMillis, actor, keyId = null } = about
  const id = `evt_${Bun.randomUUIDv7('hex', atMillis).replaceAll('-', '')}`
  return { id, accountId, atMillis, kind, keyId, actor, detail }
}
