// One segment file: made of written zeros, so that no later store can meet a full disk, then mapped by every thread.
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
  readSlot,
  readWriterId,
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

/** The folder of all segments of a data directory. */
export function segmentFolder(dataDir: string): string {
  return join(dataDir, 'meter')
}

/** The file of one data thread's slots; threads are numbered from 0. */
export function segmentPath(folder: string, ordinal: number): string {
  return join(folder, `${ordinal}.slots`)
}

/** The thread a file in the segment folder belongs to, or undefined for other files. */
export function segmentOrdinal(fileName: string): number | undefined {
  const digits = SEGMENT_NAME.exec(fileName)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** A new writer's id: 128 random bits as 32 hexadecimal digits. */
export function makeWriterId(): string {
  return crypto.getRandomValues(new Uint8Array(WRITER_ID_BYTES)).toHex()
}

/** Writes a segment holding these slots beside its place, syncs it and renames it in. */
export function writeSegment(
  path: string,
  header: { writerId: string; ordinal: number },
  slots: readonly SlotValues[] = [],
): void {
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

/** Maps a segment; undefined if the file is too short or has no valid header of this thread. */
export function findSegment(folder: string, ordinal: number): Segment | undefined {
  const path = segmentPath(folder, ordinal)
  const { size } = statSync(path)
  const fileId = findFileId(path)
  if (size < EXTENT_BYTES || fileId === undefined) return undefined
  const first = mapExtent(path, 0)
  const writerId = readWriterId(first, ordinal)
  return writerId === undefined ? undefined : new Segment(path, { ordinal, writerId, fileId, first })
}

/** Maps a segment that recovery has left in order; throws where it isn't. */
export function openSegment(folder: string, ordinal: number): Segment {
  const segment = findSegment(folder, ordinal)
  if (segment === undefined)
    throw new Error(`${segmentPath(folder, ordinal)} is not the segment of data thread ${ordinal}`)
  return segment
}

/** A segment mapped for reading, and for its one writer to store into. Grows as the file does. */
export class Segment {
  readonly ordinal: number
  readonly writerId: string
  private readonly path: string
  private readonly mapped: Extent[] = []
  /** What is mapped, by the slots that lie in it: the meter stores into these. */
  readonly extents: readonly Extent[] = this.mapped
  /** The file that is mapped: another one may have its name by now. */
  private fileId: string

  constructor(path: string, parts: { ordinal: number; writerId: string; fileId: string; first: Uint8Array }) {
    this.path = path
    this.ordinal = parts.ordinal
    this.writerId = parts.writerId
    this.fileId = parts.fileId
    this.mapped.push(toExtent(parts.first))
    this.mapGrown()
  }

  /** The extent a slot lies in, or undefined beyond the mapped ones. */
  extentOf(slot: number): Extent | undefined {
    return this.extents[Math.floor(slot / SLOTS_PER_EXTENT)]
  }

  /** Whether a slot belongs to no key yet, or doesn't exist yet. */
  isFree(slot: number): boolean {
    const extent = this.extentOf(slot)
    return extent === undefined || isFreeSlot(extent, slot % SLOTS_PER_EXTENT)
  }

  /** A slot's values; undefined where it is free or damaged. */
  read(slot: number): SlotValues | undefined {
    const extent = this.extentOf(slot)
    if (extent === undefined || isFreeSlot(extent, slot % SLOTS_PER_EXTENT)) return undefined
    return readSlot(extent, slot % SLOTS_PER_EXTENT)
  }

  /** The calls of a slot, to see cheaply whether it changed. */
  calls(slot: number): number {
    const extent = this.extentOf(slot)
    return extent === undefined ? 0 : slotCalls(extent, slot % SLOTS_PER_EXTENT)
  }

  /** Whether the file under the segment's name is the one that is mapped. */
  isInPlace(): boolean {
    return findFileId(this.path) === this.fileId
  }

  /**
   * Maps the extents that the file has grown by, and all of them anew if the owner has written the file again after
   * somebody removed it. Until then the counts stay readable in the mapping of the removed file.
   */
  mapGrown(): void {
    const fileId = findFileId(this.path)
    if (fileId === undefined) return
    if (fileId !== this.fileId && !this.mapAnew(fileId)) return
    const extentCount = Math.floor(statSync(this.path).size / EXTENT_BYTES)
    while (this.extents.length < extentCount) this.mapped.push(toExtent(mapExtent(this.path, this.extents.length)))
  }

  /**
   * Writes the file again with all its counts if it was removed or replaced; for the owner only, who charges nothing
   * meanwhile. What has its name is set aside. Whether there was anything to do. Throws if the disk is full: counting
   * goes on in the mapping, and the next call tries again.
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

  /** Adds an extent of written zeros; for the owner only. Throws, with the file as it was, if the disk is full. */
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

  /** Maps the extents of the file that has the name now; false if it isn't this writer's, or shorter than what is mapped. */
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

/** Moves a segment's file away under a name that no thread reads; its new path. */
export function setAside(path: string): string {
  const aside = `${path}.damaged-${makeWriterId().slice(0, 8)}`
  renameSync(path, aside)
  return aside
}

/** What tells a file from another one that has its name later; undefined if there is none. */
function findFileId(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev}:${found.ino}`
}

function mapExtent(path: string, number: number): Uint8Array {
  return Bun.mmap(path, { shared: true, offset: number * EXTENT_BYTES, size: EXTENT_BYTES })
}

/** Writes extents beside their place, syncs them and renames them in. */
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
