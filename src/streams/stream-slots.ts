// Limits the number of open streams per key, account and address across all data threads. A table in shared memory has
// one slot per open stream. Slots are taken under a lock, so the limits are exact even if several threads open streams
// at once.

/** Maximum number of open streams per key. */
export const KEY_STREAM_LIMIT = 10
/** Maximum number of open streams per account. */
export const ACCOUNT_STREAM_LIMIT = 50
/** Maximum number of open streams per address, across keys. */
export const ADDRESS_STREAM_LIMIT = 100
/** Maximum number of open streams in this process. */
export const SERVICE_STREAM_LIMIT = 10_000
/** If at least this number of streams is open, a lower limit per account applies. */
export const CROWDED_STREAM_COUNT = 0.8 * SERVICE_STREAM_LIMIT
/** The limit per account if at least CROWDED_STREAM_COUNT streams are open. */
export const CROWDED_ACCOUNT_STREAM_LIMIT = 5

/** Maximum time between two attempts to take the lock. Other threads hold the lock for only a few microseconds. */
const LOCK_WAIT_MILLIS = 1
const LOCK_BYTES = 8
const LIMIT = SERVICE_STREAM_LIMIT

/** The slot that was taken, or the limit that is reached. */
export type TakenSlot =
  | { readonly kind: 'taken'; readonly slot: number }
  | { readonly kind: 'full'; readonly of: FullLimit }

/** A limit that is reached. `share` is the lower limit per account (CROWDED_ACCOUNT_STREAM_LIMIT). */
export type FullLimit = 'key' | 'account' | 'address' | 'share' | 'service'

/** The owner of a stream. */
export interface StreamHolder {
  readonly keyId: string
  readonly accountId: string
  /** The client's address; absent if the per-address limit does not apply, as for trusted proxies. */
  readonly address?: string | undefined
}

/**
 * Allocates the shared table: a lock (8 bytes), then four arrays with one element per slot: keys (f64) │ accounts (f64)
 * │ addresses (f64) │ threads (u8).
 */
export function allocateStreamSlots(): SharedArrayBuffer {
  return new SharedArrayBuffer(LOCK_BYTES + LIMIT * 25)
}

/** The open streams of all data threads. Each data thread has an instance; all instances use the same shared memory. */
export class StreamSlots {
  private readonly lock: Int32Array
  /** Slot → number of its key, as returned by `numberOf`; 0 if the slot is free. */
  private readonly keys: Float64Array
  /** Slot → number of its account. */
  private readonly accounts: Float64Array
  /** Slot → number of its address; 0 if there is no address. */
  private readonly addresses: Float64Array
  /** Slot → index of the data thread that has its stream. */
  private readonly threads: Uint8Array
  private readonly thread: number
  /** In a cluster: number of a key or account → count of its open streams on other replicas. */
  elsewhere: ReadonlyMap<number, number> = new Map()

  /** @param thread index of this data thread, from 0 */
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
      of.key += this.elsewhere.get(key) ?? 0
      of.account += this.elsewhere.get(account) ?? 0
      const full = fullLimit(of, { taken, hasAddress: address !== 0 })
      if (full !== undefined) return { kind: 'full', of: full }
      keys[free] = key
      accounts[free] = account
      addresses[free] = address
      this.threads[free] = this.thread
      return { kind: 'taken', slot: free }
    })
  }

  /** Releases a slot. */
  release(slot: number): void {
    this.locked(() => {
      this.keys[slot] = 0
    })
  }

  /** Releases all slots of a crashed thread. */
  releaseOf(thread: number): void {
    this.locked(() => {
      for (const [slot, holder] of this.threads.entries()) if (holder === thread) this.keys[slot] = 0
    })
  }

  /** The number of open streams per key and per account. The maps are keyed by the numbers that `numberOf` returns. */
  countHeld(): { readonly keys: ReadonlyMap<number, number>; readonly accounts: ReadonlyMap<number, number> } {
    const keys = new Map<number, number>()
    const accounts = new Map<number, number>()
    this.locked(() => {
      for (const [slot, key] of this.keys.entries()) {
        if (key === 0) continue
        keys.set(key, (keys.get(key) ?? 0) + 1)
        const account = this.accounts[slot]
        accounts.set(account, (accounts.get(account) ?? 0) + 1)
      }
    })
    return { keys, accounts }
  }

  /** Number of taken slots on all threads. */
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

/** Returns the limit that is reached, if any. */
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

/** Hashes an id to an integer from 1 to 2^52. The chance that any two ids of a service collide is about 1 in 10^8. */
function numberOf(id: string): number {
  return Number(BigInt.asUintN(52, Bun.hash.wyhash(id))) + 1
}
