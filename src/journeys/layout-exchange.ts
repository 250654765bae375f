// Shares layouts between all planners of the process. Each planner publishes its layouts in shared memory. While one
// planner lays out a network, the other planners wait for its layout instead of making the same one.
import { LRUCache } from 'lru-cache'
import { bytesOfArrays } from '../../indexes/journeys/layout-budget.ts'
import { inSharedMemory, type LayoutShare, type SharedLayout } from '../../indexes/journeys/shared-layouts.ts'

/** Messages between planners. */
type Exchanged =
  /** A planner has started. The other planners reply with their layouts and claims. */
  | { readonly kind: 'hello' }
  | { readonly kind: 'layout'; readonly key: string; readonly layout: SharedLayout }
  /** A planner starts to lay out a network. */
  | { readonly kind: 'claim'; readonly network: string; readonly rank: number }
  | { readonly kind: 'done'; readonly network: string }

const CHANNEL = 'quai-layouts'
/**
 * Maximum bytes of layouts that are kept for planners that start later. Running planners keep the layouts that they
 * use.
 */
const KEPT_BYTES = 128 * 1024 * 1024
/** After a claim, a planner waits this long for other planners to receive it. */
const CLAIM_MILLIS = 20
/** After its start, a planner waits this long for the answers of running planners. */
const HELLO_MILLIS = 300
/** Maximum time that a planner waits for a network that another planner has claimed. */
const CLAIM_END_MILLIS = 5_000

/** One planner's side of the exchange. */
export class LayoutExchange {
  private readonly channel = new BroadcastChannel(CHANNEL)
  private readonly layouts = new LRUCache<string, SharedLayout>({
    maxSize: KEPT_BYTES,
    sizeCalculation: (layout) => Math.max(1, bytesOfArrays(layout)),
  })
  /** If two planners claim a network at the same time, the one with the lower rank lays it out. */
  private readonly rank = Math.random()
  private readonly claimsOfOthers = new Map<string, number>()
  private readonly own = new Set<string>()
  private readonly listensSince = performance.now()

  constructor() {
    this.channel.onmessage = ({ data }) => this.take(data)
    this.channel.unref()
    this.send({ kind: 'hello' })
  }

  /**
   * Returns the store of shared layouts for one timetable and one set of rules.
   * @param name unique; begins with the snapshot's id
   */
  shareOf(name: string): LayoutShare {
    const nameOf = (key: string) => `${name} ${key}`
    return {
      find: (key) => this.layouts.get(nameOf(key)),
      put: (key, layout) => {
        const shared = inSharedMemory(layout)
        this.layouts.set(nameOf(key), shared)
        this.send({ kind: 'layout', key: nameOf(key), layout: shared })
        return shared
      },
    }
  }

  /**
   * Claims the layout of a network. If a planner with a lower rank has claimed the network too, waits in steps while
   * that planner lays it out. The claim ends with `done`.
   */
  *turn(network: string): Generator<void> {
    this.own.add(network)
    this.send({ kind: 'claim', network, rank: this.rank })
    const heardFrom = Math.max(performance.now() + CLAIM_MILLIS, this.listensSince + HELLO_MILLIS)
    while (performance.now() < heardFrom) yield
    const until = performance.now() + CLAIM_END_MILLIS
    while ((this.claimsOfOthers.get(network) ?? 1) < this.rank && performance.now() < until) yield
  }

  /** Releases the claim, because the network is laid out. */
  done(network: string): void {
    this.own.delete(network)
    this.send({ kind: 'done', network })
  }

  /**
   * Drops the layouts of snapshots that are no longer served.
   * @param snapshotIds the snapshots that are still served
   */
  keepOnly(snapshotIds: ReadonlySet<string>): void {
    for (const key of [...this.layouts.keys()]) {
      if (!snapshotIds.has(key.slice(0, key.indexOf(' ')))) this.layouts.delete(key)
    }
  }

  close(): void {
    this.channel.close()
  }

  private send(message: Exchanged): void {
    this.channel.postMessage(message)
  }

  private take(message: Exchanged): void {
    switch (message.kind) {
      case 'hello':
        for (const [key, layout] of this.layouts.entries()) this.send({ kind: 'layout', key, layout })
        for (const network of this.own) this.send({ kind: 'claim', network, rank: this.rank })
        break
      case 'layout':
        if (!this.layouts.has(message.key)) this.layouts.set(message.key, message.layout)
        break
      case 'claim':
        this.claimsOfOthers.set(message.network, Math.min(message.rank, this.claimsOfOthers.get(message.network) ?? 1))
        break
      case 'done':
        this.claimsOfOthers.delete(message.network)
        break
    }
  }
}
