// Bodies that harm a reader without limits: half a megabyte of gzip that decodes to half a gigabyte, and a message that
// is nested too deeply for a recursive reader.
import { constants, crc32, deflateRawSync } from 'node:zlib'

const BLOCK_BYTES = 4_194_304
const BLOCK_COUNT = 128
const NESTED_LEVELS = 200_000
/**
 * Start and end of a group with field number 1000, which no message has: varints of (1000 << 3 | 3) and (1000 << 3 |
 * 4).
 */
const GROUP_START = [0xc3, 0x3e]
const GROUP_END = [0xc4, 0x3e]
/** The bytes of a message header that contains only a version: header { gtfs_realtime_version: "2.0" }. */
const HEADER = [0x0a, 0x05, 0x0a, 0x03, 0x32, 0x2e, 0x30]

/** Decoded size of the gzip bomb. */
export const BOMB_BYTES: number = BLOCK_BYTES * BLOCK_COUNT

/** The gzip bomb, in pieces: a valid gzip file of BOMB_BYTES spaces. It repeats one compressed block. */
export function* bombPieces(): Generator<Uint8Array> {
  yield Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255)
  const plain = new Uint8Array(BLOCK_BYTES).fill(0x20)
  // A full flush ends the block at a byte boundary, and the block refers to nothing before its start. So the block can
  // be repeated.
  const flushed = deflateRawSync(plain, { level: 9, finishFlush: constants.Z_FULL_FLUSH })
  let checksum = 0
  for (let block = 0; block < BLOCK_COUNT; block++) {
    checksum = crc32(plain, checksum)
    yield flushed
  }
  const end = new DataView(new ArrayBuffer(10))
  end.setUint8(0, 3) // the last block is empty
  end.setUint32(2, checksum, true)
  end.setUint32(6, BOMB_BYTES, true)
  yield new Uint8Array(end.buffer)
}

/** A feed message with a header and deeply nested groups. */
export function deeplyNested(): Uint8Array {
  const size = HEADER.length + NESTED_LEVELS * (GROUP_START.length + GROUP_END.length)
  const bytes = new Uint8Array(size)
  bytes.set(HEADER)
  let at = HEADER.length
  for (const mark of [GROUP_START, GROUP_END]) {
    for (let level = 0; level < NESTED_LEVELS; level++) {
      bytes.set(mark, at)
      at += mark.length
    }
  }
  return bytes
}
