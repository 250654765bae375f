// A hash of the contents of source files. The hash is the same on all replicas, although the files' modification times
// differ between replicas.
import { join } from 'node:path'
import { FileHashes } from '../system/file-hashes.ts'

/** The hashes of the files' contents, joined in the order of the files. @param folder where the hashes are cached */
export async function hashContents(paths: readonly string[], folder: string): Promise<string> {
  const hashes = new FileHashes(join(folder, 'sources.json'))
  const all: (string | undefined)[] = []
  for (const path of paths) all.push(await hashes.of(path))
  return all.join('+')
}
