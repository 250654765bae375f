// A map extract on disk, read piece by piece. Files above 4 GiB can be neither mapped nor read into memory as a whole.
// Mapping is also unsafe: if a mapped file became shorter, the process would crash.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { ExtractBytes } from '../../loaders/osm/pbf.ts'

/** An open extract. */
export interface OpenExtract extends ExtractBytes {
  close(): void
}

/** Opens an extract. @param name its name in messages */
export function openExtract(path: string, name: string): OpenExtract {
  const file = openSync(path, 'r')
  let buffer = new Uint8Array(1 << 16)
  return {
    name,
    byteLength: fstatSync(file).size,
    read(start, end) {
      if (end - start > buffer.length) buffer = new Uint8Array(2 * (end - start))
      let length = 0
      while (length < end - start) {
        const count = readSync(file, buffer, length, end - start - length, start + length)
        if (count === 0) break
        length += count
      }
      return buffer.subarray(0, length)
    },
    close: () => closeSync(file),
  }
}
