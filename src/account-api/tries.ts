// How often something was tried in a window of time: passwords, mails, links. A fixed number of counters, so that no flood
// of names makes it forget one, or takes more memory.
import type { Clock } from '../system/clock.ts'

/** How often a name may try, and in how many counters names are counted. */
export interface TryLimit {
  readonly limit: number
  readonly windowMillis: number
  /** Counters in a row; a power of two. */
  readonly counters: number
}

const QUARTER_MILLIS = 15 * 60_000
const HOUR_MILLIS = 3_600_000

/** Every limit of the account API. At two hashes of passwords at a time, some 100 000 log-ins fit into 15 minutes. */
export const TRY_LIMITS = {
  /** Wrong passwords for an e-mail address from one network address. */
  pair: { limit: 10, windowMillis: QUARTER_MILLIS, counters: 2 ** 16 },
  /** Wrong passwords for an e-mail address from browsers that have not logged in to it before. */
  strangers: { limit: 100, windowMillis: 24 * HOUR_MILLIS, counters: 2 ** 17 },
  /** Wrong passwords for all e-mail addresses from one network address. */
  address: { limit: 100, windowMillis: QUARTER_MILLIS, counters: 2 ** 15 },
  /** Wrong passwords for an e-mail address from a browser that has logged in to it before. */
  device: { limit: 10, windowMillis: QUARTER_MILLIS, counters: 2 ** 14 },
  /** Wrong present passwords when the password is changed, by account. */
  presentPassword: { limit: 10, windowMillis: QUARTER_MILLIS, counters: 2 ** 12 },
  /** Mails to an e-mail address, and mails that a network address asks for. */
  mail: { limit: 10, windowMillis: QUARTER_MILLIS, counters: 2 ** 17 },
  /** Links of mails that don't work, by network address. */
  link: { limit: 10, windowMillis: QUARTER_MILLIS, counters: 2 ** 16 },
  /** Log-ins of an account with the right password: each leaves an event. */
  logIn: { limit: 100, windowMillis: HOUR_MILLIS, counters: 2 ** 14 },
  /** New names of keys and switches of overage of an account: each is kept for ever. */
  change: { limit: 120, windowMillis: HOUR_MILLIS, counters: 2 ** 14 },
} as const satisfies Record<string, TryLimit>

/** Slots in a window; the one under way comes on top. */
const PARTS = 12
/** A name has a counter in each row, and its count is the smallest of them. */
const ROWS = 2
/** Of what is saved: a fingerprint of key and limits, the number of the newest slot; then the slots, the newest first. */
const FINGERPRINT_BYTES = 16
const HEADER_BYTES = FINGERPRINT_BYTES + 8
/** A counter that has got there stays there until its slot is over. */
const FULL = 0xff

/**
 * The tries under any number of names. Time is cut into slots; each has two rows of counters, and a name counts in one of
 * each row, chosen by a keyed hash. Two names that share one rarely share both; if they do, their tries are added up: under
 * a flood a name may have too few tries, never too many.
 *
 *   slot    … now−2  now−1  now      counters of a row: [0 0 1 0 3 0 …]   one byte each
 *   leaves  when its newest try is as old as the window
 */
export class Tries {
  private readonly clock: Clock
  private readonly limit: number
  private readonly slotMillis: number
  private readonly counters: number
  private readonly hash: Bun.CryptoHasher
  /** A ring; undefined where nothing was tried. */
  private readonly slots: (Uint8Array | undefined)[] = Array(PARTS + 1).fill(undefined)
  /** Which slot is under way: counted up for ever, by one round of the ring at most. */
  private position = 0
  /** The same slot as the clock numbers it. */
  private slotNumber: number

  /** @param key secret: whoever knows it can choose names that share counters */
  constructor(clock: Clock, { limit, windowMillis, counters }: TryLimit, key: Uint8Array) {
    this.clock = clock
    this.limit = limit
    this.slotMillis = windowMillis / PARTS
    this.counters = counters
    this.hash = new Bun.CryptoHasher('sha256', key)
    this.slotNumber = Math.floor(clock.nowMillis() / this.slotMillis)
  }

  /** The longest that a try counts: the window, and what was over of its slot. */
  get lifeMillis(): number {
    return (PARTS + 1) * this.slotMillis
  }

  /** What all slots take. */
  get mostBytes(): number {
    return this.slots.length * ROWS * this.counters
  }

  /** What the slots take in which something was tried. */
  get heldBytes(): number {
    this.advance()
    return this.slots.reduce((sum, slot) => sum + (slot?.byteLength ?? 0), 0)
  }

  /** Counts a try if the name has one left; else how long until it has, in whole seconds. */
  take(name: string): number {
    const waitSeconds = this.waitSeconds(name)
    if (waitSeconds === 0) this.count(name)
    return waitSeconds
  }

  /** How long until a name has a try left, in whole seconds; 0 if it has one now. */
  waitSeconds(name: string): number {
    this.advance()
    const cells = this.cellsOf(name)
    const sums = cells.map((cell) => this.slots.reduce((sum, slot) => sum + (slot?.[cell] ?? 0), 0))
    // The oldest slots leave first.
    for (let age = PARTS; age >= 0; age--) {
      if (Math.min(...sums) < this.limit) return this.secondsUntilGone(age + 1)
      const slot = this.slots[this.indexOf(age)]
      for (const [row, cell] of cells.entries()) sums[row] -= slot?.[cell] ?? 0
    }
    return this.secondsUntilGone(0)
  }

  /** Counts a try under a name. What it returns takes that try back, as if it had not been made. */
  count(name: string): () => void {
    this.advance()
    const { position } = this
    const index = this.indexOf(0)
    const slot = this.slots[index] ?? new Uint8Array(ROWS * this.counters)
    this.slots[index] = slot
    const counted = this.cellsOf(name).filter((cell) => slot[cell] < FULL)
    for (const cell of counted) slot[cell]++
    let isCounted = true
    return () => {
      this.advance()
      if (!isCounted || this.position - position > PARTS) return
      isCounted = false
      for (const cell of counted) if (slot[cell] < FULL) slot[cell]--
    }
  }

  /** All that is counted, to be restored under the same key and limits. */
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

  /** Goes on from what was saved; false, and nothing changes, if it was saved under another key or other limits. */
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

  /** Of the key and the limits. */
  private fingerprint(): Buffer {
    const text = `fingerprint ${this.counters} ${this.slotMillis} ${PARTS}`
    return this.hash.copy().update(text).digest().subarray(0, FINGERPRINT_BYTES)
  }

  /** Until the slot of an age has left; 0 for one that has. */
  private secondsUntilGone(age: number): number {
    if (age > PARTS) return 0
    const goneMillis = (this.slotNumber - age + PARTS + 1) * this.slotMillis
    return Math.max(1, Math.ceil((goneMillis - this.clock.nowMillis()) / 1_000))
  }

  /** Where the slot of so many slots ago is in the ring. */
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

  /** Goes on to the present slot. A clock that was set back has slots begin anew from there; none is kept for longer. */
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
