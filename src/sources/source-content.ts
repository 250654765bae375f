// What source files contain, whatever machine they are on: replicas have copies of their own, with other times.
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { readJsonFile, writeFileWhole } from '../system/whole-file.ts'

const CHUNK_BYTES = 1 << 20

/** The last reading, kept so that files are not read again until they change. */
interface Reading {
  readonly stamp: string
  readonly hash: string
}

/**
 * SHA-256 of the contents of files, in their order.
 * @param stamp changes with the files; see source-stamp.ts
 * @param folder where the last hash is kept
 */
export async function hashContents(paths: readonly string[], stamp: string, folder: string): Promise<string> {
  const kept = join(folder, 'sources.json')
  const last: Reading | undefined = readJsonFile(kept)
  if (last?.stamp === stamp) return last.hash
  const hasher = new Bun.CryptoHasher('sha256')
  for (const path of paths) {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) hasher.update(chunk)
    hasher.update('\n')
  }
  const reading: Reading = { stamp, hash: hasher.digest('hex') }
  writeFileWhole(kept, JSON.stringify(reading))
  return reading.hash
}
