// The memory layout of a segment: one data thread's counters, in a persistent file.
//
//   file    extents of 4 MiB, each 65 536 slots of 64 bytes; the very first slot is the file's header
//   header  0 magic u32 · 4 version u32 · 8 ordinal u32 · 12 CRC-32 of the rest u32 · 16 writer id, 16 bytes
//           32 in a cluster: id of the replica whose counts the file contains, 16 bytes
//   slot    0 key number u32 · 4 UTC day u32 · 8 CRC-32 of both u32 · 16 units f64 · 24 calls f64 · 32 last used f64
//
// A slot belongs to one key on one UTC day, and its values never decrease. The key number is stored last, so a slot
// without a key number is free, even if an interrupted write has left other values in it.

/** Size of a slot in bytes: one cache line. */
export const SLOT_BYTES = 64
/** Number of slots in one extent. */
export const SLOTS_PER_EXTENT = 65_536
/** Size of an extent in bytes. A segment grows by whole extents. */
export const EXTENT_BYTES = SLOT_BYTES * SLOTS_PER_EXTENT
/** The first slot after the header. */
export const FIRST_SLOT = 1
/** Number of 8-byte numbers in a slot. */
export const NUMBERS_PER_SLOT = SLOT_BYTES / 8
// Indexes of the 8-byte numbers in a slot.
export const SLOT_UNITS = 2
export const SLOT_CALLS = 3
export const SLOT_LAST_USED = 4

const MAGIC = 0x544d5551
const VERSION = 1
const WORDS_PER_SLOT = SLOT_BYTES / 4
const DAY_WORD = 1
const CRC_WORD = 2
const HEADER_CRC_AT = 12
const WRITER_ID_AT = 16
const OWNER_AT = 32
const ID_BYTES = 16

/** One extent as two typed arrays over the same memory. The memory may be mapped from a file or not. */
export interface Extent {
  readonly words: Uint32Array
  readonly numbers: Float64Array
}

/** Values of a slot. */
export interface SlotValues {
  readonly keyNumber: number
  /** Days since 1970 (UTC). */
  readonly utcDay: number
  readonly units: number
  readonly calls: number
  readonly lastUsedMillis: number
}

/** Makes the typed arrays of one extent; `bytes` is the whole extent. */
export function toExtent(bytes: Uint8Array): Extent {
  return {
    words: new Uint32Array(bytes.buffer, bytes.byteOffset, EXTENT_BYTES / 4),
    numbers: new Float64Array(bytes.buffer, bytes.byteOffset, EXTENT_BYTES / 8),
  }
}

/** The content of a file's header. */
export interface SegmentHeader {
  readonly writerId: string
  /** The number of the data thread, from 0. */
  readonly ordinal: number
  /** Id of the replica whose counts the file contains, 32 hexadecimal digits; absent outside a cluster. */
  readonly owner?: string | undefined
}

/** Writes a file header into the first bytes of an extent. */
export function writeHeader(bytes: Uint8Array, header: SegmentHeader): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, SLOT_BYTES)
  view.setUint32(0, MAGIC, true)
  view.setUint32(4, VERSION, true)
  view.setUint32(8, header.ordinal, true)
  bytes.set(Uint8Array.fromHex(header.writerId), WRITER_ID_AT)
  if (header.owner !== undefined) bytes.set(Uint8Array.fromHex(header.owner), OWNER_AT)
  view.setUint32(HEADER_CRC_AT, headerCrc(bytes), true)
}

/**
 * The writer id of a segment (32 hexadecimal digits), or undefined if the bytes are not a segment of this data thread.
 */
export function readWriterId(bytes: Uint8Array, ordinal: number): string | undefined {
  if (bytes.byteLength < SLOT_BYTES) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, SLOT_BYTES)
  if (view.getUint32(0, true) !== MAGIC || view.getUint32(4, true) !== VERSION) return undefined
  if (view.getUint32(8, true) !== ordinal || view.getUint32(HEADER_CRC_AT, true) !== headerCrc(bytes)) return undefined
  return bytes.slice(WRITER_ID_AT, WRITER_ID_AT + ID_BYTES).toHex()
}

/** The id of the replica in a valid header; undefined if a single service wrote it. */
export function readOwner(bytes: Uint8Array): string | undefined {
  const owner = bytes.slice(OWNER_AT, OWNER_AT + ID_BYTES)
  return owner.some((byte) => byte !== 0) ? owner.toHex() : undefined
}

/** Assigns a free slot to a key and a UTC day. The counts of a free slot are already zero. */
export function writeSlotOwner(
  extent: Extent,
  slotInExtent: number,
  owner: { keyNumber: number; utcDay: number },
): void {
  const at = slotInExtent * WORDS_PER_SLOT
  extent.words[at + DAY_WORD] = owner.utcDay
  extent.words[at + CRC_WORD] = ownerCrc(owner.keyNumber, owner.utcDay)
  extent.words[at] = owner.keyNumber
}

/** Sets a slot's values in a file that is not mapped yet. */
export function writeSlotValues(extent: Extent, slotInExtent: number, values: SlotValues): void {
  const at = slotInExtent * NUMBERS_PER_SLOT
  extent.numbers[at + SLOT_UNITS] = values.units
  extent.numbers[at + SLOT_CALLS] = values.calls
  extent.numbers[at + SLOT_LAST_USED] = values.lastUsedMillis
}

/** Whether a slot has no key yet. */
export function isFreeSlot(extent: Extent, slotInExtent: number): boolean {
  return extent.words[slotInExtent * WORDS_PER_SLOT] === 0
}

/** Calls counted in a slot; changes with every charge. */
export function slotCalls(extent: Extent, slotInExtent: number): number {
  return extent.numbers[slotInExtent * NUMBERS_PER_SLOT + SLOT_CALLS]
}

/** A slot's values, or undefined if its bytes are invalid. */
export function readSlot(extent: Extent, slotInExtent: number): SlotValues | undefined {
  const word = slotInExtent * WORDS_PER_SLOT
  const number = slotInExtent * NUMBERS_PER_SLOT
  // The calls are read before the units, because the meter writes the units first and the calls last.
  const calls = extent.numbers[number + SLOT_CALLS]
  const values = {
    keyNumber: extent.words[word],
    utcDay: extent.words[word + DAY_WORD],
    units: extent.numbers[number + SLOT_UNITS],
    calls,
    lastUsedMillis: extent.numbers[number + SLOT_LAST_USED],
  }
  if (extent.words[word + CRC_WORD] !== ownerCrc(values.keyNumber, values.utcDay)) return undefined
  return isCount(values.units) && isCount(calls) && isCount(values.lastUsedMillis) ? values : undefined
}

function isCount(value: number): boolean {
  return Number.isFinite(value) && value >= 0
}

const ownerWords = new Uint32Array(2)
const ownerBytes = new Uint8Array(ownerWords.buffer)

function ownerCrc(keyNumber: number, utcDay: number): number {
  ownerWords[0] = keyNumber
  ownerWords[1] = utcDay
  return Bun.hash.crc32(ownerBytes)
}

function headerCrc(bytes: Uint8Array): number {
  const covered = bytes.slice(0, SLOT_BYTES)
  covered.fill(0, HEADER_CRC_AT, HEADER_CRC_AT + 4)
  return Bun.hash.crc32(covered)
}
