// A hash of the contents of source files. The hash is equal on all replicas, although the times of the files differ
// between replicas.
import { join } from 'node:path'
import { FileHashes } from '../system/file-hashes.ts'

/** A hash of the contents of files, in their order. @param folder where the hashes of the files are cached */
export async function hashContents(paths: readonly string[], folder: string): Promise<string> {
  const hashes = new FileHashes(join(folder, 'sources.json'))
  const all: (string | undefined)[] = []
  for (const path of paths) all.push(await hashes.of(path))
  return all.join('+')
}
