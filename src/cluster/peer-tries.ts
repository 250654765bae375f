// Attempts to log in, and others that are limited, told to the other replicas with the ticks: an attempt counts everywhere.
import type { SharedTries, TryChange } from '../accounts/fleet.ts'
import type { Pace } from './pace.ts'

/** How long an attempt is told. A replica that is cut off for longer misses it. */
const TOLD_MILLIS = 5_000

/** An attempt of a replica: its number there, what it is limited by, and the change of the counters. */
export type ToldTry = readonly [number: number, kind: string, slot: number, cells: readonly number[], by: 1 | -1]

/** This replica's side. */
export class PeerTries {
  private readonly pace: Pace
  private kinds: Readonly<Record<string, SharedTries>> = {}
  private lastNumber = 0
  private told: { readonly atMillis: number; readonly each: ToldTry }[] = []
  /** By replica: the number of the last attempt that was counted here. */
  private readonly heard = new Map<string, number>()

  constructor(pace: Pace) {
    this.pace = pace
  }

  /** From here on, these counts are shared. */
  share(kinds: Readonly<Record<string, SharedTries>>): void {
    this.kinds = kinds
    for (const [kind, tries] of Object.entries(kinds)) tries.onCount = (change) => this.note(kind, change)
  }

  /** What to tell the others. */
  tell(): { readonly tries?: readonly ToldTry[] } {
    const fromMillis = this.pace.nowMillis() - TOLD_MILLIS
    this.told = this.told.filter(({ atMillis }) => atMillis >= fromMillis)
    return this.told.length === 0 ? {} : { tries: this.told.map(({ each }) => each) }
  }

  /** Takes over what the others tell, by replica. */
  hear(told: Readonly<Record<string, { readonly tries?: readonly ToldTry[] }>>): void {
    for (const [replica, { tries = [] }] of Object.entries(told)) {
      const last = this.heard.get(replica) ?? 0
      for (const [number, kind, slot, cells, by] of tries) {
        if (number <= last) continue
        this.kinds[kind]?.add({ slot, cells, by })
        this.heard.set(replica, number)
      }
    }
  }

  private note(kind: string, { slot, cells, by }: TryChange): void {
    this.told.push({ atMillis: this.pace.nowMillis(), each: [++this.lastNumber, kind, slot, cells, by] })
  }
}
