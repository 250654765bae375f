// `bun run advisories`: queries the registry for security advisories on all packages in bun.lock. A severe advisory on
// a package in the binary makes the run fail. If the registry cannot be queried, the run prints this but does not fail.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listPackages } from './packages.ts'

const ROOT = join(import.meta.dir, '..', '..')
const PATH = '/-/npm/v1/security/advisories/bulk'
const DEADLINE_MILLIS = 30_000
const GRAVE = ['high', 'critical']

/** An advisory in the registry's response. */
interface Advisory {
  readonly title: string
  readonly url: string
  readonly severity: string
  readonly vulnerable_versions: string
}

/** Package → the versions that bun.lock contains. */
export type VersionsInUse = Readonly<Record<string, readonly string[]>>

/** The known advisories on the packages. */
export interface AdvisoryReport {
  /** One line per advisory; if there are no advisories or they could not be queried, one line that says so. */
  readonly lines: readonly string[]
  /** Whether a severe advisory affects a package in the binary. */
  readonly isGrave: boolean
}

/** The versions of all packages in a lockfile. */
export function versionsInUse(lockfile: string): VersionsInUse {
  const { packages } = Object(Bun.JSONC.parse(lockfile))
  const versions = new Map<string, Set<string>>()
  for (const row of Object.values<readonly unknown[]>(packages)) {
    const [, name, version] = /^(.+)@([^@]+)$/.exec(String(row[0])) ?? []
    if (name !== undefined && version !== undefined) versions.getOrInsertComputed(name, () => new Set()).add(version)
  }
  return Object.fromEntries([...versions].map(([name, each]) => [name, [...each]]))
}

/**
 * Queries a registry for the advisories on the packages; never throws.
 * @param shipped names of the packages in the binary
 */
export async function findAdvisories(
  registry: string,
  versions: VersionsInUse,
  shipped: ReadonlySet<string>,
): Promise<AdvisoryReport> {
  let found: [name: string, advisories: readonly Advisory[]][]
  try {
    const answer = await fetch(registry.replace(/\/$/, '') + PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(versions),
      signal: AbortSignal.timeout(DEADLINE_MILLIS),
    })
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    const body: unknown = await answer.json()
    if (!isListing(body)) throw new Error('its response is not a list of advisories')
    found = Object.entries(body)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const unknown = 'it is unknown whether the packages have any'
    return {
      lines: [`advisories: not checked, because ${registry} cannot be queried: ${why}; ${unknown}`],
      isGrave: false,
    }
  }
  const rows = found.flatMap(([name, advisories]) => advisories.map((advisory) => ({ name, ...advisory })))
  const lines = rows.map(({ name, severity, title, url, vulnerable_versions }) => {
    const where = shipped.has(name) ? 'in the binary' : 'for development only'
    return `advisories: ${severity}: ${name} ${vulnerable_versions} (${where}): ${title} ${url}`
  })
  const count = Object.keys(versions).length
  return {
    lines: lines.length > 0 ? lines : [`advisories: none for ${count} packages`],
    isGrave: rows.some(({ name, severity }) => shipped.has(name) && GRAVE.includes(severity)),
  }
}

/** Whether a response maps package names to lists of advisories. */
function isListing(body: unknown): body is Readonly<Record<string, readonly Advisory[]>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  return Object.values(body).every((list) => Array.isArray(list) && list.every(isAdvisory))
}

function isAdvisory(row: unknown): row is Advisory {
  const { title, url, severity, vulnerable_versions } = Object(row)
  return [title, url, severity, vulnerable_versions].every((member) => typeof member === 'string')
}

if (import.meta.main) {
  const shipped = new Set((await listPackages(ROOT)).map(({ name }) => name))
  const registry = process.env['npm_config_registry'] ?? 'https://registry.npmjs.org'
  const report = await findAdvisories(registry, versionsInUse(readFileSync(join(ROOT, 'bun.lock'), 'utf8')), shipped)
  for (const line of report.lines) console.log(line)
  if (report.isGrave) process.exitCode = 1
}
