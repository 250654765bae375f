// The slot files that earlier processes left in a data directory. A replica never counts in these files: it adds their
// counts to the database and starts new files. It keeps the old files for up to two days, so that their counts can be
// added again if the database loses them.
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  findSegmentFile,
  makeWriterId,
  segmentOrdinal,
  segmentPath,
  setAside,
  writeSegment,
} from '../metering/segment.ts'
import { type RecoveredSegment, toContent, toUsageRows } from '../metering/segment-recovery.ts'
import { syncPath } from '../system/whole-file.ts'
import type { FoundCounts } from './replica.ts'

/** Names of old slot files whose counts were merged into the database: `<data thread>.<writer id>.merged`. */
const MERGED_NAME = /^(\d+)\.[0-9a-f]{32}\.merged$/
const KEPT_MILLIS = 2 * 86_400_000
/**
 * Maximum number of merged files to keep. Without a maximum, a process that crashes at every start would leave 4 MB per
 * data thread each time.
 */
const KEPT_COUNT = 16

/** The counts in the slot files of a folder. */
export interface FoundSegments {
  readonly counts: readonly FoundCounts[]
  /** Ids of the replicas that last counted in this folder. */
  readonly predecessors: readonly string[]
}

/** Reads all slot files in a folder. Files that cannot be read are renamed and reported. */
export function readFound(folder: string, onProblem: (message: string) => void): FoundSegments {
  const counts: FoundCounts[] = []
  const predecessors = new Set<string>()
  for (const { path, ordinal, isMerged } of listFiles(folder)) {
    const segment = findSegmentFile(path, ordinal)
    if (segment === undefined) {
      onProblem(`a slot file is truncated or has no valid header; it was moved to ${setAside(path)}`)
      continue
    }
    const { writerId, owner = '', slots, damagedCount } = toContent(segment)
    counts.push({ owner, writerId, rows: toUsageRows(writerId, slots) })
    if (!isMerged && owner !== '') predecessors.add(owner)
    if (damagedCount > 0)
      onProblem(`damaged slots in ${path}: ${damagedCount}; the units in the other slots of the file are counted`)
  }
  return { counts, predecessors: [...predecessors] }
}

/**
 * Renames the slot files whose counts have been merged into the database, and creates a new slot file for each data
 * thread.
 */
export function beginSegments(
  folder: string,
  { owner, count, nowMillis }: { readonly owner: string; readonly count: number; readonly nowMillis: number },
): RecoveredSegment[] {
  for (const { path, ordinal, isMerged } of listFiles(folder)) {
    if (isMerged) continue
    const segment = findSegmentFile(path, ordinal)
    if (segment === undefined || segment.isFree(1)) rmSync(path)
    else renameSync(path, join(folder, `${ordinal}.${segment.writerId}.merged`))
  }
  removeOld(folder, nowMillis)
  const segments: RecoveredSegment[] = []
  for (let ordinal = 0; ordinal < count; ordinal++) {
    const writerId = makeWriterId()
    writeSegment(segmentPath(folder, ordinal), { writerId, ordinal, owner })
    segments.push({ ordinal, writerId, lastUtcDay: 0, slots: [] })
  }
  syncPath(folder)
  return segments
}

function removeOld(folder: string, nowMillis: number): void {
  const merged = listFiles(folder)
    .filter(({ isMerged }) => isMerged)
    .map(({ path }) => ({ path, changedMillis: statSync(path).mtimeMs }))
    .sort((a, b) => b.changedMillis - a.changedMillis)
  for (const [at, { path, changedMillis }] of merged.entries()) {
    if (at >= KEPT_COUNT || changedMillis < nowMillis - KEPT_MILLIS) rmSync(path)
  }
}

interface SlotFile {
  readonly path: string
  readonly ordinal: number
  readonly isMerged: boolean
}

function listFiles(folder: string): SlotFile[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap((name): SlotFile[] => {
    const path = join(folder, name)
    const ordinal = segmentOrdinal(name)
    if (ordinal !== undefined) return [{ path, ordinal, isMerged: false }]
    const merged = MERGED_NAME.exec(name)?.[1]
    return merged === undefined ? [] : [{ path, ordinal: Number(merged), isMerged: true }]
  })
}
