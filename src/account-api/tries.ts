// Counts attempts (passwords, emails, links) in a sliding window. The number of counters is fixed, so a flood of names
// can neither evict a count nor use more memory.
import type { TryChange } from '../accounts/fleet.ts'
import type { Clock } from '../system/clock.ts'

/** The maximum number of attempts per name and window, and the number of counters. */
export interface TryLimit {
  readonly limit: number
  readonly windowMillis: number
  /** Counters per row; a power of two. */
  readonly counters: number
}

const QUARTER_MILLIS = 15 * 60_000
const HOUR_MILLIS = 3_600_000

/**
 * All limits of the account API. The counters are sized for a flood: with two password hashes at a time, about 100 000
 * logins fit into 15 minutes.
 */
export const TRY_LIMITS = {
  /** Wrong passwords for an email address from one network address. */
  pair: { limit: 10, windowMillis: QUARTER_MILLIS, counters: 2 ** 16 },
  /** Wrong passwords for an email address from browsers that have never logged in with it. */
  strangers: { limit: 100, windowMillis: 24 * HOUR_MILLIS, counters: 2 ** 17 },
  /** Wrong passwords for all email addresses from one network address. */
  address: { limit: 100, windowMillis: QUARTER_MILLIS, counters: 2 ** 15 },
  /** Wrong passwords for an email address from a browser that has logged in with it before. */
  device: { limit: 10, windowMillis: QUARTER_MILLIS, counters: 2 ** 14 },
  /** Wrong passwords outside of logins, by account: for a password change, a confirmation or a verification link. */
  presentPassword: { limit: 10, windowMillis: QUARTER_MILLIS, counters: 2 ** 12 },
  /** Wrong second-factor codes, by account. A code is only checked after a password, an email link or a session. */
  code: { limit: 10, windowMillis: QUARTER_MILLIS, counters: 2 ** 12 },
  /**
   * Like `code`, but over a day, since three of a million codes are valid at any time. Recovery codes work even if the
   * limit is reached.
   */
  codeDay: { limit: 50, windowMillis: 24 * HOUR_MILLIS, counters: 2 ** 12 },
  /** Passkey challenges for logins, by network address. Each challenge is stored for five minutes. */
  challenge: { limit: 60, windowMillis: QUARTER_MILLIS, counters: 2 ** 14 },
  /** Failed logins that are recorded, by email address. Each record is stored permanently. */
  failure: { limit: 10, windowMillis: 24 * HOUR_MILLIS, counters: 2 ** 15 },
  /** Emails of one kind to an email address, and emails requested from a network address. */
  mail: { limit: 10, windowMillis: QUARTER_MILLIS, counters: 2 ** 17 },
  /** Invalid email links and failed logins with a passkey, by network address. */
  link: { limit: 10, windowMillis: QUARTER_MILLIS, counters: 2 ** 16 },
  /** Logins to an account with the right password. Each login writes an event. */
  logIn: { limit: 100, windowMillis: HOUR_MILLIS, counters: 2 ** 14 },
  /** Changes to an account, such as key renames and plan changes. Each change is stored permanently. */
  change: { limit: 120, windowMillis: HOUR_MILLIS, counters: 2 ** 14 },
} as const satisfies Record<string, TryLimit>

/** Slots in a window, besides the current one. */
const PARTS = 12
/** Rows of counters. A name has one counter in each row; its count is the smaller of the two. */
const ROWS = 2
/** Saved format: the result of `fingerprint`, the number of the newest slot, then the slots, newest first. */
const FINGERPRINT_BYTES = 16
const HEADER_BYTES = FINGERPRINT_BYTES + 8
/** Counters saturate at this value until their slot expires. */
const FULL = 0xff

/**
 * Attempts by name, counted in time slots. Each slot has two rows of counters. A name uses one counter per row; a keyed
 * hash chooses the counter. Two names rarely share both counters; if they do, their attempts add up. So under a flood
 * of attempts, a name may get too few attempts, but never too many.
 *
 *   slot    … now−2  now−1  now      counters of a row: [0 0 1 0 3 0 …]   one byte each
 *   a slot expires when its newest attempt is as old as the window
 */
export class Tries {
  private readonly clock: Clock
  private readonly limit: number
  private readonly slotMillis: number
  private readonly counters: number
  private readonly hash: Bun.CryptoHasher
  /** A ring buffer; undefined for slots without attempts. */
  private readonly slots: (Uint8Array | undefined)[] = Array(PARTS + 1).fill(undefined)
  /** The index of the current slot, not wrapped around the ring. Never decreases, even if the clock is set back. */
  private position = 0
  /** The number of the current slot, counted from 1970. */
  private slotNumber: number
  /** In a cluster: called for each counted attempt, and for each attempt whose count is undone. */
  onCount: ((change: TryChange) => void) | undefined

  /** @param key secret: with it, an attacker could choose names that share counters */
  constructor(clock: Clock, { limit, windowMillis, counters }: TryLimit, key: Uint8Array) {
    this.clock = clock
    this.limit = limit
    this.slotMillis = windowMillis / PARTS
    this.counters = counters
    this.hash = new Bun.CryptoHasher('sha256', key)
    this.slotNumber = Math.floor(clock.nowMillis() / this.slotMillis)
  }

  /** Maximum time for which an attempt counts: the window plus the rest of its slot. */
  get lifeMillis(): number {
    return (PARTS + 1) * this.slotMillis
  }

  /** Memory used if all slots are allocated. */
  get mostBytes(): number {
    return this.slots.length * ROWS * this.counters
  }

  /** Memory used by slots with attempts. */
  get heldBytes(): number {
    this.advance()
    return this.slots.reduce((sum, slot) => sum + (slot?.byteLength ?? 0), 0)
  }

  /** If the name has an attempt left, counts an attempt and returns 0. Otherwise returns the wait in whole seconds. */
  take(name: string): number {
    const waitSeconds = this.waitSeconds(name)
    if (waitSeconds === 0) this.count(name)
    return waitSeconds
  }

  /** Seconds until a name has an attempt left, rounded up; 0 if it has one now. */
  waitSeconds(name: string): number {
    this.advance()
    const cells = this.cellsOf(name)
    const sums = cells.map((cell) => this.slots.reduce((sum, slot) => sum + (slot?.[cell] ?? 0), 0))
    // The oldest slots expire first.
    for (let age = PARTS; age >= 0; age--) {
      if (Math.min(...sums) < this.limit) return this.secondsUntilGone(age + 1)
      const slot = this.slots[this.indexOf(age)]
      for (const [row, cell] of cells.entries()) sums[row] -= slot?.[cell] ?? 0
    }
    return this.secondsUntilGone(0)
  }

  /** Counts an attempt. The returned function undoes the count. */
  count(name: string): () => void {
    this.advance()
    const { position } = this
    const index = this.indexOf(0)
    const slot = this.slots[index] ?? new Uint8Array(ROWS * this.counters)
    this.slots[index] = slot
    const counted = this.cellsOf(name).filter((cell) => slot[cell] < FULL)
    for (const cell of counted) slot[cell]++
    const change = { slot: this.slotNumber, cells: counted }
    this.onCount?.({ ...change, by: 1 })
    let isCounted = true
    return () => {
      this.advance()
      if (!isCounted || this.position - position > PARTS) return
      isCounted = false
      for (const cell of counted) if (slot[cell] < FULL) slot[cell]--
      this.onCount?.({ ...change, by: -1 })
    }
  }

  /**
   * Applies a change from another replica: a counted attempt, or a count that was undone. All replicas have the same
   * key and limits.
   */
  add({ slot: number, cells, by }: TryChange): void {
    this.advance()
    const age = Math.max(0, this.slotNumber - number)
    if (age > PARTS) return
    const index = this.indexOf(age)
    const slot = this.slots[index] ?? new Uint8Array(ROWS * this.counters)
    this.slots[index] = slot
    for (const cell of cells) slot[cell] = Math.max(0, Math.min(FULL, slot[cell] + by))
  }

  /** Serializes all counts; `restore` needs the same key, window and number of counters. */
  save(): Uint8Array {
    this.advance()
    const slotBytes = ROWS * this.counters
    const saved = new Uint8Array(HEADER_BYTES + this.slots.length * slotBytes)
    saved.set(this.fingerprint())
    new DataView(saved.buffer).setFloat64(FINGERPRINT_BYTES, this.slotNumber, true)
    for (let age = 0; age < this.slots.length; age++) {
      saved.set(this.slots[this.indexOf(age)] ?? [], HEADER_BYTES + age * slotBytes)
    }
    return saved
  }

  /** Restores saved counts; returns false and changes nothing if the key, the window or the number of counters differs. */
  restore(saved: Uint8Array): boolean {
    const slotBytes = ROWS * this.counters
    if (saved.byteLength !== HEADER_BYTES + this.slots.length * slotBytes) return false
    if (!this.fingerprint().equals(saved.subarray(0, FINGERPRINT_BYTES))) return false
    this.slotNumber = new DataView(saved.buffer, saved.byteOffset).getFloat64(FINGERPRINT_BYTES, true)
    for (let age = 0; age < this.slots.length; age++) {
      const start = HEADER_BYTES + age * slotBytes
      const slot = new Uint8Array(saved.subarray(start, start + slotBytes))
      this.slots[this.indexOf(age)] = slot.some((count) => count > 0) ? slot : undefined
    }
    this.advance()
    return true
  }

  /** A fingerprint of the key, the number of counters, and the length and number of the slots. */
  private fingerprint(): Buffer {
    const text = `fingerprint ${this.counters} ${this.slotMillis} ${PARTS}`
    return this.hash.copy().update(text).digest().subarray(0, FINGERPRINT_BYTES)
  }

  /** Seconds until a slot expires; 0 if it has expired. The slot is `age` slots before the current slot. */
  private secondsUntilGone(age: number): number {
    if (age > PARTS) return 0
    const goneMillis = (this.slotNumber - age + PARTS + 1) * this.slotMillis
    return Math.max(1, Math.ceil((goneMillis - this.clock.nowMillis()) / 1_000))
  }

  /** Index in the ring of the slot that is `age` slots before the current slot. */
  private indexOf(age: number): number {
    return (this.position - age + this.slots.length) % this.slots.length
  }

  private cellsOf(name: string): number[] {
    const digest = this.hash.copy().update(name).digest()
    return Array.from(
      { length: ROWS },
      (_, row) => row * this.counters + (digest.readUInt32LE(row * 4) % this.counters),
    )
  }

  /**
   * Advances to the current slot. If the clock was set back, slots are numbered by its new time: otherwise, no slot
   * would expire until the clock reached its old time again.
   */
  private advance(): void {
    const number = Math.floor(this.clock.nowMillis() / this.slotMillis)
    const passed = Math.min(number - this.slotNumber, this.slots.length)
    for (let count = 0; count < passed; count++) {
      this.position++
      this.slots[this.indexOf(0)] = undefined
    }
    this.slotNumber = number
  }
}
