// Downloads the Bun runtimes for other platforms from the npm registry. A binary for a platform is the Bun executable
// for that platform with the program appended.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const REGISTRY = process.env['npm_config_registry'] ?? 'https://registry.npmjs.org'
const FETCH_MILLIS = 300_000

/**
 * Downloads the Bun executable from a package such as `@oven/bun-linux-aarch64`, in the version of Bun that is running.
 * Returns the path of the executable.
 * @param folder where downloads are kept for later calls
 */
export async function fetchBun(packageName: string, folder: string, registry = REGISTRY): Promise<string> {
  const kept = join(folder, packageName.replace('/', '-'), Bun.version)
  const path = join(kept, 'bun')
  if (existsSync(path)) return path
  const url = `${registry.replace(/\/$/, '')}/${packageName.replace('/', '%2f')}/${Bun.version}`
  const { dist } = (await (await fetchChecked(url)).json()) as { dist: { tarball: string; integrity: string } }
  const bytes = new Uint8Array(await (await fetchChecked(dist.tarball)).arrayBuffer())
  checkIntegrity(packageName, bytes, dist.integrity)
  const part = `${kept}.part`
  rmSync(part, { recursive: true, force: true })
  mkdirSync(part, { recursive: true })
  const archive = join(part, 'bun.tgz')
  writeFileSync(archive, bytes)
  await Bun.$`tar -xzf ${archive} -C ${part} --strip-components=2 package/bin/bun`.quiet()
  rmSync(archive)
  rmSync(kept, { recursive: true, force: true })
  renameSync(part, kept)
  return path
}

async function fetchChecked(url: string): Promise<Response> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(FETCH_MILLIS) })
  if (!answer.ok) throw new Error(`${url} responded with status ${answer.status}; expected 200`)
  return answer
}

/** Throws unless the bytes match the registry's checksum, which is `sha512-` followed by base64. */
function checkIntegrity(name: string, bytes: Uint8Array, integrity: string): void {
  const [algorithm = '', expected = ''] = integrity.split('-', 2)
  const found = createHash(algorithm).update(bytes).digest('base64')
  if (found === expected) return
  throw new Error(`${name} has the ${algorithm} checksum ${found}; the registry has ${expected}`)
}
