// One segment file: made of written zeros, so that no later store can meet a full disk, then mapped by every thread.
import {
  closeSync,
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
  mkdirSync(dirname(path), { recursive: true })
  const extentCount = Math.ceil((slots.length + FIRST_SLOT) / SLOTS_PER_EXTENT)
  const bytes = new Uint8Array(extentCount * EXTENT_BYTES)
  writeHeader(bytes, header)
  for (const [index, values] of slots.entries()) {
    const slot = index + FIRST_SLOT
    const extent = toExtent(bytes.subarray(Math.floor(slot / SLOTS_PER_EXTENT) * EXTENT_BYTES))
    writeSlotOwner(extent, slot % SLOTS_PER_EXTENT, values)
    writeSlotValues(extent, slot % SLOTS_PER_EXTENT, values)
  }
  const aside = `${path}.part`
  try {
    writeSynced(aside, bytes)
    renameSync(aside, path)
  } catch (error) {
    rmSync(aside, { force: true })
    throw error
  }
  syncFolder(dirname(path))
}

/** Maps a segment; undefined where the file is too short or has no valid header of this thread. */
export function findSegment(folder: string, ordinal: number): Segment | undefined {
  const path = segmentPath(folder, ordinal)
  if (statSync(path).size < EXTENT_BYTES) return undefined
  const first = Bun.mmap(path, { shared: true, offset: 0, size: EXTENT_BYTES })
  const writerId = readWriterId(first, ordinal)
  return writerId === undefined ? undefined : new Segment(path, { ordinal, writerId, first })
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
  private readonly extents: Extent[] = []

  constructor(path: string, parts: { ordinal: number; writerId: string; first: Uint8Array }) {
    this.path = path
    this.ordinal = parts.ordinal
    this.writerId = parts.writerId
    this.extents.push(toExtent(parts.first))
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

  /** Maps the extents that the file has grown by. */
  mapGrown(): void {
    const extentCount = Math.floor(statSync(this.path).size / EXTENT_BYTES)
    while (this.extents.length < extentCount) this.extents.push(toExtent(this.mapExtent(this.extents.length)))
  }

  /** Adds an extent of written zeros; for the owner only. Throws, with the file as it was, where the disk is full. */
  grow(): void {
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

  private mapExtent(number: number): Uint8Array {
    return Bun.mmap(this.path, { shared: true, offset: number * EXTENT_BYTES, size: EXTENT_BYTES })
  }
}

function writeSynced(path: string, bytes: Uint8Array): void {
  const file = openSync(path, 'w', 0o600)
  try {
    writeAll(file, bytes, 0)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function writeAll(file: number, bytes: Uint8Array, position: number): void {
  let done = 0
  while (done < bytes.byteLength) done += writeSync(file, bytes, done, bytes.byteLength - done, position + done)
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
