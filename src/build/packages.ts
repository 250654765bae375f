// The packages in the binary: every package from which the bundler reads a file, and the packages in DATA_PACKAGES.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { consoleBundle } from '../console/console-files.ts'
import { explorerBundle } from '../explorer/explorer-files.ts'

/** A package from the npm registry. */
export interface Package {
  readonly name: string
  readonly version: string
  /** The license that the package's package.json names, usually an SPDX expression. */
  readonly license: string
  /** The package's license and notice files, one after the other; `''` if it has none. */
  readonly licenseText: string
  /** Checksum of the archive in the registry, from bun.lock: `sha512-` followed by base64. */
  readonly integrity: string
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  /** Used instead of `license` in the package.json of some old packages. */
  readonly licenses?: readonly { readonly type: string }[]
}

/**
 * Matches the start of a file's path, up to and including the folder of the package that contains the file. A
 * `node_modules` inside a package's `dist` counts as part of the package.
 */
const PACKAGE_FOLDER = /^.*?(?:\/node_modules\/(?:@[^/]+\/)?[^/]+)+/
const LICENSE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i

/** Packages from which the binary contains only data files. They are listed here because no bundle imports them. */
const DATA_PACKAGES = ['world-atlas']

/**
 * Lists the packages in the binary, sorted by name and version. Throws if a package has no license or is not in
 * bun.lock.
 * @param root folder that contains package.json, bun.lock and node_modules
 */
export async function listPackages(root: string): Promise<Package[]> {
  const server = { entrypoints: [join(root, 'src', 'main.ts')], target: 'bun' } satisfies Bun.BuildConfig
  const folders = new Set(DATA_PACKAGES.map((name) => join(root, 'node_modules', name)))
  for (const bundle of [server, consoleBundle(), explorerBundle()]) {
    const { metafile } = await Bun.build({ ...bundle, metafile: true })
    for (const input of Object.keys(metafile?.inputs ?? {})) {
      const [folder] = PACKAGE_FOLDER.exec(resolve(input)) ?? []
      if (folder !== undefined) folders.add(folder)
    }
  }
  const checksums = readChecksums(root)
  const packages = new Map<string, Package>()
  for (const folder of folders) {
    const each = describePackage(folder, checksums)
    packages.set(`${each.name}@${each.version}`, each)
  }
  return [...packages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each)
}

/** `name@version` → checksum. */
function readChecksums(root: string): Map<string, string> {
  const { packages } = Object(Bun.JSONC.parse(readFileSync(join(root, 'bun.lock'), 'utf8')))
  const rows: (readonly unknown[])[] = Object.values(packages)
  return new Map(rows.map((row) => [String(row[0]), String(row.at(-1))]))
}

function describePackage(folder: string, checksums: ReadonlyMap<string, string>): Package {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const { name, version, licenses } = manifest
  const license = manifest.license ?? licenses?.map(({ type }) => type).join(' OR ')
  const integrity = checksums.get(`${name}@${version}`)
  if (license === undefined || integrity === undefined) {
    throw new Error(`${name}@${version} has no ${license === undefined ? 'license' : 'checksum in bun.lock'}`)
  }
  const texts = readdirSync(folder)
    .filter((file) => LICENSE_FILE.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
  return { name, version, license, licenseText: texts.join('\n\n'), integrity }
}
