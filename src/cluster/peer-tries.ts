// Reports login attempts, and other limited attempts, to the other replicas with each tick, so that an attempt counts
// against the limit on every replica.
import type { SharedTries, TryChange } from '../accounts/fleet.ts'
import type { Pace } from './pace.ts'

/** How long an attempt is reported. A replica that is disconnected for longer never counts the attempt. */
const REPORTED_MILLIS = 5_000

/** An attempt: its number on the reporting replica, the limit it counts against, and the change to the counters. */
export type ReportedTry = readonly [number: number, kind: string, slot: number, cells: readonly number[], by: 1 | -1]

/** Lists the attempts that this replica reports, and applies the attempts that other replicas reported. */
export class PeerTries {
  private readonly pace: Pace
  private kinds: Readonly<Record<string, SharedTries>> = {}
  private lastNumber = 0
  private reported: { readonly atMillis: number; readonly each: ReportedTry }[] = []
  /** Replica id → the number of that replica's last attempt that was counted here. */
  private readonly received = new Map<string, number>()

  constructor(pace: Pace) {
    this.pace = pace
  }

  /**
   * Starts to report attempts of these kinds, and to count reported attempts.
   * @param kinds name of a limit → its counters
   */
  share(kinds: Readonly<Record<string, SharedTries>>): void {
    this.kinds = kinds
    for (const [kind, tries] of Object.entries(kinds)) tries.onCount = (change) => this.note(kind, change)
  }

  /** The attempts that this replica reports to the other replicas. */
  report(): { readonly tries?: readonly ReportedTry[] } {
    const fromMillis = this.pace.nowMillis() - REPORTED_MILLIS
    this.reported = this.reported.filter(({ atMillis }) => atMillis >= fromMillis)
    return this.reported.length === 0 ? {} : { tries: this.reported.map(({ each }) => each) }
  }

  /** Applies the attempts that other replicas reported. The keys of `reports` are replica ids. */
  take(reports: Readonly<Record<string, { readonly tries?: readonly ReportedTry[] }>>): void {
    for (const [replica, { tries = [] }] of Object.entries(reports)) {
      const last = this.received.get(replica) ?? 0
      for (const [number, kind, slot, cells, by] of tries) {
        if (number <= last) continue
        this.kinds[kind]?.add({ slot, cells, by })
        this.received.set(replica, number)
      }
    }
  }

  private note(kind: string, { slot, cells, by }: TryChange): void {
    this.reported.push({ atMillis: this.pace.nowMillis(), each: [++this.lastNumber, kind, slot, cells, by] })
  }
}
