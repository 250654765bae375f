// Verifies a snapshot file while it is being served. The file is read in pieces. A read of the memory-mapped file would
// keep the whole file in this process's memory, and would block the thread until all of it is read.
import { type FileHandle, open } from 'node:fs/promises'
import { GAPS, type OpenedSnapshot } from '../../loaders/snapshot-file.ts'

const PIECE_BYTES = 1 << 20

/** A range of bytes in a snapshot file: a column with its checksum, or a gap, all of whose bytes should be zero. */
interface Part {
  readonly name: string
  readonly start: number
  readonly end: number
  /** CRC-32; undefined for a gap. */
  readonly crc: number | undefined
}

/**
 * The names of the columns with wrong checksums in a snapshot file; also GAPS, if bytes outside the columns are not
 * zero. Throws the system's error if the file cannot be read.
 * @param opened the snapshot in the file
 */
export async function verifyFile(path: string, opened: OpenedSnapshot): Promise<string[]> {
  const corrupt = new Set<string>()
  const file = await open(path)
  try {
    const buffer = new Uint8Array(PIECE_BYTES)
    for (const part of partsOf(opened)) if (!(await isIntact(file, part, buffer))) corrupt.add(part.name)
  } finally {
    await file.close()
  }
  return [...corrupt]
}

/** All bytes after the directory, in order. */
function partsOf({ directory, directoryEnd, firstColumn, file }: OpenedSnapshot): Part[] {
  const parts: Part[] = []
  let end = directoryEnd
  const addGap = (start: number) => parts.push({ name: GAPS, start: end, end: start, crc: undefined })
  for (const [name, , offset, byteLength, crc] of directory) {
    const start = firstColumn + offset
    addGap(start)
    end = start + byteLength
    parts.push({ name, start, end, crc })
  }
  addGap(file.byteLength)
  return parts.filter(({ start, end: partEnd }) => start < partEnd)
}

async function isIntact(file: FileHandle, { start, end, crc }: Part, buffer: Uint8Array): Promise<boolean> {
  let sum = 0
  for (let at = start; at < end; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(end - at, buffer.byteLength), at)
    if (bytesRead === 0) return false // the file has become shorter
    const piece = buffer.subarray(0, bytesRead)
    if (crc === undefined) {
      if (piece.some((byte) => byte !== 0)) return false
    } else sum = Bun.hash.crc32(piece, sum)
    at += bytesRead
  }
  return crc === undefined || sum === crc
}
