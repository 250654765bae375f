// A segment: the slot file of one data thread, mapped by every thread. The file is filled with zeros in advance, so
// that later writes to the mapped memory cannot fail because the disk is full.
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { syncPath } from '../system/whole-file.ts'
import {
  EXTENT_BYTES,
  type Extent,
  FIRST_SLOT,
  isFreeSlot,
  readOwner,
  readSlot,
  readWriterId,
  type SegmentHeader,
  SLOTS_PER_EXTENT,
  type SlotValues,
  slotCalls,
  toExtent,
  writeHeader,
  writeSlotOwner,
  writeSlotValues,
} from './slots.ts'

const WRITER_ID_BYTES = 16
const SEGMENT_NAME = /^(\d+)\.slots$/

/** The folder of all segments in a data directory. */
export function segmentFolder(dataDir: string): string {
  return join(dataDir, 'meter')
}

/** The path of one data thread's slot file; threads are numbered from 0. */
export function segmentPath(folder: string, ordinal: number): string {
  return join(folder, `${ordinal}.slots`)
}

/** The number of the data thread to which a file in the segment folder belongs; undefined for other files. */
export function segmentOrdinal(fileName: string): number | undefined {
  const digits = SEGMENT_NAME.exec(fileName)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** An id for a new writer: 128 random bits as 32 hexadecimal digits. */
export function makeWriterId(): string {
  return crypto.getRandomValues(new Uint8Array(WRITER_ID_BYTES)).toHex()
}

/** Writes a segment with these slots to a temporary file, syncs it and renames it to `path`. */
export function writeSegment(path: string, header: SegmentHeader, slots: readonly SlotValues[] = []): void {
  const extentCount = Math.ceil((slots.length + FIRST_SLOT) / SLOTS_PER_EXTENT)
  const bytes = new Uint8Array(extentCount * EXTENT_BYTES)
  writeHeader(bytes, header)
  const extents = Array.from({ length: extentCount }, (_, at) => toExtent(bytes.subarray(at * EXTENT_BYTES)))
  for (const [index, values] of slots.entries()) {
    const slot = index + FIRST_SLOT
    const extent = extents[Math.floor(slot / SLOTS_PER_EXTENT)]
    writeSlotOwner(extent, slot % SLOTS_PER_EXTENT, values)
    writeSlotValues(extent, slot % SLOTS_PER_EXTENT, values)
  }
  writeWhole(path, extents)
}

/** Maps a segment; undefined if the file is too short or has no valid header for this data thread. */
export function findSegment(folder: string, ordinal: number): Segment | undefined {
  return findSegmentFile(segmentPath(folder, ordinal), ordinal)
}

/** Like `findSegment`, for a file of any name. */
export function findSegmentFile(path: string, ordinal: number): Segment | undefined {
  const { size } = statSync(path)
  const fileId = findFileId(path)
  if (size < EXTENT_BYTES || fileId === undefined) return undefined
  const first = mapExtent(path, 0)
  const writerId = readWriterId(first, ordinal)
  return writerId === undefined
    ? undefined
    : new Segment(path, { ordinal, writerId, owner: readOwner(first), fileId, first })
}

/** Maps a recovered segment; throws if it is invalid. */
export function openSegment(folder: string, ordinal: number): Segment {
  const segment = findSegment(folder, ordinal)
  if (segment === undefined)
    throw new Error(`${segmentPath(folder, ordinal)} is not the slot file of data thread ${ordinal}`)
  return segment
}

/** A mapped segment. All threads read it, and one writes to it. Maps more extents when the file grows. */
export class Segment {
  readonly ordinal: number
  readonly writerId: string
  /** In a cluster: id of the replica whose counts the segment contains; undefined in a single service. */
  readonly owner: string | undefined
  private readonly path: string
  private readonly mapped: Extent[] = []
  /** The mapped extents; the meter writes into them. */
  readonly extents: readonly Extent[] = this.mapped
  /**
   * Identity of the mapped file, as returned by `findFileId`. If that file was replaced, the file at `path` has another
   * identity.
   */
  private fileId: string

  constructor(path: string, parts: SegmentHeader & { readonly fileId: string; readonly first: Uint8Array }) {
    this.path = path
    this.ordinal = parts.ordinal
    this.writerId = parts.writerId
    this.owner = parts.owner
    this.fileId = parts.fileId
    this.mapped.push(toExtent(parts.first))
    this.mapGrown()
  }

  /** The extent of a slot, or undefined if it is not mapped. */
  extentOf(slot: number): Extent | undefined {
    return this.extents[Math.floor(slot / SLOTS_PER_EXTENT)]
  }

  /** Whether a slot is free or does not exist yet. */
  isFree(slot: number): boolean {
    const extent = this.extentOf(slot)
    return extent === undefined || isFreeSlot(extent, slot % SLOTS_PER_EXTENT)
  }

  /** A slot's values; undefined if it is free or damaged. */
  read(slot: number): SlotValues | undefined {
    const extent = this.extentOf(slot)
    if (extent === undefined || isFreeSlot(extent, slot % SLOTS_PER_EXTENT)) return undefined
    return readSlot(extent, slot % SLOTS_PER_EXTENT)
  }

  /**
   * The number of calls in a slot. A charge changes this number last, so no charge is completed while the number stays
   * the same.
   */
  calls(slot: number): number {
    const extent = this.extentOf(slot)
    return extent === undefined ? 0 : slotCalls(extent, slot % SLOTS_PER_EXTENT)
  }

  /** Whether the mapped file is still at the segment's path. */
  isInPlace(): boolean {
    return findFileId(this.path) === this.fileId
  }

  /**
   * Maps extents that were added to the file. If the file was removed and restored, maps all extents again. While the
   * file is missing, the mapping of the removed file stays readable.
   */
  mapGrown(): void {
    const fileId = findFileId(this.path)
    if (fileId === undefined) return
    if (fileId !== this.fileId && !this.mapAnew(fileId)) return
    const extentCount = Math.floor(statSync(this.path).size / EXTENT_BYTES)
    while (this.extents.length < extentCount) this.mapped.push(toExtent(mapExtent(this.path, this.extents.length)))
  }

  /**
   * If the file was removed or replaced, writes it again with all counts. Another file at `path` is renamed first. Must
   * only be called by the thread that writes the segment, or after that thread has crashed, because no units may be
   * charged meanwhile. Returns whether the file was written. Throws if the disk is full; the counts then stay in the
   * mapping until the next `restore`.
   */
  restore(): boolean {
    if (this.isInPlace()) return false
    writeWhole(this.path, this.extents, () => {
      if (existsSync(this.path)) setAside(this.path)
    })
    const fileId = findFileId(this.path)
    if (fileId === undefined || !this.mapAnew(fileId)) throw new Error(`${this.path} was replaced while it was written`)
    return true
  }

  /**
   * Adds an extent of zeros to the file. Only for the thread that writes the segment. If the disk is full, throws and
   * changes nothing.
   */
  grow(): void {
    this.restore()
    const file = openSync(this.path, 'r+')
    const whole = this.extents.length * EXTENT_BYTES
    try {
      writeAll(file, new Uint8Array(EXTENT_BYTES), whole)
      fsyncSync(file)
    } catch (error) {
      ftruncateSync(file, whole)
      throw error
    } finally {
      closeSync(file)
    }
    this.mapGrown()
  }

  /**
   * Maps the file that is now at `path`. Returns false if the file belongs to another writer or is shorter than the
   * mapping.
   */
  private mapAnew(fileId: string): boolean {
    const { length } = this.extents
    if (statSync(this.path).size < length * EXTENT_BYTES) return false
    const mapped = this.extents.map((_, number) => mapExtent(this.path, number))
    if (readWriterId(mapped[0], this.ordinal) !== this.writerId) return false
    this.mapped.splice(0, length, ...mapped.map(toExtent))
    this.fileId = fileId
    return true
  }
}

/** Renames a segment's file so that no thread opens it; returns the new path. */
export function setAside(path: string): string {
  const aside = `${path}.damaged-${makeWriterId().slice(0, 8)}`
  renameSync(path, aside)
  return aside
}

/** The identity of a file; undefined if it does not exist. */
function findFileId(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev}:${found.ino}`
}

function mapExtent(path: string, number: number): Uint8Array {
  return Bun.mmap(path, { shared: true, offset: number * EXTENT_BYTES, size: EXTENT_BYTES })
}

/** Writes extents to a temporary file, syncs it and renames it to `path`. */
function writeWhole(path: string, extents: readonly Extent[], beforeRename: () => void = () => {}): void {
  mkdirSync(dirname(path), { recursive: true })
  const aside = `${path}.part`
  try {
    writeSynced(aside, extents)
    beforeRename()
    renameSync(aside, path)
  } catch (error) {
    rmSync(aside, { force: true })
    throw error
  }
  syncPath(dirname(path))
}

function writeSynced(path: string, extents: readonly Extent[]): void {
  const file = openSync(path, 'w', 0o600)
  try {
    for (const [number, { words }] of extents.entries()) {
      const bytes = new Uint8Array(words.buffer, words.byteOffset, EXTENT_BYTES)
      writeAll(file, bytes, number * EXTENT_BYTES)
    }
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function writeAll(file: number, bytes: Uint8Array, position: number): void {
  let done = 0
  while (done < bytes.byteLength) done += writeSync(file, bytes, done, bytes.byteLength - done, position + done)
}
