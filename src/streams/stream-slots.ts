// How many streams are open on all data threads, by key and by account: one table in memory that the threads share.
// A slot is taken under a lock, so that the limits hold exactly however many threads open streams at once.

/** Streams that one key may hold open. */
export const KEY_STREAM_LIMIT = 10
/** Streams that the keys of one account may hold open. */
export const ACCOUNT_STREAM_LIMIT = 50
/** Streams that the service holds open. */
export const SERVICE_STREAM_LIMIT = 10_000

/** Longest sleep while another thread holds the lock, which it does for some microseconds. */
const LOCK_WAIT_MILLIS = 1
const LOCK_BYTES = 8
const LIMIT = SERVICE_STREAM_LIMIT

/** A slot, or whose limit is reached. */
export type TakenSlot =
  | { readonly kind: 'taken'; readonly slot: number }
  | { readonly kind: 'full'; readonly of: 'key' | 'account' | 'service' }

/** Who holds a stream open. */
export interface StreamHolder {
  readonly keyId: string
  readonly accountId: string
}

/** Memory for a process: lock (8 bytes) │ key of slot (f64 × limit) │ account of slot (f64) │ thread of slot (u8). */
export function allocateStreamSlots(): SharedArrayBuffer {
  return new SharedArrayBuffer(LOCK_BYTES + LIMIT * 17)
}

/** The open streams of all data threads. Made on each thread over the same memory. */
export class StreamSlots {
  private readonly lock: Int32Array
  /** Slot → number of the key that holds it; 0 is free. */
  private readonly keys: Float64Array
  /** Slot → number of the account. */
  private readonly accounts: Float64Array
  /** Slot → the data thread that holds its stream. */
  private readonly threads: Uint8Array
  private readonly thread: number

  /** @param thread the data thread that takes slots by this, from 0 */
  constructor(memory: SharedArrayBuffer, thread = 0) {
    this.thread = thread
    this.lock = new Int32Array(memory, 0, 1)
    this.keys = new Float64Array(memory, LOCK_BYTES, LIMIT)
    this.accounts = new Float64Array(memory, LOCK_BYTES + LIMIT * 8, LIMIT)
    this.threads = new Uint8Array(memory, LOCK_BYTES + LIMIT * 16, LIMIT)
  }

  /** Takes a slot, unless a limit is reached. */
  take({ keyId, accountId }: StreamHolder): TakenSlot {
    const key = numberOf(keyId)
    const account = numberOf(accountId)
    return this.locked(() => {
      const { keys, accounts } = this
      let ofKey = 0
      let ofAccount = 0
      let free = -1
      for (let slot = 0; slot < keys.length; slot++) {
        if (keys[slot] === 0) {
          if (free < 0) free = slot
        } else if (accounts[slot] === account) {
          ofAccount++
          if (keys[slot] === key) ofKey++
        }
      }
      if (ofKey >= KEY_STREAM_LIMIT) return { kind: 'full', of: 'key' }
      if (ofAccount >= ACCOUNT_STREAM_LIMIT) return { kind: 'full', of: 'account' }
      if (free < 0) return { kind: 'full', of: 'service' }
      keys[free] = key
      accounts[free] = account
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

/** An id as a number of 53 bits, never 0: two ids of a service share one by chance once in some 10 ^ 8 services. */
function numberOf(id: string): number {
  return Number(BigInt.asUintN(52, Bun.hash.wyhash(id))) + 1
}
