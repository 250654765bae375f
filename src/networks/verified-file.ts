// Verifies a snapshot file while it is being served. The file is read in pieces. A read of the memory-mapped file would
// keep the whole file in this process's memory, and would block the thread until all of it is read.
import { type FileHandle, open } from 'node:fs/promises'
import { type OpenedSnapshot, partsOf, type SnapshotPart } from '../../loaders/snapshot-file.ts'

const PIECE_BYTES = 1 << 20

/**
 * The names of the corrupt parts of a snapshot file, as from `findCorruptColumns`. Throws the system's error if the
 * file cannot be read.
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

async function isIntact(file: FileHandle, { start, end, crc }: SnapshotPart, buffer: Uint8Array): Promise<boolean> {
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
