// Recovers segments (the slot files of data threads) before any thread writes to them. Flushes their counts to the
// ledger, retires writers whose file is older than the ledger, and frees the slots of closed days.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { toKeyId } from '../keys/key-number.ts'
import {
  findSegment,
  makeWriterId,
  type Segment,
  segmentOrdinal,
  segmentPath,
  setAside,
  writeSegment,
} from './segment.ts'
import { FIRST_SLOT, type SlotValues } from './slots.ts'
import type { UsageRow, UsageStore } from './usage-store.ts'

/** A UTC day is closed, and its slots are freed, once it is more than this number of days before today. */
const CLOSED_AFTER_DAYS = 2

/** A problem with a segment, for the operator. */
export interface SegmentProblem {
  readonly ordinal: number
  readonly message: string
}

/** A recovered segment, to which its data thread can write. */
export interface RecoveredSegment {
  readonly ordinal: number
  readonly writerId: string
  /**
   * The first UTC day to which the thread may charge: the last day in the slots, or the day after the last closed day
   * if that is later.
   */
  readonly lastUtcDay: number
  /** The slots that are in the file when the thread starts. */
  readonly slots: readonly SlotValues[]
}

/** Content of a segment file. */
export interface SegmentContent {
  readonly writerId: string
  /** In a cluster: id of the replica whose counts the file contains. */
  readonly owner: string | undefined
  readonly slots: readonly SlotValues[]
  /** Number of slots that have a key but cannot be read. */
  readonly damagedCount: number
  /** Whether a key has two slots for one day, because rewriting the file was interrupted. */
  readonly hasDoubles: boolean
}

/** What the recovery needs. */
export interface RecoveryParts {
  readonly folder: string
  readonly store: UsageStore
  /** Today (UTC), in days since 1970. */
  readonly today: number
  onProblem(problem: SegmentProblem): void
  /**
   * Whether the store may later accept rows that it refused with this error. If this function is absent, every refusal
   * makes the recovery fail.
   */
  mayPass?(error: unknown): boolean
}

/** Recovers segments 0 to segmentCount − 1; flushes and removes all others. */
export async function recoverSegments(parts: RecoveryParts, segmentCount: number): Promise<RecoveredSegment[]> {
  const recovered: RecoveredSegment[] = []
  for (let ordinal = 0; ordinal < segmentCount; ordinal++) recovered.push(await recoverSegment(parts, ordinal))
  for (const ordinal of listOrdinals(parts.folder)) {
    if (ordinal >= segmentCount) await retireSegment(parts, ordinal)
  }
  return recovered
}

/** Reads a segment file; undefined if the file is not a segment of this data thread. */
export function readSegment(folder: string, ordinal: number): SegmentContent | undefined {
  const segment = findSegment(folder, ordinal)
  return segment === undefined ? undefined : toContent(segment)
}

/** Reads a mapped segment. */
export function toContent(segment: Segment): SegmentContent {
  const slots = new Map<string, SlotValues>()
  let damagedCount = 0
  let hasDoubles = false
  segment.mapGrown()
  for (let slot = FIRST_SLOT; !segment.isFree(slot); slot++) {
    const values = segment.read(slot)
    if (values === undefined) {
      damagedCount++
      continue
    }
    const key = `${values.utcDay}:${values.keyNumber}`
    const before = slots.get(key)
    hasDoubles ||= before !== undefined
    slots.set(key, before === undefined || values.units > before.units ? values : before)
  }
  return { writerId: segment.writerId, owner: segment.owner, slots: [...slots.values()], damagedCount, hasDoubles }
}

/** The sorted numbers of the segments in a folder. */
export function listOrdinals(folder: string): number[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .map(segmentOrdinal)
    .filter((ordinal) => ordinal !== undefined)
    .sort((a, b) => a - b)
}

/** The ledger rows of a segment's slots. */
export function toUsageRows(writerId: string, slots: readonly SlotValues[]): UsageRow[] {
  return slots.map((slot) => ({
    writerId,
    keyId: toKeyId(slot.keyNumber),
    utcDay: slot.utcDay,
    units: slot.units,
    calls: slot.calls,
    lastUsedMillis: slot.lastUsedMillis,
  }))
}

/**
 * Ledger rows with more units than the segment has for the same key and day. Such rows show that an older copy of the
 * file was restored.
 */
export function findRowsAhead(rows: readonly UsageRow[], content: SegmentContent, today: number): UsageRow[] {
  const units = new Map(content.slots.map((slot) => [`${slot.utcDay}:${toKeyId(slot.keyNumber)}`, slot.units]))
  return rows.filter((row) => {
    const slotUnits = units.get(`${row.utcDay}:${row.keyId}`)
    return slotUnits === undefined ? !isClosed(row.utcDay, today) : row.units > slotUnits
  })
}

async function recoverSegment(parts: RecoveryParts, ordinal: number): Promise<RecoveredSegment> {
  if (!existsSync(segmentPath(parts.folder, ordinal))) return startSegment(parts, ordinal)
  const content = readSegment(parts.folder, ordinal)
  if (content === undefined) {
    const aside = setAside(segmentPath(parts.folder, ordinal))
    const message = `the slot file is truncated or has no valid header; it was moved to ${aside}. Counting continues from the ledger: at most the units from the last second before the process ended are missing`
    parts.onProblem({ ordinal, message })
    return startSegment(parts, ordinal)
  }
  const rows = await parts.store.listUsage(content.writerId)
  const ahead = findRowsAhead(rows, content, parts.today)
  const isMerged = await mergeOrKeep(parts, ordinal, { content, canWait: content.damagedCount + ahead.length === 0 })
  if (content.damagedCount > 0) {
    const aside = setAside(segmentPath(parts.folder, ordinal))
    const message = `damaged slots in the slot file: ${content.damagedCount}; the other slots are in the ledger, and the file was moved to ${aside}`
    parts.onProblem({ ordinal, message })
    return startSegment(parts, ordinal)
  }
  if (ahead.length > 0) {
    const units = ahead.reduce((sum, row) => sum + row.units, 0)
    const message = `the slot file of writer ${content.writerId} is older than the ledger; starting a new slot file (ledger rows with more units than the file: ${ahead.length}; units in these rows: ${units})`
    parts.onProblem({ ordinal, message })
    return startSegment(parts, ordinal)
  }
  const open = content.slots.filter((slot) => !isClosed(slot.utcDay, parts.today))
  if (isMerged && (content.hasDoubles || open.length < content.slots.length)) {
    writeSegment(segmentPath(parts.folder, ordinal), { writerId: content.writerId, ordinal }, open)
  }
  // A closed day has ledger rows but no slots anymore. It must not get slots again, even if the clock is set back: a
  // new slot would count from 0, and the ledger, which keeps the maximum, would ignore its units.
  const openDays = open.map((slot) => slot.utcDay)
  const closedDays = [...rows, ...content.slots].map((use) => use.utcDay).filter((day) => isClosed(day, parts.today))
  const lastUtcDay = [...openDays, ...closedDays.map((day) => day + 1)].reduce((last, day) => Math.max(last, day), 0)
  return { ordinal, writerId: content.writerId, lastUtcDay, slots: isMerged ? open : content.slots }
}

/**
 * Flushes a segment's counts to the ledger. Returns false if the store is unavailable but may accept the counts later.
 * The counts then stay in their slots.
 */
async function mergeOrKeep(
  parts: RecoveryParts,
  ordinal: number,
  { content, canWait }: { readonly content: SegmentContent; readonly canWait: boolean },
): Promise<boolean> {
  try {
    await parts.store.mergeUsage(toUsageRows(content.writerId, content.slots))
    return true
  } catch (error) {
    if (!canWait || parts.mayPass?.(error) !== true) throw error
    const why = error instanceof Error ? error.message : String(error)
    parts.onProblem({ ordinal, message: `${why}; counts stay in the slot file until the ledger is writable` })
    return false
  }
}

function startSegment(parts: RecoveryParts, ordinal: number): RecoveredSegment {
  const writerId = makeWriterId()
  writeSegment(segmentPath(parts.folder, ordinal), { writerId, ordinal })
  return { ordinal, writerId, lastUtcDay: 0, slots: [] }
}

async function retireSegment(parts: RecoveryParts, ordinal: number): Promise<void> {
  const content = readSegment(parts.folder, ordinal)
  if (content === undefined || content.damagedCount > 0) {
    const aside = setAside(segmentPath(parts.folder, ordinal))
    parts.onProblem({
      ordinal,
      message: `this thread is no longer used, and its slot file is damaged; the file was moved to ${aside}`,
    })
  }
  if (content !== undefined) await parts.store.mergeUsage(toUsageRows(content.writerId, content.slots))
  rmSync(segmentPath(parts.folder, ordinal), { force: true })
}

function isClosed(utcDay: number, today: number): boolean {
  return utcDay < today - CLOSED_AFTER_DAYS
}
