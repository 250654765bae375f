// Every key a thread may be shown, in memory: digest → record. Filled by one message from the control thread and
// changed by later ones, so that a revoked key fails at the next request.

import { timingSafeEqual } from 'node:crypto'
import { isApiKeyText } from '../keys/api-key.ts'
import { KeyHasher, type Pepper } from '../keys/pepper.ts'
import type { PlanTable } from '../plans/plans.ts'
import type { TermHolder } from '../plans/terms.ts'
import type { AccessRefusal, Authentication, Caller } from './gate.ts'

/** The scope that covers every read route. */
export const READ_SCOPE = 'transit:read'
/** The scope by which a key reads its account on the account API. */
export const ACCOUNT_SCOPE = 'account:read'

/** What a thread knows of an account. A plain message. */
export interface RingAccount extends TermHolder {
  readonly id: string
  readonly isVerified: boolean
  /** Suspended or deleted: its keys are as good as revoked. */
  readonly isSuspended: boolean
  /** Most that overage may cost in a month, in cents. */
  readonly spendCapCents: number
  /** Its cell in the memory of limits that all threads share. */
  readonly cell: number
}

/** What a thread knows of a key. A plain message; the digest is not the key. */
export interface RingKey {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly prefix: string
  readonly lastFour: string
  /** HMAC-SHA-256 of the key's text, 64 hexadecimal digits. */
  readonly digest: string
  readonly pepperId: string
  readonly scopes: readonly string[]
  readonly audience: string
  readonly createdAtMillis: number
  /** First instant at which it no longer works; null is never. */
  readonly expiresAtMillis: number | null
  readonly revokedAtMillis: number | null
}

/** Accounts and keys that are new or have changed, whole. */
export interface RingChange {
  readonly accounts: readonly RingAccount[]
  readonly keys: readonly RingKey[]
  /** Where a month is closed: the UTC day after it. Whatever the clock says, units are charged to this day or a later one. */
  readonly firstOpenDay?: number
  /** Where the configuration was read anew: the plans that hold from now on. */
  readonly plans?: PlanTable
}

/** Everything a thread needs to begin. Holds the peppers: for threads of this process only, never for a log. */
export interface RingStart extends RingChange {
  readonly peppers: readonly Pepper[]
}

interface KeyRecord {
  readonly key: RingKey
  readonly digest: Uint8Array
  /** Revoked, or of a suspended account. */
  readonly isInvalid: boolean
  readonly expiresAtMillis: number
  /** Made once; what admitting this key answers. */
  readonly authentication: Authentication
}

/** How many credentials are known without hashing; all are forgotten with each change of the ring, or where there are more. */
const RECENT_CREDENTIALS = 4_096
/** Longer ones are no key as it is usually written. */
const RECENT_LENGTH = 100
const INVALID: Authentication = { kind: 'refused', reason: 'invalid_token' }

/** The keys of one thread, for one audience and one scope. */
export class KeyRing {
  private readonly hashers: readonly KeyHasher[]
  private readonly audience: string
  private readonly scope: string
  private readonly records = new Map<number, KeyRecord[]>()
  /** Good credentials shown lately, so that who asks again is not hashed again (half of what a call costs here). Memory only. */
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

  /** Takes over new and changed accounts and keys. */
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
    for (const id of touched) this.placeRecord(id)
    this.recent.clear()
  }

  /**
   * Who a bearer token belongs to at an instant, or why it is refused. Form and checksum are tried first, then the digest is looked
   * up; unknown, revoked and expired keys are told alike.
   * @param credential what the token was shown in, to be recalled by
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

  /** The same for a credential that was shown lately; undefined where it was not. */
  recall(credential: string, nowMillis: number): Authentication | undefined {
    const record = this.recent.get(credential)
    return record === undefined ? undefined : authenticationAt(record, nowMillis)
  }

  /** Whether a key would be accepted at an instant. */
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
    // The map is entered by 32 bits of a keyed hash, which tell a guesser nothing; the whole is compared in constant time.
    const candidates = this.records.get(bucketOf(digest))
    return candidates?.find((record) => timingSafeEqual(record.digest, digest))
  }

  private placeRecord(keyId: string): void {
    const key = this.keys.get(keyId)
    if (key === undefined) return
    const account = this.accounts.get(key.accountId)
    if (account === undefined)
      throw new Error(`key ${key.id} belongs to account ${key.accountId}, which is not in the ring`)
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
