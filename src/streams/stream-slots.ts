// How many streams are open on all data threads, by key, account and address: one table in memory that the threads share.
// A slot is taken under a lock, so that the limits hold exactly however many threads open streams at once.

/** Streams that one key may hold open. */
export const KEY_STREAM_LIMIT = 10
/** Streams that the keys of one account may hold open. */
export const ACCOUNT_STREAM_LIMIT = 50
/** Streams that one address may hold open, whatever its keys. */
export const ADDRESS_STREAM_LIMIT = 100
/** Streams that the service holds open. */
export const SERVICE_STREAM_LIMIT = 10_000
/** From so many open streams on an account may hold only a few. */
export const CROWDED_STREAM_COUNT = 0.8 * SERVICE_STREAM_LIMIT
/** Streams that an account may hold open then. */
export const CROWDED_ACCOUNT_STREAM_LIMIT = 5

/** Longest sleep while another thread holds the lock, which it does for some microseconds. */
const LOCK_WAIT_MILLIS = 1
const LOCK_BYTES = 8
const LIMIT = SERVICE_STREAM_LIMIT

/** A slot, or whose limit is reached. */
export type TakenSlot =
  | { readonly kind: 'taken'; readonly slot: number }
  | { readonly kind: 'full'; readonly of: FullLimit }

/** Whose limit is reached; `share` is an account's while most places are taken. */
export type FullLimit = 'key' | 'account' | 'address' | 'share' | 'service'

/** Who holds a stream open. */
export interface StreamHolder {
  readonly keyId: string
  readonly accountId: string
  /** Who is counted together by address; absent for a proxy that is trusted. */
  readonly address?: string | undefined
}

/** Memory for a process: lock (8 bytes) │ key of slot (f64 × limit) │ account (f64) │ address (f64) │ thread (u8). */
export function allocateStreamSlots(): SharedArrayBuffer {
  return new SharedArrayBuffer(LOCK_BYTES + LIMIT * 25)
}

/** The open streams of all data threads. Made on each thread over the same memory. */
export class StreamSlots {
  private readonly lock: Int32Array
  /** Slot → number of the key that holds it; 0 is free. */
  private readonly keys: Float64Array
  /** Slot → number of the account. */
  private readonly accounts: Float64Array
  /** Slot → number of the address, or 0. */
  private readonly addresses: Float64Array
  /** Slot → the data thread that holds its stream. */
  private readonly threads: Uint8Array
  private readonly thread: number

  /** @param thread the data thread that takes slots by this, from 0 */
  constructor(memory: SharedArrayBuffer, thread = 0) {
    this.thread = thread
    this.lock = new Int32Array(memory, 0, 1)
    this.keys = new Float64Array(memory, LOCK_BYTES, LIMIT)
    this.accounts = new Float64Array(memory, LOCK_BYTES + LIMIT * 8, LIMIT)
    this.addresses = new Float64Array(memory, LOCK_BYTES + LIMIT * 16, LIMIT)
    this.threads = new Uint8Array(memory, LOCK_BYTES + LIMIT * 24, LIMIT)
  }

  /** Takes a slot, unless a limit is reached. */
  take({ keyId, accountId, address: from }: StreamHolder): TakenSlot {
    const key = numberOf(keyId)
    const account = numberOf(accountId)
    const address = from === undefined ? 0 : numberOf(from)
    return this.locked(() => {
      const { keys, accounts, addresses } = this
      const of = { key: 0, account: 0, address: 0 }
      let [taken, free] = [0, -1]
      for (let slot = 0; slot < keys.length; slot++) {
        if (keys[slot] === 0) {
          if (free < 0) free = slot
          continue
        }
        taken++
        if (keys[slot] === key) of.key++
        if (accounts[slot] === account) of.account++
        if (addresses[slot] === address) of.address++
      }
      const full = fullLimit(of, { taken, hasAddress: address !== 0 })
      if (full !== undefined) return { kind: 'full', of: full }
      keys[free] = key
      accounts[free] = account
      addresses[free] = address
      this.threads[free] = this.thread
      return { kind: 'taken', slot: free }
    })
  }

  /** Gives a slot back. */
  release(slot: number): void {
    this.locked(() => {
      this.keys[slot] = 0
    })
  }

  /** Gives back all slots of a thread that has died. */
  releaseOf(thread: number): void {
    this.locked(() => {
      for (const [slot, holder] of this.threads.entries()) if (holder === thread) this.keys[slot] = 0
    })
  }

  /** How many are taken, on all threads. */
  get takenCount(): number {
    return this.locked(() => this.keys.reduce((sum, key) => sum + (key === 0 ? 0 : 1), 0))
  }

  private locked<Result>(act: () => Result): Result {
    while (Atomics.compareExchange(this.lock, 0, 0, 1) !== 0) Atomics.wait(this.lock, 0, 1, LOCK_WAIT_MILLIS)
    try {
      return act()
    } finally {
      Atomics.store(this.lock, 0, 0)
      Atomics.notify(this.lock, 0, 1)
    }
  }
}

/** The limit that so many open streams of a holder have reached. */
function fullLimit(
  of: { readonly key: number; readonly account: number; readonly address: number },
  { taken, hasAddress }: { readonly taken: number; readonly hasAddress: boolean },
): FullLimit | undefined {
  if (of.key >= KEY_STREAM_LIMIT) return 'key'
  if (of.account >= ACCOUNT_STREAM_LIMIT) return 'account'
  if (hasAddress && of.address >= ADDRESS_STREAM_LIMIT) return 'address'
  if (taken >= LIMIT) return 'service'
  return taken >= CROWDED_STREAM_COUNT && of.account >= CROWDED_ACCOUNT_STREAM_LIMIT ? 'share' : undefined
}

/** An id as a number of 53 bits, never 0: two ids of a service share one by chance once in some 10 ^ 8 services. */
function numberOf(id: string): number {
  return Number(BigInt.asUintN(52, Bun.hash.wyhash(id))) + 1
}
