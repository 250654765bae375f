// The other replicas of a cluster, as the accounts see them. Implemented by src/cluster, which a single service never loads.
import type { FleetAsk, FleetTold } from '../access/fleet-talk.ts'
import type { RingChange } from '../access/key-ring.ts'
import type { LimitCells } from '../access/open-gate.ts'
import type { PastUsage } from '../metering/live-usage.ts'
import type { UsageStore } from '../metering/usage-store.ts'

/** This replica's side of a cluster. */
export interface Fleet {
  /** Where counts are flushed to. */
  readonly usageStore: UsageStore
  /** Memory shared with the data threads (src/cluster/grant-cells.ts). */
  readonly grantCells: SharedArrayBuffer
  /** Memory of units and rates, by account. */
  readonly limitCells: LimitCells
  /** Whether traffic may be sent to this replica. */
  readonly isReady: boolean
  /** Whether this replica does what one of them should do, such as closing months. */
  readonly isFirst: boolean
  /** Whether enough time has passed since the last flush. */
  readonly isFlushDue: boolean
  /** From here on, answers questions of data threads. */
  connect(tell: (told: FleetTold, ordinal?: number) => void): void
  /** A data thread asks. */
  answer(ask: FleetAsk, ordinal: number): void
  /** The data threads run: joins the others in serving. */
  serve(): Promise<void>
  /** This process is about to publish a change to its threads. */
  note(change: RingChange): void
  /** Names the replicas that have not seen all changes within a second. */
  listUnconfirmed(): Promise<readonly string[]>
  /** What other replicas counted for an account. Throws StoreUnavailable. */
  usageElsewhere(accountId: string): Promise<PastUsage[]>
  /** A flush was refused. */
  onFault(error: unknown): void
  /** Makes counts of earlier days late. Throws while replicas may still flush some. */
  closeDays(day: number): Promise<void>
  /** After the last flush: gives its units back and leaves. */
  leave(): Promise<void>
}
