// All API keys, by digest, in the memory of one thread. They are loaded in one message from the control thread and
// updated by later messages, so a revoked key is refused at its next request.

import { timingSafeEqual } from 'node:crypto'
import { isApiKeyText } from '../keys/api-key.ts'
import { KeyHasher, type Pepper } from '../keys/pepper.ts'
import type { FreeUse } from '../metering/live-usage.ts'
import type { PlanTable } from '../plans/plans.ts'
import type { TermHolder } from '../plans/terms.ts'
import type { AccessRefusal, Authentication, Caller } from './gate.ts'

/** The scope that covers every read route. */
export const READ_SCOPE = 'transit:read'
/** The scope for reading the account on the account API. */
export const ACCOUNT_SCOPE = 'account:read'

/** An account in a thread's key ring. It is sent as a plain message. */
export interface RingAccount extends TermHolder {
  readonly id: string
  readonly isVerified: boolean
  /** Whether the account is suspended or deleted. If so, its keys are refused like revoked keys. */
  readonly isSuspended: boolean
  /** Maximum monthly overage in cents. */
  readonly spendCapCents: number
  /** Index of the account's cell in the limits that all threads share. */
  readonly cell: number
}

/** A key in a thread's key ring, with its digest instead of the key itself. It is sent as a plain message. */
export interface RingKey {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly prefix: string
  readonly lastFour: string
  /** HMAC-SHA-256 of the key, as 64 hexadecimal digits. */
  readonly digest: string
  readonly pepperId: string
  readonly scopes: readonly string[]
  readonly audience: string
  readonly createdAtMillis: number
  /** When the key expires, in Unix milliseconds; null if it never expires. */
  readonly expiresAtMillis: number | null
  readonly revokedAtMillis: number | null
}

/** New and changed accounts and keys, each with all of its values. */
export interface RingChange {
  readonly accounts: readonly RingAccount[]
  readonly keys: readonly RingKey[]
  /** The UTC day after the last closed month. Units are charged to this day or later, even if the clock is set back. */
  readonly firstOpenDay?: number
  /** The new plans, if the configuration was reloaded. */
  readonly plans?: PlanTable
  /** Uses of keys on the account API, where calls cost no units. */
  readonly freeUses?: readonly FreeUse[]
}

/** The initial state of a thread's key ring. It contains the peppers: never log it or send it to another process. */
export interface RingStart extends RingChange {
  readonly peppers: readonly Pepper[]
}

interface KeyRecord {
  readonly key: RingKey
  readonly digest: Uint8Array
  /** Whether the key is revoked or its account is suspended. */
  readonly isInvalid: boolean
  readonly expiresAtMillis: number
  /** The result of `authenticate` if the key is accepted. The object is created once per key. */
  readonly authentication: Authentication
}

/** Maximum number of cached credentials. The cache is cleared when it is full and whenever the ring changes. */
const RECENT_CREDENTIALS = 4_096
/** Maximum length of a cached credential, in characters. Keys are shorter. */
const RECENT_LENGTH = 100
const INVALID: Authentication = { kind: 'refused', reason: 'invalid_token' }

/** The keys in one thread. Accepts only keys that are valid for the given audience and have the given scope. */
export class KeyRing {
  private readonly hashers: readonly KeyHasher[]
  private readonly audience: string
  private readonly scope: string
  private readonly records = new Map<number, KeyRecord[]>()
  /**
   * Recently accepted credentials, kept in memory only. Without this cache, hashing the credential would be half the
   * cost of a call.
   */
  private readonly recent = new Map<string, KeyRecord>()
  private readonly keys = new Map<string, RingKey>()
  private readonly accounts = new Map<string, RingAccount>()
  private readonly keysOfAccount = new Map<string, string[]>()

  constructor(start: RingStart, audience: string, scope: string = READ_SCOPE) {
    this.hashers = start.peppers.map((pepper) => new KeyHasher(pepper))
    this.audience = audience
    this.scope = scope
    this.apply(start)
  }

  /** Applies new and changed accounts and keys. */
  apply(change: RingChange): void {
    const touched = new Set<string>()
    for (const account of change.accounts) {
      this.accounts.set(account.id, account)
      for (const id of this.keysOfAccount.get(account.id) ?? []) touched.add(id)
    }
    for (const key of change.keys) {
      if (!this.keys.has(key.id)) this.keysOfAccount.getOrInsertComputed(key.accountId, () => []).push(key.id)
      this.keys.set(key.id, key)
      touched.add(key.id)
    }
    if (touched.size === 0) return
    for (const id of touched) this.placeRecord(id)
    this.recent.clear()
  }

  /**
   * Identifies the key in a bearer token, or returns why the token is refused. Checks the form and the checksum first,
   * then looks up the digest. Unknown, revoked and expired keys get the same response.
   * @param credential the header value that contained the token; also used as the cache key
   */
  authenticate(token: string, nowMillis: number, credential: string = token): Authentication {
    const record = this.findByDigest(token)
    if (record === undefined) return INVALID
    if (credential.length <= RECENT_LENGTH) {
      if (this.recent.size >= RECENT_CREDENTIALS) this.recent.clear()
      this.recent.set(credential, record)
    }
    return authenticationAt(record, nowMillis)
  }

  /** Like `authenticate`, but only looks in the cache; undefined if the credential is not cached. */
  recall(credential: string, nowMillis: number): Authentication | undefined {
    const record = this.recent.get(credential)
    return record === undefined ? undefined : authenticationAt(record, nowMillis)
  }

  /** Whether a key would be accepted at this time. */
  holds(keyId: string, nowMillis: number): boolean {
    const key = this.keys.get(keyId)
    const account = key === undefined ? undefined : this.accounts.get(key.accountId)
    if (key === undefined || account === undefined) return false
    const isInvalid = key.revokedAtMillis !== null || account.isSuspended
    if (isInvalid || nowMillis >= (key.expiresAtMillis ?? Number.POSITIVE_INFINITY)) return false
    return this.findRefusal(key, account) === undefined
  }

  findAccount(accountId: string): RingAccount | undefined {
    return this.accounts.get(accountId)
  }

  /** The keys of an account, revoked ones included, oldest first. */
  listKeys(accountId: string): RingKey[] {
    const keys: RingKey[] = []
    for (const id of this.keysOfAccount.get(accountId) ?? []) {
      const key = this.keys.get(id)
      if (key !== undefined) keys.push(key)
    }
    return keys.sort((a, b) => a.createdAtMillis - b.createdAtMillis || (a.id < b.id ? -1 : 1))
  }

  private findByDigest(token: string): KeyRecord | undefined {
    if (!isApiKeyText(token)) return undefined
    for (const hasher of this.hashers) {
      const record = this.findRecord(hasher.digest(token))
      if (record !== undefined) return record
    }
    return undefined
  }

  private findRecord(digest: Uint8Array): KeyRecord | undefined {
    // The map is indexed by 32 bits of a keyed hash, so the duration of a lookup reveals nothing about the keys. The
    // full digest is compared in constant time.
    const candidates = this.records.get(bucketOf(digest))
    return candidates?.find((record) => timingSafeEqual(record.digest, digest))
  }

  private placeRecord(keyId: string): void {
    const key = this.keys.get(keyId)
    if (key === undefined) return
    const account = this.accounts.get(key.accountId)
    if (account === undefined)
      throw new Error(`key ${key.id} belongs to account ${key.accountId}, which was not loaded`)
    const digest = Uint8Array.fromHex(key.digest)
    const record: KeyRecord = {
      key,
      digest,
      isInvalid: key.revokedAtMillis !== null || account.isSuspended,
      expiresAtMillis: key.expiresAtMillis ?? Number.POSITIVE_INFINITY,
      authentication: this.toAuthentication(key, account),
    }
    const others = (this.records.get(bucketOf(digest)) ?? []).filter((other) => other.key.id !== key.id)
    this.records.set(bucketOf(digest), [...others, record])
  }

  private toAuthentication(key: RingKey, account: RingAccount): Authentication {
    const refusal = this.findRefusal(key, account)
    if (refusal !== undefined) return { kind: 'refused', reason: refusal }
    const caller: Caller = { keyId: key.id, accountId: account.id, plan: account.plan }
    return { kind: 'accepted', caller }
  }

  private findRefusal(key: RingKey, account: RingAccount): AccessRefusal | undefined {
    if (key.audience !== this.audience || !key.scopes.includes(this.scope)) return 'insufficient_scope'
    return account.isVerified ? undefined : 'email_verification_required'
  }
}

function authenticationAt(
  { isInvalid, expiresAtMillis, authentication }: KeyRecord,
  nowMillis: number,
): Authentication {
  return isInvalid || nowMillis >= expiresAtMillis ? INVALID : authentication
}

function bucketOf(digest: Uint8Array): number {
  return ((digest[0] << 24) | (digest[1] << 16) | (digest[2] << 8) | digest[3]) >>> 0
}
