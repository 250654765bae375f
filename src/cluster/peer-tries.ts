// Reports log-in attempts, and other limited attempts, to the other replicas with the ticks: an attempt counts
// everywhere.
import type { SharedTries, TryChange } from '../accounts/fleet.ts'
import type { Pace } from './pace.ts'

/** How long an attempt is reported. A replica that is cut off for longer misses it. */
const REPORTED_MILLIS = 5_000

/** An attempt on a replica: its number there, the limit it counts against, and the change of the counters. */
export type ReportedTry = readonly [number: number, kind: string, slot: number, cells: readonly number[], by: 1 | -1]

/** One replica's reports, and its use of the others' reports. */
export class PeerTries {
  private readonly pace: Pace
  private kinds: Readonly<Record<string, SharedTries>> = {}
  private lastNumber = 0
  private reported: { readonly atMillis: number; readonly each: ReportedTry }[] = []
  /** Replica → the number of the last attempt that was counted here. */
  private readonly received = new Map<string, number>()

  constructor(pace: Pace) {
    this.pace = pace
  }

  /** Starts to share the attempts of these kinds. */
  share(kinds: Readonly<Record<string, SharedTries>>): void {
    this.kinds = kinds
    for (const [kind, tries] of Object.entries(kinds)) tries.onCount = (change) => this.note(kind, change)
  }

  /** The report for the other replicas. */
  report(): { readonly tries?: readonly ReportedTry[] } {
    const fromMillis = this.pace.nowMillis() - REPORTED_MILLIS
    this.reported = this.reported.filter(({ atMillis }) => atMillis >= fromMillis)
    return this.reported.length === 0 ? {} : { tries: this.reported.map(({ each }) => each) }
  }

  /** Applies the reports of the others, by replica. */
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
