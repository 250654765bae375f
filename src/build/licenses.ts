// The licenses of everything in the binary, ready to print.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listPackages, type Package } from './packages.ts'

/** Defined by build/compile.ts in a binary; not defined when the program runs from source. */
declare const EMBEDDED_LICENSES: string

const ROOT = join(import.meta.dir, '../..')
const RULE = '-'.repeat(78)

/**
 * Returns the licenses that are embedded in the binary. When the program runs from source, returns the licenses of the
 * installed packages.
 */
export async function licensesText(): Promise<string> {
  return typeof EMBEDDED_LICENSES === 'undefined' ? formatLicenses(await listPackages(ROOT)) : EMBEDDED_LICENSES
}

/** Returns Quai's own license, then the licenses of Bun and of the packages. */
export function formatLicenses(packages: readonly Package[]): string {
  const quai = `Quai\n\n${readFileSync(join(ROOT, 'LICENSE'), 'utf8').trim()}`
  const bun = `Bun ${Bun.version}\nLicense: MIT; some parts have others: https://bun.com/docs/project/license`
  const others = packages.map(({ name, version, license, licenseText }) =>
    `${name} ${version}\nLicense: ${license}\n\n${licenseText}`.trim(),
  )
  return `${[quai, bun, ...others].join(`\n\n${RULE}\n\n`)}\n`
}
