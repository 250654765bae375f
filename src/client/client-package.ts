// The package quai-client, packed for npm, Bun and pnpm: a module, its declarations, a manifest, a README and the
// license. The build embeds it in the binary. When the program runs from source, the package is packed on request.
import { join } from 'node:path'
import { VERSION } from '../system/version.ts'
import { tarBytes } from './tar.ts'

/** Defined by build/compile.ts in a binary; not defined when the program runs from source. */
declare const EMBEDDED_CLIENT_PACKAGE: string

/** Path of the packed client on the API port. */
export const CLIENT_PATH = '/docs/client'
/** Name of the packed file. */
export const CLIENT_FILE = `quai-client-${VERSION}.tgz`

const ROOT = join(import.meta.dir, '..', '..')
const SOURCES = join(import.meta.dir, 'package')
/** Source files that contain only types. They become the package's declarations. */
const DECLARED = ['surface.ts', 'contract.ts']
const IMPORTS = /^import type .*$\n/gm
const CLASSES = `
/** A client for the API: one method for each operation. */
export declare const QuaiClient: QuaiClientConstructor
/** The error that a failed call throws. */
export declare const QuaiError: QuaiErrorConstructor
`

/**
 * Returns the packed client: the one embedded in the binary or, when the program runs from source, a newly packed one.
 */
export async function clientPackage(): Promise<Uint8Array<ArrayBuffer>> {
  return typeof EMBEDDED_CLIENT_PACKAGE === 'undefined'
    ? packClient()
    : Uint8Array.from(Buffer.from(EMBEDDED_CLIENT_PACKAGE, 'base64'))
}

/** Packs the client from its sources. The same sources always give the same bytes. Throws if they do not compile. */
export async function packClient(): Promise<Uint8Array<ArrayBuffer>> {
  const built = await Bun.build({
    entrypoints: [join(SOURCES, 'main.ts')],
    target: 'browser',
    format: 'esm',
    minify: true,
  })
  const [module] = built.outputs
  if (module === undefined) throw new Error('Bun.build made no bundle of the client')
  const read = (...path: readonly string[]) => Bun.file(join(...path)).text()
  const declared = await Promise.all(DECLARED.map((name) => read(SOURCES, name)))
  const tar = tarBytes({
    'package/package.json': manifest(),
    'package/README.md': await read(SOURCES, 'README.md'),
    'package/LICENSE': await read(ROOT, 'LICENSE'),
    'package/quai-client.js': await module.text(),
    'package/quai-client.d.ts': declared.map((text) => text.replace(IMPORTS, '')).join('\n') + CLASSES,
  })
  return Bun.gzipSync(tar, { library: 'libdeflate', level: 12 })
}

function manifest(): string {
  const parts = {
    name: 'quai-client',
    version: VERSION,
    description: 'Client for the Quai API: typed calls, pages and event streams.',
    license: 'MIT',
    type: 'module',
    exports: { '.': { types: './quai-client.d.ts', default: './quai-client.js' } },
    types: './quai-client.d.ts',
    sideEffects: false,
    engines: { node: '>=20' },
  }
  return `${JSON.stringify(parts, null, 2)}\n`
}
