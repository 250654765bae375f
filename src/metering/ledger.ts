// Writes the counts of all changed usage slots (slots.ts) to the ledger every second. The counts are totals, not
// differences, and the ledger keeps the larger of the old and the new total.
import { toKeyId } from '../keys/key-number.ts'
import type { PastUsage } from './live-usage.ts'
import { makeWriterId, openSegment, type Segment } from './segment.ts'
import { findRowsAhead, type SegmentContent, toContent, toUsageRows } from './segment-recovery.ts'
import { FIRST_SLOT } from './slots.ts'
import type { UsageRow, UsageStore } from './usage-store.ts'
import { dayText } from './utc-day.ts'

/** Result of `ledger verify`. */
export interface LedgerVerification {
  readonly slots: number
  readonly rows: number
  /** Units in all rows of the ledger. */
  readonly ledger_units: number
  /** Number of slots that the next flush will write. */
  readonly pending_slots: number
  /** Units that are in the pending slots but not yet in the ledger. */
  readonly pending_units: number
  /** One sentence for each fault: rows with more units than their slot, damaged slots, rows for unknown keys. */
  readonly faults: readonly string[]
}

/** How far the ledger is behind the slots. */
export interface LedgerLag {
  /**
   * Seconds since the last successful flush, or since the first attempt if none succeeded; 0 before the first attempt.
   */
  readonly seconds: number
  /** Units that this process has counted but not flushed. */
  readonly units: number
}

/** A failed flush. */
export interface FlushFault {
  /** System time in Unix milliseconds. */
  readonly atMillis: number
  readonly message: string
}

/** Flushes the slot files of one data directory. */
export class Ledger {
  private readonly segments: readonly Segment[]
  private readonly store: UsageStore
  /** Each slot's number of calls at its last flush, by slot file and slot. */
  private readonly flushedCalls: number[][]
  private readonly flushedUnits: number[][]
  /** Time of the last successful flush, or of the first attempt if none succeeded, on the monotonic clock. */
  private flushedAtMillis: number | undefined
  /** Uses that cost no units and therefore have no slot: by key and day, until they are flushed. */
  private uses = new Map<string, UsageRow>()
  private readonly writerOfUses = makeWriterId()

  constructor(folder: string, ordinals: readonly number[], store: UsageStore) {
    this.segments = ordinals.map((ordinal) => openSegment(folder, ordinal))
    this.flushedCalls = this.segments.map(() => [])
    this.flushedUnits = this.segments.map(() => [])
    this.store = store
  }

  /** Writes the slots that changed since the last flush; returns their number. If the flush fails, all stay pending. */
  async flush(): Promise<number> {
    this.flushedAtMillis ??= performance.now()
    const due: { at: number; slot: number; row: UsageRow }[] = []
    for (const [at, segment] of this.segments.entries()) {
      const flushed = this.flushedCalls[at]
      segment.mapGrown()
      for (let slot = FIRST_SLOT; !segment.isFree(slot); slot++) {
        if (flushed[slot] === segment.calls(slot)) continue
        const values = segment.read(slot)
        if (values === undefined) continue
        const { keyNumber, ...counts } = values
        due.push({ at, slot, row: { writerId: segment.writerId, keyId: toKeyId(keyNumber), ...counts } })
      }
    }
    await this.merge(due.map(({ row }) => row))
    for (const { at, slot, row } of due) {
      this.flushedCalls[at][slot] = row.calls
      this.flushedUnits[at][slot] = row.units
    }
    this.flushedAtMillis = performance.now()
    return due.length
  }

  /** Notes a use that cost no units. The next flush writes it to the ledger. */
  noteUse(use: { readonly keyId: string; readonly utcDay: number; readonly lastUsedMillis: number }): void {
    this.uses.set(`${use.keyId}:${use.utcDay}`, { writerId: this.writerOfUses, ...use, units: 0, calls: 0 })
  }

  private async merge(rows: readonly UsageRow[]): Promise<void> {
    const { uses } = this
    this.uses = new Map()
    try {
      await this.store.mergeUsage([...rows, ...uses.values()])
    } catch (error) {
      this.uses = new Map([...uses, ...this.uses])
      throw error
    }
  }

  /** Forgets which counts were flushed, so that the next flush writes every slot. */
  forgetFlushed(): void {
    for (const flushed of this.flushedCalls) flushed.length = 0
  }

  /** Restores the slot file of a crashed data thread if the file was removed. Returns whether it was removed. */
  restoreSlots(ordinal: number): boolean {
    return this.segments.find((segment) => segment.ordinal === ordinal)?.restore() ?? false
  }

  /** How far the ledger is behind. Reads every slot that changed since the last flush. */
  lag(): LedgerLag {
    let units = 0
    for (const [at, segment] of this.segments.entries()) {
      for (let slot = FIRST_SLOT; !segment.isFree(slot); slot++) {
        if (this.flushedCalls[at][slot] === segment.calls(slot)) continue
        units += (segment.read(slot)?.units ?? 0) - (this.flushedUnits[at][slot] ?? 0)
      }
    }
    const nowMillis = performance.now()
    return { seconds: (nowMillis - (this.flushedAtMillis ?? nowMillis)) / 1000, units }
  }

  /**
   * Compares the slots with the rows in the ledger. First reads the slots, then calls `bringUp`, which makes a running
   * service flush its slots. Then reads the rows, and finally the slots again. Units that are in the first reading but
   * not in the rows are pending. If a row has more units than its slot in the second reading, that is a fault.
   */
  async verify(today: number, bringUp: () => Promise<unknown>): Promise<LedgerVerification> {
    const before = this.segments.map(toContent)
    await bringUp()
    const rows = await this.store.listUsage()
    const after = this.segments.map(toContent)
    const knownKeys = new Set((await this.store.listKeys()).map((key) => key.id))
    const rowUnits = new Map(rows.map((row) => [rowKey(row), row.units]))
    const faults: string[] = []
    let [slots, pendingSlots, pendingUnits] = [0, 0, 0]
    for (const content of before) {
      for (const row of toUsageRows(content.writerId, content.slots)) {
        slots++
        const missing = row.units - (rowUnits.get(rowKey(row)) ?? 0)
        if (missing <= 0) continue
        pendingSlots++
        pendingUnits += missing
      }
    }
    for (const content of after) faults.push(...findFaults(content, rows, today))
    const strangers = new Set(rows.map((row) => row.keyId).filter((id) => !knownKeys.has(id)))
    for (const id of strangers) faults.push(`the ledger has rows for ${id}, which is not a known key`)
    const ledgerUnits = rows.reduce((sum, row) => sum + row.units, 0)
    return {
      slots,
      rows: rows.length,
      ledger_units: ledgerUnits,
      pending_slots: pendingSlots,
      pending_units: pendingUnits,
      faults,
    }
  }
}

/**
 * Sums up the ledger rows that have no slot, for usage reports. From `firstDay` on, returns each key's units per day;
 * for all earlier days, only the key's last use.
 */
export function findPast(
  rows: readonly UsageRow[],
  slots: readonly Pick<SegmentContent, 'writerId' | 'slots'>[],
  firstDay: number,
): PastUsage[] {
  const covered = new Set(slots.flatMap((content) => toUsageRows(content.writerId, content.slots).map(rowKey)))
  const sums = new Map<string, { keyId: string; utcDay: number; units: number; lastUsedMillis: number }>()
  for (const row of rows) {
    if (covered.has(rowKey(row))) continue
    const utcDay = row.utcDay < firstDay ? 0 : row.utcDay // of earlier days, only the time of the last use is reported
    const sum = sums.get(`${row.keyId}:${utcDay}`) ?? { keyId: row.keyId, utcDay, units: 0, lastUsedMillis: 0 }
    if (utcDay > 0) sum.units += row.units
    sum.lastUsedMillis = Math.max(sum.lastUsedMillis, row.lastUsedMillis)
    sums.set(`${row.keyId}:${utcDay}`, sum)
  }
  return [...sums.values()]
}

function findFaults(content: SegmentContent, rows: readonly UsageRow[], today: number): string[] {
  const own = rows.filter((row) => row.writerId === content.writerId)
  const faults = findRowsAhead(own, content, today).map(
    (row) =>
      `writer ${row.writerId}: the ledger row for ${row.keyId} on ${dayText(row.utcDay)} has more units than its slot, or has no slot`,
  )
  if (content.damagedCount > 0)
    faults.push(`writer ${content.writerId}: number of damaged slots: ${content.damagedCount}`)
  if (content.hasDoubles) faults.push(`writer ${content.writerId}: a key's usage on one day is in more than one slot`)
  return faults
}

function rowKey(row: { writerId: string; keyId: string; utcDay: number }): string {
  return `${row.writerId}:${row.keyId}:${row.utcDay}`
}
