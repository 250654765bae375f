// The seal in the file of a base map: the file's length and a checksum. The seal comes after the root directory, in a
// part of the file that PMTiles readers ignore. A file without a valid seal is not served.
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { HEAD_BYTES, SEAL_BYTES } from '../../indexes/ground/pmtiles-writer.ts'

const MARK = Buffer.from('QUAISEAL')
const CHUNK_BYTES = 1024 ** 2
const SEAL_AT = HEAD_BYTES - SEAL_BYTES

/** Writes the seal into a complete file. @param file open for reading and writing */
export function sealGround(file: number): void {
  writeSync(file, sealOf(file), 0, SEAL_BYTES, SEAL_AT)
}

/**
 * Describes what is damaged in a file; undefined if nothing is damaged. Reads the whole file, which takes 20 ms for 100
 * MB.
 */
export function findDamage(path: string): string | undefined {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const seal = Buffer.alloc(SEAL_BYTES)
    if (readSync(file, seal, 0, SEAL_BYTES, SEAL_AT) < SEAL_BYTES) return `it has only ${size} bytes`
    if (!seal.subarray(0, MARK.length).equals(MARK))
      return 'its checksum is missing, so the file was not written completely'
    const written = Number(seal.readBigUInt64LE(MARK.length))
    if (written !== size) return `it has ${size} of ${written} bytes`
    return seal.equals(sealOf(file)) ? undefined : 'its checksum differs'
  } finally {
    closeSync(file)
  }
}

/** Computes the seal for a file. The bytes of the seal itself count as zeros. */
function sealOf(file: number): Buffer {
  const { size } = fstatSync(file)
  const chunk = Buffer.alloc(CHUNK_BYTES)
  let hash = 0n
  for (let at = 0; at < size; ) {
    const count = readSync(file, chunk, 0, CHUNK_BYTES, at)
    if (count === 0) break
    if (at === 0) chunk.fill(0, SEAL_AT, HEAD_BYTES)
    hash = Bun.hash.xxHash3(chunk.subarray(0, count), hash)
    at += count
  }
  const seal = Buffer.alloc(SEAL_BYTES)
  MARK.copy(seal)
  seal.writeBigUInt64LE(BigInt(size), MARK.length)
  seal.writeBigUInt64LE(hash, MARK.length + 8)
  return seal
}
