// `bun run client`: writes dist/quai-client.tgz, the client package for npm, Bun and pnpm.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packClient } from '../client/client-package.ts'

const ROOT = join(import.meta.dir, '..', '..')

/** Writes the packed client. Returns its size in bytes. */
export async function writeClient(file: string): Promise<number> {
  const packed = await packClient()
  writeFileSync(file, packed)
  return packed.length
}

if (import.meta.main) {
  mkdirSync(join(ROOT, 'dist'), { recursive: true })
  const size = await writeClient(join(ROOT, 'dist', 'quai-client.tgz'))
  console.log(`dist/quai-client.tgz: ${(size / 1e3).toFixed(1)} kB`)
}
