// What happens to segments before a thread may write to them again: their counts go to the ledger, a file that lies
// behind the ledger loses its writer, and slots of closed days are given back.
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

/** A slot is given back once its day lies this many days behind. */
const CLOSED_AFTER_DAYS = 2

/** What was found wrong with a segment, in words for the operator. */
export interface SegmentProblem {
  readonly ordinal: number
  readonly message: string
}

/** A segment ready for its thread. */
export interface RecoveredSegment {
  readonly ordinal: number
  readonly writerId: string
  /** The last UTC day the writer charged to, or 0. */
  readonly lastUtcDay: number
  /** The slots it begins with. */
  readonly slots: readonly SlotValues[]
}

/** What a segment's file holds. */
export interface SegmentContent {
  readonly writerId: string
  readonly slots: readonly SlotValues[]
  /** Slots that belong to a key and can't be read. */
  readonly damagedCount: number
  /** A key's day stands in more than one slot: a rewriting was interrupted. */
  readonly hasDoubles: boolean
}

/** Where segments are recovered. */
export interface RecoveryParts {
  readonly folder: string
  readonly store: UsageStore
  /** Today (UTC), in days after 1970. */
  readonly today: number
  onProblem(problem: SegmentProblem): void
  /** Whether the store may take what it refused now at a later time; never where absent. */
  mayPass?(error: unknown): boolean
}

/** Brings segments 0 to segmentCount − 1 to a state their threads can go on from; those beyond are flushed and removed. */
export async function recoverSegments(parts: RecoveryParts, segmentCount: number): Promise<RecoveredSegment[]> {
  const recovered: RecoveredSegment[] = []
  for (let ordinal = 0; ordinal < segmentCount; ordinal++) recovered.push(await recoverSegment(parts, ordinal))
  for (const ordinal of listOrdinals(parts.folder)) {
    if (ordinal >= segmentCount) await retireSegment(parts, ordinal)
  }
  return recovered
}

/** What a segment file holds; undefined where the file is not a segment of this thread. */
export function readSegment(folder: string, ordinal: number): SegmentContent | undefined {
  const segment = findSegment(folder, ordinal)
  return segment === undefined ? undefined : toContent(segment)
}

/** What a mapped segment holds at this moment. */
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
  return { writerId: segment.writerId, slots: [...slots.values()], damagedCount, hasDoubles }
}

/** The numbers of the segments in a folder, in order. */
export function listOrdinals(folder: string): number[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .map(segmentOrdinal)
    .filter((ordinal) => ordinal !== undefined)
    .sort((a, b) => a - b)
}

/** The ledger rows a segment's slots stand for. */
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

/** Ledger rows that a segment should hold and doesn't: signs that its file went back in time. */
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
    const message = `the slot file is cut or has no valid header; set aside as ${aside}. Counting continues from the ledger: at most the units of the last second before the process ended are missing`
    parts.onProblem({ ordinal, message })
    return startSegment(parts, ordinal)
  }
  const rows = await parts.store.listUsage(content.writerId)
  const ahead = findRowsAhead(rows, content, parts.today)
  const isMerged = await mergeOrKeep(parts, ordinal, { content, canWait: content.damagedCount + ahead.length === 0 })
  if (content.damagedCount > 0) {
    const aside = setAside(segmentPath(parts.folder, ordinal))
    const message = `${content.damagedCount} slots are damaged; the readable ones are in the ledger, the file is set aside as ${aside}`
    parts.onProblem({ ordinal, message })
    return startSegment(parts, ordinal)
  }
  if (ahead.length > 0) {
    const units = ahead.reduce((sum, row) => sum + row.units, 0)
    const message = `the segment lies behind the ledger by ${ahead.length} rows (${units} units in them); writer ${content.writerId} is retired`
    parts.onProblem({ ordinal, message })
    return startSegment(parts, ordinal)
  }
  const open = content.slots.filter((slot) => !isClosed(slot.utcDay, parts.today))
  if (isMerged && (content.hasDoubles || open.length < content.slots.length)) {
    writeSegment(segmentPath(parts.folder, ordinal), { writerId: content.writerId, ordinal }, open)
  }
  // A day that has a row and no slot any more must not get another slot, also where the clock is set back to it.
  const openDays = open.map((slot) => slot.utcDay)
  const closedDays = [...rows, ...content.slots].map((use) => use.utcDay).filter((day) => isClosed(day, parts.today))
  const lastUtcDay = [...openDays, ...closedDays.map((day) => day + 1)].reduce((last, day) => Math.max(last, day), 0)
  return { ordinal, writerId: content.writerId, lastUtcDay, slots: isMerged ? open : content.slots }
}

/** Brings a segment's counts to the ledger; false where they stay in their slots, as the store can't take them now. */
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
    parts.onProblem({ ordinal, message: `${why}; counts stay in the slot file until the ledger takes them` })
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
    parts.onProblem({ ordinal, message: `the segment of a thread no longer used is damaged; set aside as ${aside}` })
  }
  if (content !== undefined) await parts.store.mergeUsage(toUsageRows(content.writerId, content.slots))
  rmSync(segmentPath(parts.folder, ordinal), { force: true })
}

function isClosed(utcDay: number, today: number): boolean {
  return utcDay < today - CLOSED_AFTER_DAYS
}
