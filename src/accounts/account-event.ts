// What happened to an account and its keys, as it is kept for ever: one row of each change, written with the change.

/** What an event can tell of. */
export const EVENT_KINDS = [
  'signed_up',
  'verified',
  'logged_in',
  'password_changed',
  'key_created',
  'key_renamed',
  'key_revoked',
  'plan_changed',
  'overage_changed',
  'suspended',
  'resumed',
  'deleted',
  'statement_closed',
] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** Who made a change: who holds the account, who runs the service, or the service by itself. */
export const ACTORS = ['owner', 'operator', 'service'] as const
export type Actor = (typeof ACTORS)[number]

/** What more an event tells. Nothing that says who somebody is: it outlives the account. */
export type EventDetail = Readonly<Record<string, string | number | boolean | null>>

/** One event. */
export interface AccountEvent {
  /** `evt_` and 32 hexadecimal digits, in the order of the instants. */
  readonly id: string
  readonly accountId: string
  readonly atMillis: number
  readonly kind: EventKind
  /** The key it is about, or null. */
  readonly keyId: string | null
  readonly actor: Actor
  readonly detail: EventDetail
}

/** An event of this instant. */
export function makeEvent(
  kind: EventKind,
  about: { readonly accountId: string; readonly atMillis: number; readonly actor: Actor; readonly keyId?: string },
  detail: EventDetail = {},
): AccountEvent {
  const { accountId, atMillis, actor, keyId = null } = about
  const id = `evt_${Bun.randomUUIDv7('hex', atMillis).replaceAll('-', '')}`
  return { id, accountId, atMillis, kind, keyId, actor, detail }
}
