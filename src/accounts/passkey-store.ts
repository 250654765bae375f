// Stored passkeys: public keys of WebAuthn credentials.
import type { AccountEvent } from './account-event.ts'

/** A passkey. */
export interface StoredPasskey {
  /** The credential's id in base64url, made by the authenticator. */
  readonly id: string
  readonly accountId: string
  /** COSE key in base64url. */
  readonly publicKey: string
  /** Number of signatures, as the authenticator counts them; stays 0 if the authenticator does not count. */
  readonly counter: number
  /** Chosen by the owner. */
  readonly name: string
  readonly createdAtMillis: number
  /** Null if it was never used. */
  readonly usedAtMillis: number | null
}

/** Passkeys. Every method is one transaction. */
export interface PasskeyStore {
  /** The passkeys of an account, oldest first. */
  list(accountId: string): Promise<StoredPasskey[]>
  find(id: string): Promise<StoredPasskey | undefined>
  /**
   * Stores a passkey unless its id is already stored or the account has `limit` of them. Returns whether it was stored.
   */
  insert(passkey: StoredPasskey, limit: number, event: AccountEvent): Promise<boolean>
  /** Records a use of a passkey: its time, and the new counter. */
  use(id: string, use: { readonly counter: number; readonly atMillis: number }): Promise<void>
  /** Removes a passkey of the event's account. Returns whether the account had it. */
  remove(id: string, event: AccountEvent): Promise<boolean>
}
